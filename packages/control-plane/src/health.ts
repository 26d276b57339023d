import { type Reply, type Route, type RouteTable, reply, toRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { EngineKind } from '@waymark/contract/route';
import { closedObject } from './closed-object.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';

/** Answers whether the service lives, and counts what it serves. */
export function healthRoute(options: ControlPlaneOptions): Route {
  const { monotonic = () => performance.now() } = options;
  const startedMs = monotonic();
  const answer = async ({ input, table }: EngineContext): Promise<Reply> => {
    const gauges = await options.gauges();
    const draining = options.draining();
    // A service that finishes its requests is alive, but wants no new ones.
    const status = draining && (input['live'] ?? false) === false ? 503 : 200;
    const uptimeMs = Math.floor(monotonic() - startedMs);
    return reply(status, toHealth(options, { draining, uptimeMs, table, gauges }));
  };
  return toRoute(
    'GET',
    '/health',
    { kind: 'control', answer },
    {
      plane: 'control',
      summary: 'Says whether the service lives, and counts what it serves.',
      input: healthInput,
      output: { 200: healthOutput, 503: healthOutput },
      facts: { client: 'health' },
    },
  );
}

/** How the service is at the moment. */
interface Condition {
  readonly draining: boolean;
  readonly uptimeMs: number;
  readonly table: RouteTable;
  readonly gauges: Readonly<Record<string, number>>;
}

function toHealth(options: ControlPlaneOptions, { draining, uptimeMs, table, gauges }: Condition): object {
  const { devices = 0, watchers = 0, sessions = 0, pending_approvals = 0, provider_waits = 0 } = gauges;
  const kinds = countKinds(table);
  const known = {
    status: draining ? 'draining' : 'ok',
    app: options.name,
    version: options.version,
    uptime_ms: uptimeMs,
    // As many as the route listing has rows: control routes and sockets included.
    routes: table.size,
    tools: table.tools().length,
    agents: kinds.get('agent') ?? 0,
    behaviours: kinds.get('behaviour') ?? 0,
    flows: kinds.get('flow') ?? 0,
    devices,
    watchers,
    sessions,
    pending_approvals,
    provider_waits,
  };
  // What a plugin counts under a name of its own comes after them, and changes none of them.
  const others = Object.entries(gauges).filter(([name]) => !Object.hasOwn(known, name));
  return { ...known, ...Object.fromEntries(others) };
}

/** Sockets do not count: an agent is one route for requests and one for upgrades. */
function countKinds(table: RouteTable): ReadonlyMap<EngineKind, number> {
  const counts = new Map<EngineKind, number>();
  for (const { socket, engine } of table)
    if (!socket) counts.set(engine.kind, (counts.get(engine.kind) ?? 0) + 1);
  return counts;
}

/** Written out, because `?live` comes without a value and means yes, and an application may refuse undeclared names. */
const healthInput = {
  type: 'object',
  properties: { live: { enum: ['', true, false], description: 'Answer 200 while draining too.' } },
  additionalProperties: false,
} as const;

const count = { type: 'integer', minimum: 0 };

const knownMembers = closedObject({
  status: { enum: ['ok', 'draining'] },
  app: { type: 'string' },
  version: { type: 'string' },
  uptime_ms: count,
  routes: count,
  tools: count,
  agents: count,
  behaviours: count,
  flows: count,
  devices: count,
  watchers: count,
  sessions: count,
  pending_approvals: count,
  provider_waits: count,
});

const healthOutput = {
  ...knownMembers,
  additionalProperties: { type: 'number', description: 'What a plugin counts, by its own name for it.' },
};
