/** An application for `waymark start` on several machines: its state is in a libsql server, its models and effects at OUTSIDE. */
import { createApplication, type RouteRequest, Type } from '@waymark/server';

const { OUTSIDE: outside = '', DATABASE: database = '', HOOK: hook = '', LEASE: lease } = process.env;

const input = { job: Type.String(), n: Type.Integer() };
const use = { tool: true, scopes: ['use'], input, summary: 'Does it.' } as const;

/** Makes a tool that has an effect on the outside. */
function acting(tool: string) {
  return async ({ job, n }: { readonly job: string; readonly n: number }, { headers }: RouteRequest) => {
    const key = headers['idempotency-key'] ?? null;
    await fetch(`${outside}/effects`, { method: 'POST', body: JSON.stringify({ tool, job, n, key }) });
    return { done: `${tool} ${n}` };
  };
}

export const application = createApplication('machines', { database, runs: { lease: Number(lease) } })
  .apiKey('DESK_KEY', 'desk', { scopes: ['use', 'svc:admin', 'devices:ingest', 'devices:read'] })
  .apiKey('BOSS_KEY', 'boss', { scopes: ['svc:admin'] })
  .rateLimit(10_000, { burst: 10_000 })
  .provider('simulator', outside, { kind: 'anthropic' })
  .models({ default: 'simulator/claude-opus-5' })
  .pricing('default', 5, 25)
  .put('/keyed', { ...use, toolName: 'keyed' }, acting('keyed'))
  .post('/once', { ...use, toolName: 'once' }, acting('once'))
  .post('/refund', { ...use, approval: 'required', toolName: 'refund' }, acting('refund'))
  .resource('notes', { title: 'string' }, { scopes: ['use'] })
  .agent('desk', { tools: ['keyed', 'once', 'refund'], scopes: ['use'], description: 'Does it.' });

application.camera('door', { maxFps: 1_000 });
application.memory('memories', { scopes: ['use'] });
application.notify(hook, { events: ['run_finished'], name: 'desk' });
