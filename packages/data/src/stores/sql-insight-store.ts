import type { InsightStore } from '@waymark/contract/stores';
import { desc, eq, sql } from '../database/drizzle-orm.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import { toDrizzle } from '../database/to-drizzle.ts';
import { addDelivery, type SqlOutboxOptions } from './sql-outbox.ts';
import { insightTable } from './tables.ts';

/** Limits of a `sqlInsightStore`. */
export interface SqlInsightOptions {
  /** Newest insights that are kept of each device, 1 or more; default: 32 (decision 9.1). */
  readonly keepPerDevice?: number;
  /** Options of the outbox that the deliveries go to. */
  readonly outbox?: SqlOutboxOptions;
}

/**
 * Keeps the newest insights of each device in the database; the oldest go first.
 *
 * An insight counts as published already while one with its run id and status is kept for the device: nothing is
 * delivered a second time. Insights without a run (an empty id) are always new. Deliveries go to the outbox of the
 * same database, in the commit of their insight, due at its time.
 */
export function sqlInsightStore(
  database: SqlDatabase,
  { keepPerDevice = 32, outbox = {} }: SqlInsightOptions = {},
): InsightStore {
  const drizzle = toDrizzle(database);
  return {
    async publish(insight, delivery) {
      const { device, run_id: runId, status, at_ms: atMs } = insight;
      await drizzle.batch([
        drizzle.insert(insightTable).values({ device, runId, status, insight }).onConflictDoNothing(),
        // `changes()` is 0 when the insight was known.
        ...(delivery ? addDelivery(drizzle, delivery, atMs, { ...outbox, when: sql`changes() > 0` }) : []),
        drizzle.delete(insightTable).where(
          sql`device = ${device} and n <= (select n from ${insightTable} where device = ${device}
            order by n desc limit 1 offset ${keepPerDevice})`,
        ),
      ]);
    },
    async recent(device, limit) {
      const [rows] = await drizzle.batch([
        drizzle
          .select({ insight: insightTable.insight })
          .from(insightTable)
          .where(eq(insightTable.device, device))
          .orderBy(desc(insightTable.n))
          .limit(limit),
      ]);
      return rows.map(({ insight }) => insight).reverse();
    },
  };
}
