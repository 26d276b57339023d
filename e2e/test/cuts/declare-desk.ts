import { type Application, type RouteRequest, Type } from '@waymark/server';

const input = { job: Type.String(), n: Type.Integer() };
const use = { tool: true, scopes: ['use'], input } as const;
const gated = { ...use, approval: 'required' } as const;

interface Call {
  readonly job: string;
  readonly n: number;
}

/** Tools that must never be used twice, and those whose second use has the key of the first one. */
export const tools = { once: ['once', 'refund'], keyed: ['keyed', 'sign'] } as const;

/**
 * Declares agents with tools of every kind, two of which ask a human, and agents above them.
 *
 * @param outside where models and effects are
 */
export function declareDesk(
  app: Application,
  outside: { readonly models: string; readonly effects: string },
) {
  const acting = (tool: string) => async (call: Call, request: RouteRequest) => {
    const key = request.headers['idempotency-key'] ?? null;
    await fetch(outside.effects, { method: 'POST', body: JSON.stringify({ tool, ...call, key }) });
    return { done: `${tool} ${call.n}` };
  };
  const every = ['look', ...tools.once, ...tools.keyed];
  const agent = { scopes: ['use'], maxSteps: 30 };
  return app
    .rateLimit(100_000, { burst: 100_000 })
    .provider('simulator', outside.models, { kind: 'anthropic' })
    .models({ default: 'simulator/claude-opus-5', fast: 'simulator/claude-haiku-4-5' })
    .get('/look', { ...use, toolName: 'look' }, ({ n }) => `seen ${n}`)
    .post('/once', { ...use, toolName: 'once' }, acting('once'))
    .put('/keyed', { ...use, toolName: 'keyed' }, acting('keyed'))
    .post('/refund', { ...gated, toolName: 'refund' }, acting('refund'))
    .put('/sign', { ...gated, toolName: 'sign' }, acting('sign'))
    .agent('clerk', { ...agent, tools: every, description: 'Does it.' })
    .agent('boss', {
      ...agent,
      tools: ['clerk', 'look', 'once', 'keyed'],
      description: 'Lets a clerk do it.',
    })
    .agent('chief', { ...agent, tools: ['boss', 'clerk', 'keyed'], description: 'Lets a boss do it.' });
}
