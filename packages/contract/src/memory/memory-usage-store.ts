import type { Spend } from '../models/spend.ts';
import type { SpendCell, SpendTotal, UsageStore } from '../stores/stores.ts';

/** How much a `memoryUsageStore` holds. */
export interface MemoryUsageOptions {
  /** Rows held, 1 or more; 10,000. */
  readonly keep?: number;
}

type Row = Parameters<UsageStore['append']>[0][number];

/**
 * Keeps the newest rows of the spend ledger in this process; older ones no longer count in the totals. A restart
 * forgets them. Totals come in the order of their keys.
 */
export function memoryUsageStore({ keep = 10_000 }: MemoryUsageOptions = {}): UsageStore {
  const rows: Row[] = [];
  return {
    async append(added) {
      for (const row of added) rows.push(row);
      if (rows.length > keep) rows.splice(0, rows.length - keep);
    },
    async totals(by, sinceMs = Number.NEGATIVE_INFINITY) {
      const totals = new Map<string, SpendTotal>();
      for (const row of rows) {
        if (row.atMs < sinceMs) continue;
        const key = keys[by](row);
        totals.set(key, sum(totals.get(key) ?? nothing(key), row));
      }
      return [...totals.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    },
    async cells({ bucket, sinceMs = Number.NEGATIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY, limit }) {
      const cells = new Map<string, SpendCell>();
      for (const row of rows) {
        if (row.atMs < sinceMs || row.atMs >= untilMs) continue;
        const place = { time: keys[bucket](row), caller: row.caller, model: keys.model(row) };
        const key = JSON.stringify(place);
        const { key: _, ...sums } = sum({ key, ...(cells.get(key) ?? nothing(key)) }, row);
        cells.set(key, { ...place, ...sums });
      }
      return [...cells.values()].sort(inOrder).slice(0, limit);
    },
  };
}

function inOrder(a: SpendCell, b: SpendCell): number {
  if (a.time !== b.time) return a.time > b.time ? -1 : 1;
  if (a.caller !== b.caller) return a.caller < b.caller ? -1 : 1;
  return a.model < b.model ? -1 : 1;
}

/** Hours and days are of UTC: `2026-03-01T14:00:00Z`, `2026-03-01`. */
const keys: Readonly<Record<Parameters<UsageStore['totals']>[0], (row: Row) => string>> = {
  caller: ({ caller }) => caller,
  // Two providers may sell models of one name at different prices, or at none.
  model: ({ provider, model }) => `${provider}/${model}`,
  hour: ({ atMs }) => `${new Date(atMs).toISOString().slice(0, 13)}:00:00Z`,
  day: ({ atMs }) => new Date(atMs).toISOString().slice(0, 10),
};

function nothing(key: string): SpendTotal {
  return {
    key,
    calls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    costMicros: 0,
  };
}

function sum(total: SpendTotal, row: Spend): SpendTotal {
  return {
    key: total.key,
    calls: total.calls + 1,
    inputTokens: total.inputTokens + row.inputTokens,
    outputTokens: total.outputTokens + row.outputTokens,
    cacheReadTokens: total.cacheReadTokens + row.cacheReadTokens,
    cacheWriteTokens: total.cacheWriteTokens + row.cacheWriteTokens,
    // One use without a price makes the sum unknown; it must not look cheap.
    costMicros:
      total.costMicros === null || row.costMicros === null ? null : total.costMicros + row.costMicros,
  };
}
