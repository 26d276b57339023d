import type { Delivery, Outbox } from '@waymark/contract/stores';
import type { SQL } from 'drizzle-orm';
import { asc, eq, lte, sql } from '../database/drizzle-orm.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import { type Drizzle, toDrizzle } from '../database/to-drizzle.ts';
import { outboxTable } from './tables.ts';

/** Limits of a `sqlOutbox`. */
export interface SqlOutboxOptions {
  /** Deliveries that may wait to be made, 1 or more; the oldest go first. Default: 10,000. */
  readonly keep?: number;
}

/**
 * Keeps deliveries in the database until they are made or given up. When a receiver stays away for longer than there is
 * room, the oldest go first.
 */
export function sqlOutbox(database: SqlDatabase, options: SqlOutboxOptions = {}): Outbox {
  const drizzle = toDrizzle(database);
  return {
    async add(delivery, atMs) {
      await drizzle.batch(addDelivery(drizzle, delivery, atMs, options));
    },
    async due(nowMs, limit) {
      const [rows] = await drizzle.batch([
        drizzle
          .select({ delivery: outboxTable.delivery, attempts: outboxTable.attempts })
          .from(outboxTable)
          .where(lte(outboxTable.dueMs, nowMs))
          .orderBy(asc(outboxTable.n))
          .limit(limit),
      ]);
      return rows.map(({ delivery, attempts }) => ({ ...delivery, attempts }));
    },
    async settle(id, result) {
      const row = eq(outboxTable.id, id);
      const settled =
        result.delivered || result.retryAtMs === null
          ? drizzle.delete(outboxTable).where(row)
          : drizzle
              .update(outboxTable)
              .set({ attempts: sql`attempts + 1`, dueMs: result.retryAtMs })
              .where(row);
      await drizzle.batch([settled]);
    },
  };
}

/**
 * The statements that add a delivery, for the commit it belongs to. `when` is asked right before.
 *
 * @internal
 */
export function addDelivery(
  drizzle: Drizzle,
  delivery: Delivery,
  dueMs: number,
  { keep = 10_000, when = sql`true` }: SqlOutboxOptions & { readonly when?: SQL },
) {
  const { id } = delivery;
  return [
    drizzle.run(sql`insert into ${outboxTable} (id, due_ms, delivery)
      select ${id}, ${dueMs}, ${JSON.stringify(delivery)} where ${when} on conflict (id) do nothing`),
    drizzle
      .delete(outboxTable)
      .where(
        sql`n = (select min(n) from ${outboxTable}) and (select count(*) from ${outboxTable}) > ${keep}`,
      ),
  ] as const;
}
