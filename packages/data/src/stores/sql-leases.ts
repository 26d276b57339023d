import { clockSkewMs, type Leases } from '@waymark/contract/stores';
import type { SqlDatabase } from '../database/sql-database.ts';

/**
 * Leases and ceilings for all processes on one database. Both outlive a restart.
 *
 * Leases and uses whose time is over are deleted on the way, so the tables follow what is in use.
 */
export function sqlLeases(database: SqlDatabase): Leases {
  return {
    async acquire(key, holder, ttlMs, nowMs) {
      const [, , , acquired] = await database.write([
        { sql: deleteEnded, args: { now: nowMs } },
        { sql: deleteAhead, args: { key, holder, latest: nowMs + ttlMs + clockSkewMs } },
        { sql: nextFence },
        { sql: acquireLease, args: { key, holder, ends: nowMs + ttlMs } },
      ]);
      const fence = acquired?.rows[0]?.[0];
      return typeof fence === 'number' ? { fence } : undefined;
    },
    async release(key, holder) {
      await database.write([{ sql: releaseLease, args: { key, holder } }]);
    },
    async take(key, limit, windowMs, nowMs) {
      const [, , taken] = await database.write([
        { sql: deleteOldUses, args: { now: nowMs } },
        { sql: bringBack, args: { key, now: nowMs, ends: nowMs + windowMs, latest: nowMs + clockSkewMs } },
        { sql: takeUse, args: { key, limit, now: nowMs, since: nowMs - windowMs, ends: nowMs + windowMs } },
      ]);
      return taken?.affected === 1;
    },
    async used(key, windowMs, nowMs) {
      const [counted] = await database.read([{ sql: countUses, args: { key, since: nowMs - windowMs } }]);
      return Number(counted?.rows[0]?.[0] ?? 0);
    },
  };
}

const deleteEnded = 'delete from svc__lease where ends_ms <= :now';

/** Nobody can have been given it: the clock was set back since, and whoever is alive has renewed it. */
const deleteAhead = 'delete from svc__lease where key = :key and holder <> :holder and ends_ms > :latest';

const nextFence = 'update svc__fence set last = last + 1';

/** What is left is held: only its holder renews it, under the fence it has. */
const acquireLease = `insert into svc__lease (key, holder, fence, ends_ms)
  values (:key, :holder, (select last from svc__fence), :ends)
  on conflict (key) do update set ends_ms = excluded.ends_ms where holder = excluded.holder
  returning fence`;

const releaseLease = 'delete from svc__lease where key = :key and holder = :holder';

const deleteOldUses = 'delete from svc__use where ends_ms <= :now';

/** Of before the clock was set back. They count as made now: none is given twice, and none counts for longer than its window. */
const bringBack = 'update svc__use set at_ms = :now, ends_ms = :ends where key = :key and at_ms > :latest';

const countUses = 'select count(*) from svc__use where key = :key and at_ms > :since';

const takeUse = `insert into svc__use (key, at_ms, ends_ms)
  select :key, :now, :ends where (${countUses}) < :limit`;
