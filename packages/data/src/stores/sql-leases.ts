import { clockSkewMs, type Leases } from '@waymark/contract/stores';
import type { SqlDatabase } from '../database/sql-database.ts';
import { nowMs as databaseNow } from '../runs/run-sql.ts';

/** Options of `sqlLeases`. */
export interface SqlLeasesOptions {
  /**
   * Whose clock says when a lease ends. `given`: that of whoever asks, as it says; for a file, which all of one machine share.
   * `database`: that of the server, whatever those who ask say; clocks of machines may be hours apart.
   */
  readonly clock?: 'given' | 'database';
}

/**
 * Leases and ceilings for all processes on one database. Both outlive a restart.
 *
 * Leases and uses whose time is over are deleted on the way, so the tables follow what is in use.
 */
export function sqlLeases(
  database: SqlDatabase,
  { clock = database.kind === 'remote' ? 'database' : 'given' }: SqlLeasesOptions = {},
): Leases {
  const sql = clock === 'given' ? byGiven : byDatabase;
  const at = (nowMs: number): { readonly now?: number } => (clock === 'given' ? { now: nowMs } : {});
  return {
    async acquire(key, holder, ttlMs, nowMs) {
      const [, , , acquired] = await database.write([
        { sql: sql.deleteEnded, args: at(nowMs) },
        { sql: sql.deleteAhead, args: { ...at(nowMs), key, holder, longest: ttlMs + clockSkewMs } },
        { sql: nextFence },
        { sql: sql.acquire, args: { ...at(nowMs), key, holder, ttl: ttlMs } },
      ]);
      const fence = acquired?.rows[0]?.[0];
      return typeof fence === 'number' ? { fence } : undefined;
    },
    async release(key, holder) {
      await database.write([{ sql: releaseLease, args: { key, holder } }]);
    },
    async take(key, limit, windowMs, nowMs) {
      const [, , taken] = await database.write([
        { sql: sql.deleteOldUses, args: at(nowMs) },
        { sql: sql.bringBack, args: { ...at(nowMs), key, window: windowMs, skew: clockSkewMs } },
        { sql: sql.take, args: { ...at(nowMs), key, limit, window: windowMs } },
      ]);
      return taken?.affected === 1;
    },
    async used(key, windowMs, nowMs) {
      const [counted] = await database.read([
        { sql: sql.count, args: { ...at(nowMs), key, window: windowMs } },
      ]);
      return Number(counted?.rows[0]?.[0] ?? 0);
    },
  };
}

/** The statements that ask for the time. @param now SQL that says it */
function timed(now: string) {
  const count = `select count(*) from svc__use where key = :key and at_ms > ${now} - :window`;
  return {
    deleteEnded: `delete from svc__lease where ends_ms <= ${now}`,
    /** Nobody can have been given it: the clock was set back since, and whoever is alive has renewed it. */
    deleteAhead: `delete from svc__lease where key = :key and holder <> :holder and ends_ms > ${now} + :longest`,
    /** What is left is held: only its holder renews it, under the fence it has. */
    acquire: `insert into svc__lease (key, holder, fence, ends_ms)
      values (:key, :holder, (select last from svc__fence), ${now} + :ttl)
      on conflict (key) do update set ends_ms = excluded.ends_ms where holder = excluded.holder
      returning fence`,
    deleteOldUses: `delete from svc__use where ends_ms <= ${now}`,
    /** Of before the clock was set back. They count as made now: none is given twice, and none counts for longer than its window. */
    bringBack: `update svc__use set at_ms = ${now}, ends_ms = ${now} + :window
      where key = :key and at_ms > ${now} + :skew`,
    count,
    take: `insert into svc__use (key, at_ms, ends_ms)
      select :key, ${now}, ${now} + :window where (${count}) < :limit`,
  };
}

const byGiven = timed(':now');
const byDatabase = timed(databaseNow);

const nextFence = 'update svc__fence set last = last + 1';

const releaseLease = 'delete from svc__lease where key = :key and holder = :holder';
