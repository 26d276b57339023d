import { type Route, type Static, Type, toRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { SpendTotal, UsageStore } from '@waymark/contract/stores';

/** Hours of a year would be thousands of rows. */
const defaultBucket = 'day';

/**
 * Adds up the spend ledger: in total, by caller, by model and by time.
 *
 * @param store asked at each request; may throw what the caller is to read
 */
export function usageRoute(store: () => UsageStore): Route {
  const answer = async ({ input }: EngineContext): Promise<UsageAnswer> => {
    const { since_ms, bucket = defaultBucket } = input as UsageQuery;
    const ledger = store();
    // Asked together, so that a use that is written meanwhile is in all of them or in none.
    const [byCaller, byModel, byTime] = await Promise.all([
      ledger.totals('caller', since_ms),
      ledger.totals('model', since_ms),
      ledger.totals(bucket, since_ms),
    ]);
    const totals = toRow(byModel.reduce(add, nothing));
    return {
      since_ms: since_ms ?? null,
      bucket,
      totals,
      total_tokens: totals.input_tokens + totals.output_tokens,
      by_caller: toRows(byCaller),
      by_model: toRows(byModel),
      by_time: toRows(byTime),
      estimated_cost_usd: totals.cost_usd,
      priced_cost_usd: toUsd(byModel.reduce((sum, { costMicros }) => sum + (costMicros ?? 0), 0)),
      unpriced_models: byModel.filter(({ costMicros }) => costMicros === null).map(({ key }) => key),
    };
  };
  return toRoute(
    'GET',
    '/usage',
    { kind: 'control', answer },
    {
      plane: 'control',
      placement: 'owner',
      summary: 'Adds up what was spent on models.',
      input: usageQuery,
      // A misspelt filter would add up everything.
      strictQuery: true,
      output: usageAnswer,
      facts: { client: 'usage' },
    },
  );
}

type Sums = Omit<SpendTotal, 'key'>;

const nothing: Sums = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costMicros: 0,
};

function add(sum: Sums, one: Sums): Sums {
  return {
    calls: sum.calls + one.calls,
    inputTokens: sum.inputTokens + one.inputTokens,
    outputTokens: sum.outputTokens + one.outputTokens,
    cacheReadTokens: sum.cacheReadTokens + one.cacheReadTokens,
    cacheWriteTokens: sum.cacheWriteTokens + one.cacheWriteTokens,
    // One part without a price makes the sum unknown; it must not look cheap.
    costMicros: sum.costMicros === null || one.costMicros === null ? null : sum.costMicros + one.costMicros,
  };
}

function toRows(totals: readonly SpendTotal[]): Record<string, UsageRow> {
  return Object.fromEntries(totals.map((total) => [total.key, toRow(total)]));
}

function toRow(sums: Sums): UsageRow {
  return {
    calls: sums.calls,
    input_tokens: sums.inputTokens,
    output_tokens: sums.outputTokens,
    cache_read_tokens: sums.cacheReadTokens,
    cache_write_tokens: sums.cacheWriteTokens,
    cost_usd: sums.costMicros === null ? null : toUsd(sums.costMicros),
  };
}

function toUsd(micros: number): number {
  return micros / 1_000_000;
}

/** What the dispatcher has validated against `usageQuery`. */
interface UsageQuery {
  readonly since_ms?: number;
  readonly bucket?: 'hour' | 'day';
}

const usageQuery = {
  since_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Only what was spent at this time or later, epoch milliseconds.',
    }),
  ),
  bucket: Type.Union([Type.Literal('hour'), Type.Literal('day')], {
    default: defaultBucket,
    description: 'How long each span of `by_time` is, in UTC.',
  }),
};

const closed = { additionalProperties: false };
const count = Type.Integer({ minimum: 0 });
const usdOrNull = Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
  description: 'Null as soon as one use has no price.',
});

type UsageRow = Static<typeof usageRow>;

const usageRow = Type.Object(
  {
    calls: count,
    input_tokens: Type.Integer({ minimum: 0, description: 'All of the prompts, cached or not.' }),
    output_tokens: count,
    cache_read_tokens: count,
    cache_write_tokens: count,
    cost_usd: usdOrNull,
  },
  { ...closed, title: 'UsageRow' },
);

type UsageAnswer = Static<typeof usageAnswer>;

const usageAnswer = Type.Object(
  {
    since_ms: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
    bucket: Type.Union([Type.Literal('hour'), Type.Literal('day')]),
    totals: usageRow,
    total_tokens: Type.Integer({ minimum: 0, description: 'Input and output.' }),
    by_caller: Type.Record(Type.String(), usageRow),
    by_model: Type.Record(Type.String(), usageRow, { description: 'By `<provider>/<model>`.' }),
    by_time: Type.Record(Type.String(), usageRow, {
      description: 'By the beginning of the span: `2026-03-01T12:00:00Z` for hours, `2026-03-01` for days.',
    }),
    estimated_cost_usd: usdOrNull,
    priced_cost_usd: Type.Number({ minimum: 0, description: 'Of the models whose every use has a price.' }),
    unpriced_models: Type.Array(Type.String(), { description: 'Models with uses that have no price.' }),
  },
  closed,
);
