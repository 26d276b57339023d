import type { UsageStore } from '@waymark/contract/stores';
import type { SQL } from 'drizzle-orm';
import { and, gte, lt, sql } from '../database/drizzle-orm.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import { toDrizzle } from '../database/to-drizzle.ts';
import { spendTable } from './tables.ts';

/** Limits of a `sqlUsageStore`. */
export interface SqlUsageOptions {
  /** Newest rows that are kept, 1 or more; default: 100,000. */
  readonly keep?: number;
}

/**
 * Keeps the newest rows of the spend ledger in the database; older ones no longer count in the totals.
 */
export function sqlUsageStore(database: SqlDatabase, { keep = 100_000 }: SqlUsageOptions = {}): UsageStore {
  const drizzle = toDrizzle(database);
  return {
    async append(rows) {
      if (rows.length === 0) return;
      await drizzle.batch([
        drizzle.insert(spendTable).values([...rows]),
        // Numbers have no gaps: rows go at the low end only.
        drizzle.delete(spendTable).where(sql`n <= (select max(n) from ${spendTable}) - ${keep}`),
      ]);
    },
    async totals(by, sinceMs) {
      const [totals] = await drizzle.batch([
        drizzle
          .select({
            key: keys[by],
            ...sums(),
          })
          .from(spendTable)
          .where(sinceMs === undefined ? undefined : gte(spendTable.atMs, sinceMs))
          .groupBy(sql`1`)
          .orderBy(sql`1`),
      ]);
      return totals;
    },
    async cells({ bucket, sinceMs, untilMs, limit }) {
      const [cells] = await drizzle.batch([
        drizzle
          .select({ time: keys[bucket], caller: keys.caller, model: keys.model, ...sums() })
          .from(spendTable)
          .where(
            and(
              sinceMs === undefined ? undefined : gte(spendTable.atMs, sinceMs),
              untilMs === undefined ? undefined : lt(spendTable.atMs, untilMs),
            ),
          )
          .groupBy(sql`1, 2, 3`)
          .orderBy(sql`1 desc, 2, 3`)
          .limit(limit),
      ]);
      return cells;
    },
  };
}

function sums() {
  return {
    calls: sql<number>`count(*)`,
    inputTokens: sql<number>`sum(input_tokens)`,
    outputTokens: sql<number>`sum(output_tokens)`,
    cacheReadTokens: sql<number>`sum(cache_read_tokens)`,
    cacheWriteTokens: sql<number>`sum(cache_write_tokens)`,
    // One use without a price makes the sum unknown; it must not look cheap.
    costMicros: sql<number | null>`iif(count(*) = count(cost_micros), sum(cost_micros), null)`,
  };
}

/** Hours and days are of UTC: `2026-03-01T14:00:00Z`, `2026-03-01`. */
const keys: Readonly<Record<Parameters<UsageStore['totals']>[0], SQL<string>>> = {
  caller: sql<string>`caller`,
  model: sql<string>`provider || '/' || model`,
  hour: sql<string>`strftime('%Y-%m-%dT%H:00:00Z', at_ms / 1000, 'unixepoch')`,
  day: sql<string>`strftime('%Y-%m-%d', at_ms / 1000, 'unixepoch')`,
};
