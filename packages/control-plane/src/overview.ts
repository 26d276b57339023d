import { type Route, type Static, Type, toRoute } from '@waymark/contract';
import type { EngineContext, Host } from '@waymark/contract/engine';
import type { UsageStore } from '@waymark/contract/stores';
import type { ControlPlaneOptions, TrafficFacts } from './control-plane-options.ts';

const dayMs = 24 * 60 * 60_000;
const shortestWindowMs = 60_000;

/**
 * Counts what an operator looks at first: requests and runs of a while, what waits, and what was spent.
 *
 * @param host asked at each request; may throw what the caller is to read
 */
export function overviewRoute(options: ControlPlaneOptions, host: () => Host): Route {
  const answer = async ({ input }: EngineContext): Promise<Overview> => {
    // Validated by the schema below.
    const windowMs = Number(input['window_ms']);
    const { now, runner, stores } = host();
    const atMs = now();
    const [gauges, runs, today, spent] = await Promise.all([
      options.gauges(),
      runner?.countRuns(atMs - windowMs),
      spentSince(stores.usage, atMs - (atMs % dayMs)),
      spentSince(stores.usage, atMs - windowMs),
    ]);
    const traffic = options.traffic?.(windowMs);
    return {
      at_ms: atMs,
      window_ms: windowMs,
      requests: traffic ? toRequests(traffic) : null,
      runs: Object.fromEntries(
        runStatuses.map((status) => [status, runs?.get(status) ?? 0]),
      ) as Overview['runs'],
      waiting: {
        pending_approvals: gauges['pending_approvals'] ?? 0,
        provider_waits: gauges['provider_waits'] ?? 0,
      },
      spent_today: today,
      spent,
    };
  };
  return toRoute(
    'GET',
    '/overview',
    { kind: 'control', answer },
    {
      plane: 'control',
      placement: 'owner',
      summary: 'Counts requests, runs, what waits and what was spent.',
      input: {
        window_ms: Type.Integer({
          ...{ minimum: shortestWindowMs, maximum: dayMs, default: dayMs },
          description: 'The while up to now that is counted; of requests, in whole minutes.',
        }),
      },
      strictQuery: true,
      output: overview,
      facts: { client: 'overview' },
    },
  );
}

async function spentSince(ledger: UsageStore, sinceMs: number): Promise<Spent> {
  const totals = await ledger.totals('model', sinceMs);
  const isPriced = totals.every(({ costMicros }) => costMicros !== null);
  const sum = (of: (total: (typeof totals)[number]) => number): number =>
    totals.reduce((all, total) => all + of(total), 0);
  return {
    calls: sum(({ calls }) => calls),
    tokens: sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    cost_usd: isPriced ? sum(({ costMicros }) => costMicros ?? 0) / 1_000_000 : null,
  };
}

function toRequests(traffic: TrafficFacts): NonNullable<Overview['requests']> {
  return {
    count: traffic.requests,
    client_errors: traffic.clientErrors,
    server_errors: traffic.serverErrors,
    p50_ms: traffic.p50Ms,
    p95_ms: traffic.p95Ms,
    p99_ms: traffic.p99Ms,
  };
}

/** As they are stored: what waits, waits for a human or for a provider, which `waiting` tells apart. */
const runStatuses = [
  ...(['running', 'waiting', 'completed', 'halted', 'max_tokens', 'step_limit'] as const),
  ...(['budget_exhausted', 'failed', 'cancelled'] as const),
];

const closed = { additionalProperties: false };
const count = Type.Integer({ minimum: 0 });
const msOrNull = Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
  description: 'An upper bound, a quarter too high at most; null where nothing was measured.',
});

type Spent = Static<typeof spentMembers>;

const spentMembers = Type.Object(
  {
    calls: count,
    tokens: Type.Integer({ minimum: 0, description: 'Input and output.' }),
    cost_usd: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      description: 'Null as soon as one use has no price.',
    }),
  },
  { ...closed, title: 'Spent' },
);

type Overview = Static<typeof overview>;

const overview = Type.Object(
  {
    at_ms: Type.Integer({ minimum: 0, description: 'Epoch milliseconds.' }),
    window_ms: Type.Integer(),
    requests: Type.Union(
      [
        Type.Object(
          {
            ...{ count, client_errors: count, server_errors: count },
            ...{ p50_ms: msOrNull, p95_ms: msOrNull, p99_ms: msOrNull },
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'Answered by this process, since it began at most; none of the control plane.' },
    ),
    runs: Type.Object(Object.fromEntries(runStatuses.map((status) => [status, count])) as CountsByStatus, {
      ...closed,
      description: 'Roots that have not ended, and those that ended in that while.',
    }),
    waiting: Type.Object({ pending_approvals: count, provider_waits: count }, closed),
    spent_today: spentMembers,
    spent: spentMembers,
  },
  closed,
);

type CountsByStatus = Record<(typeof runStatuses)[number], typeof count>;
