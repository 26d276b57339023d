import type { EndedSessionPage, EndedSessionStore } from '@waymark/contract/principal';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { SqlResult } from '../database/sql-result.ts';
import type { SqlTransaction } from '../database/sql-transaction.ts';

/** Limits of `sqlEndedSessions`. */
export interface SqlEndedSessionsOptions {
  /** Sign-outs that are kept, 1 or more; default: 10,000. */
  readonly keep?: number;
}

/** Keeps the ends of sessions in the database. */
export function sqlEndedSessions(
  database: SqlDatabase,
  { keep = 10_000 }: SqlEndedSessionsOptions = {},
): EndedSessionStore {
  // Several go at once: to find out who has the most is to look at all of them.
  const atOnce = Math.ceil(keep / 100);
  return {
    async add({ id, holder, issuedAtMs, expiresAtMs }, nowMs) {
      const [, counted] = await database.write([
        { sql: insert, args: { id, holder, issued: issuedAtMs, expires: expiresAtMs } },
        { sql: count },
      ]);
      if (firstOf(counted) <= keep) return;
      await database.transaction(async (transaction) => {
        // Only now: where the clock was set ahead, and is set back, they are good again.
        await transaction.run(deleteExpired, { now: nowMs });
        while (firstOf(await transaction.run(count)) > keep) await mergeOldest(transaction, atOnce);
      });
    },
    async following(n, limit) {
      const [newest, found] = await database.read([
        { sql: selectNewest },
        { sql: selectFollowing, args: { n, limit } },
      ]);
      return { ended: (found?.rows ?? []).map(toEnded), newest: firstOf(newest) };
    },
  };
}

/** The oldest sessions of the holder with the most become one line; where each has one, those of all do. */
async function mergeOldest(transaction: SqlTransaction, atOnce: number): Promise<void> {
  const largest = await transaction.run(selectLargest);
  const [holder, has] = largest.rows[0] ?? [];
  const isOne = Number(has) > 1;
  const merged = { holder: isOne ? String(holder) : everybody, all: isOne ? 0 : 1, limit: atOnce + 1 };
  await transaction.run(insertMerged, merged);
  await transaction.run(deleteMerged, { holder: merged.holder, all: merged.all });
}

/** As the holder of a line that stands for the sessions of all. */
const everybody = '';

/** The longest that a session of a browser lasts, milliseconds (decision 12.1). */
export const longestSessionMs = 12 * 60 * 60_000;

/** Ends whatever was issued up to the first value, be it known or not; the second is when all of that has expired. */
export const signOutAll = `insert into svc__ended_session (id, holder, issued_ms, expires_ms)
  values ('', '${everybody}', ?, ?)`;

type Row = SqlResult['rows'][number];

function firstOf(result: SqlResult | undefined): number {
  return Number(result?.rows[0]?.[0] ?? 0);
}

function toEnded([n, id, holder, issuedAtMs, expiresAtMs]: Row): EndedSessionPage['ended'][number] {
  return {
    n: Number(n),
    session: {
      ...{ id: String(id), holder: String(holder) },
      ...{ issuedAtMs: Number(issuedAtMs), expiresAtMs: Number(expiresAtMs) },
    },
  };
}

const insert = `insert into svc__ended_session (id, holder, issued_ms, expires_ms)
  values (:id, :holder, :issued, :expires) on conflict (id) where id <> '' do nothing`;

const count = 'select count(*) from svc__ended_session';

/** The last number stays: the next one is behind it. */
const deleteExpired = `delete from svc__ended_session
  where expires_ms <= :now and n < (select max(n) from svc__ended_session)`;

const selectNewest = 'select max(n) from svc__ended_session';

const selectFollowing = `select n, id, holder, issued_ms, expires_ms from svc__ended_session
  where n > :n order by n limit :limit`;

const selectLargest = `select holder, count(*) as has from svc__ended_session
  where holder <> '' group by holder order by has desc limit 1`;

/** Of a number behind all others, so that whoever follows them hears of it. */
const insertMerged = `insert into svc__ended_session (id, holder, issued_ms, expires_ms)
  select '', :holder, max(issued_ms), max(expires_ms) from (
    select issued_ms, expires_ms from svc__ended_session where holder = :holder or :all order by issued_ms limit :limit)`;

/** Whatever the line says already. */
const deleteMerged = `delete from svc__ended_session
  where (holder = :holder or :all) and n < (select max(n) from svc__ended_session)
    and issued_ms <= (select issued_ms from svc__ended_session order by n desc limit 1)`;
