import { type Reply, type Route, type RouteTable, reply, toRoute } from '@waymark/contract';
import type { EngineContext, Trouble } from '@waymark/contract/engine';
import type { EngineKind } from '@waymark/contract/route';
import { closedObject } from './closed-object.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';

/** Answers whether the service lives and is well, what is wrong with it, and counts what it serves. */
export function healthRoute(options: ControlPlaneOptions): Route {
  const { monotonic = () => performance.now() } = options;
  const startedMs = monotonic();
  const answer = async ({ input, table }: EngineContext): Promise<Reply> => {
    const gauges = await options.gauges();
    const troubles = options.troubles?.() ?? [];
    const status = options.draining() ? 'draining' : troubles.length > 0 ? 'degraded' : 'ok';
    const uptimeMs = Math.floor(monotonic() - startedMs);
    return reply(
      toStatusCode(status, input, troubles),
      toHealth(options, { status, troubles, uptimeMs, table, gauges }),
    );
  };
  return toRoute(
    'GET',
    '/health',
    { kind: 'control', answer },
    {
      plane: 'control',
      placement: 'owner',
      summary: 'Says whether the service lives and is well, and counts what it serves.',
      input: healthInput,
      output: { 200: healthOutput, 503: healthOutput },
      facts: { client: 'health' },
    },
  );
}

const statuses = ['ok', 'degraded', 'draining'] as const;

/**
 * A service that finishes its requests is alive, but wants no new ones. One that is in trouble still serves what it can:
 * only who asks whether it is ready is told to go elsewhere. Where that lies with somebody outside, elsewhere is no better.
 */
function toStatusCode(
  status: (typeof statuses)[number],
  input: EngineContext['input'],
  troubles: readonly Trouble[],
): 200 | 503 {
  const asks = (name: string): boolean => (input[name] ?? false) !== false;
  if (asks('live')) return 200;
  if (status === 'draining') return 503;
  return asks('ready') && troubles.some(({ outside }) => outside !== true) ? 503 : 200;
}

/** How the service is at the moment. */
interface Condition {
  readonly status: (typeof statuses)[number];
  readonly troubles: readonly Trouble[];
  readonly uptimeMs: number;
  readonly table: RouteTable;
  readonly gauges: Readonly<Record<string, number>>;
}

function toHealth(
  options: ControlPlaneOptions,
  { status, troubles, uptimeMs, table, gauges }: Condition,
): object {
  const { devices = 0, watchers = 0, sessions = 0, pending_approvals = 0, provider_waits = 0 } = gauges;
  const kinds = countKinds(table);
  const known = {
    status,
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
    troubles: troubles.map(({ code, message }) => ({ code, message })),
    event_loop_p99_ms: Math.round((options.eventLoopP99Ms?.() ?? 0) * 10) / 10,
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
  properties: {
    live: { enum: ['', true, false], description: 'Answer 200 as long as there is an answer.' },
    ready: {
      enum: ['', true, false],
      description: 'Answer 503 while degraded, too, unless only others fail whom the service asks.',
    },
  },
  additionalProperties: false,
} as const;

const count = { type: 'integer', minimum: 0 };

const knownMembers = closedObject({
  status: { enum: statuses },
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
  troubles: {
    type: 'array',
    items: closedObject({ code: { type: 'string' }, message: { type: 'string' } }),
    description: 'What is wrong with the service; empty when nothing is.',
  },
  event_loop_p99_ms: {
    type: 'number',
    minimum: 0,
    description: 'What comes waits so long for its turn, 99 times of 100, in the last ten seconds.',
  },
});

const healthOutput = {
  ...knownMembers,
  additionalProperties: { type: 'number', description: 'What a plugin counts, by its own name for it.' },
};
