import type { SpendCell } from '../../client/control.ts';

/** How far back is looked. */
export const ranges = ['day', 'week', 'month', 'all'] as const;
export type Range = (typeof ranges)[number];

/** What the spans, and the rows of the table, are made of. */
export const groupings = ['model', 'caller', 'time'] as const;
export type Grouping = (typeof groupings)[number];

/** What is drawn. */
export type Measure = 'cost' | 'tokens';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const lengths: Readonly<Record<Range, number>> = {
  ...{ day: dayMs, week: 7 * dayMs, month: 30 * dayMs, all: Number.POSITIVE_INFINITY },
};
/** Callers or models with a colour of their own; the rest is one. */
export const mostDrawn = 6;
/** Spans without a gap that a chart has room for. */
const mostSpans = 400;

/** The question that a range is for the ledger. A day is told by hours. */
export function toQuestion(
  range: Range,
  nowMs: number,
): { readonly bucket: 'hour' | 'day'; readonly since_ms?: number } {
  const bucket = range === 'day' ? 'hour' : 'day';
  const length = lengths[range];
  if (!Number.isFinite(length)) return { bucket };
  const unit = bucket === 'hour' ? hourMs : dayMs;
  // The span that has begun counts as one.
  return { bucket, since_ms: (Math.floor(nowMs / unit) + 1) * unit - length };
}

/** What was spent by one caller, on one model or in one span of time. */
export interface SpendRow {
  readonly name: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Null as soon as one use has no price. */
  readonly costUsd: number | null;
}

const nothing: Omit<SpendRow, 'name'> = {
  calls: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  costUsd: 0,
};

/** Adds cells up; the dearest come first, of time the newest. */
export function groupBy(cells: readonly SpendCell[], grouping: Grouping): readonly SpendRow[] {
  const rows = new Map<string, SpendRow>();
  for (const cell of cells) {
    const name = cell[grouping];
    rows.set(name, plus(rows.get(name) ?? { name, ...nothing }, cell));
  }
  const all = [...rows.values()];
  return grouping === 'time'
    ? all.sort((a, b) => (a.name < b.name ? 1 : -1))
    : all.sort((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0) || tokensOf(b) - tokensOf(a));
}

/** All of it in one row. */
export function sumUp(cells: readonly SpendCell[]): SpendRow {
  return cells.reduce(plus, { name: '', ...nothing });
}

/** Tokens in and out. */
export function tokensOf({
  inputTokens,
  outputTokens,
}: Pick<SpendRow, 'inputTokens' | 'outputTokens'>): number {
  return inputTokens + outputTokens;
}

function plus(row: SpendRow, cell: SpendCell): SpendRow {
  return {
    name: row.name,
    calls: row.calls + cell.calls,
    inputTokens: row.inputTokens + cell.input_tokens,
    cachedTokens: row.cachedTokens + cell.cache_read_tokens,
    outputTokens: row.outputTokens + cell.output_tokens,
    costUsd: row.costUsd === null || cell.cost_usd === null ? null : row.costUsd + cell.cost_usd,
  };
}

/** Bars that stand on each other. */
export interface Stack {
  /** Epoch seconds, without a gap. */
  readonly times: readonly number[];
  /** The largest first. `tops` is where its bar ends: with all that are below it. */
  readonly parts: readonly {
    readonly name: string;
    readonly total: number;
    readonly tops: readonly number[];
  }[];
}

/** How the rest is called, of which none has a colour. */
export const others = 'others';

/** How what was spent is stacked. */
interface Stacking {
  readonly by: 'model' | 'caller';
  readonly measure: Measure;
  readonly bucket: 'hour' | 'day';
  /** Shown also where nothing was spent: from here on, epoch milliseconds. */
  readonly fromMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** Stacks what was spent, span by span. What has no price counts for nothing. */
export function toStack(
  cells: readonly SpendCell[],
  { by, measure, bucket, fromMs, untilMs }: Stacking,
): Stack {
  const step = bucket === 'hour' ? 3_600 : 86_400;
  const shown = [fromMs, untilMs].flatMap((ms) =>
    ms === undefined ? [] : [Math.floor(ms / 1_000 / step) * step],
  );
  const times = toTimes([...cells.map(({ time }) => toSecs(time)), ...shown], step);
  const at = new Map(times.map((time, i) => [time, i]));
  const totals = new Map<string, number>();
  for (const cell of cells) totals.set(cell[by], (totals.get(cell[by]) ?? 0) + amountOf(cell, measure));
  const largest = [...totals].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const drawn = largest.length > mostDrawn ? largest.slice(0, mostDrawn - 1) : largest;
  const names = drawn.length < largest.length ? [...drawn, others] : drawn;
  const values = new Map(names.map((name) => [name, times.map(() => 0)]));
  for (const cell of cells) {
    const row = values.get(drawn.includes(cell[by]) ? cell[by] : others);
    const i = at.get(toSecs(cell.time));
    if (row && i !== undefined) row[i] = (row[i] ?? 0) + amountOf(cell, measure);
  }
  const below = times.map(() => 0);
  const parts = names.map((name) => {
    const own = values.get(name) ?? [];
    const tops = own.map((value, i) => {
      below[i] = (below[i] ?? 0) + value;
      return below[i] ?? 0;
    });
    return { name, total: own.reduce((sum, value) => sum + value, 0), tops };
  });
  return { times, parts };
}

function amountOf(
  { cost_usd: usd, input_tokens: input, output_tokens: output }: SpendCell,
  measure: Measure,
): number {
  return measure === 'cost' ? (usd ?? 0) : input + output;
}

/** Every span from the first to the last one. */
function toTimes(some: readonly number[], step: number): readonly number[] {
  const known = [...new Set(some)].filter(Number.isFinite).sort((a, b) => a - b);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return [];
  if ((last - first) / step > mostSpans) return known;
  return Array.from({ length: Math.round((last - first) / step) + 1 }, (_, i) => first + i * step);
}

/** `2026-03-01T12:00:00Z`, or `2026-03-01`. */
function toSecs(time: string): number {
  return Date.parse(time) / 1_000;
}
