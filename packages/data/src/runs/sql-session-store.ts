import type { SessionStore } from '@waymark/contract/stores';
import type { SqlDatabase } from '../database/sql-database.ts';
import { isCurrent, type SqlSessionOptions, toSessionLimits } from './session-turns.ts';
import { decodeValue, toBlobs } from './stored-value.ts';

/**
 * Makes the session store over a database: it reads the conversations that the `sqlRunStore` on the same database writes.
 * A session that a run holds, even while it waits, stays until that run has ended.
 *
 * @param options the same as those of the `sqlRunStore`
 */
export function sqlSessionStore(database: SqlDatabase, options: SqlSessionOptions = {}): SessionStore {
  const { ttlMs } = toSessionLimits(options);
  return {
    async load(key, range) {
      const args = { key, ttlMs, from: range?.fromN ?? null, upto: range?.uptoN ?? null };
      const [session, messages, blobRows] = await database.read([
        { sql: selectSession, args: { key, ttlMs } },
        { sql: selectMessages, args },
        { sql: selectBlobs, args },
      ]);
      const [fromN, uptoN] = session?.rows[0] ?? [];
      if (typeof fromN !== 'number' || typeof uptoN !== 'number') return undefined;
      const blobs = toBlobs(blobRows?.rows);
      return {
        fromN: range?.fromN ?? fromN,
        uptoN: range?.uptoN ?? uptoN,
        messages: messages?.rows.map(([message]) => decodeValue(String(message), blobs)) ?? [],
      };
    },
    async forget(key) {
      await database.write([{ sql: deleteSession, args: [key] }]);
    },
    async count() {
      const [counted] = await database.read([{ sql: countSessions, args: { ttlMs } }]);
      return Number(counted?.rows[0]?.[0]);
    },
  };
}

const selectSession = `select from_n, upto_n from svc__session where key = :key and ${isCurrent}`;

const inRange = `from svc__session s join svc__session_message m on m.session = s.id
    and m.n between coalesce(:from, s.from_n) and coalesce(:upto, s.upto_n)`;

const selectMessages = `select m.message ${inRange} where s.key = :key and ${isCurrent} order by m.n`;

const selectBlobs = `select b.hash, b.bytes ${inRange}
  join svc__blob b on b.holder = 'session:' || m.session || ':' || m.n where s.key = :key and ${isCurrent}`;

const deleteSession = 'delete from svc__session where key = ? and holder_run is null';

const countSessions = `select count(*) from svc__session where ${isCurrent}`;
