import type { SessionAppend, SessionTurn } from '@waymark/contract/runs';
import type { Fence } from '@waymark/contract/stores';
import type { Statement } from '../database/sql-transaction.ts';
import { nowMs } from './run-sql.ts';
import { encodeValue, toPieces } from './stored-value.ts';

/** Limits of the conversations that are kept. */
export interface SqlSessionOptions {
  /** Conversations kept, 1 or more; a new one beyond that is refused. Default: 1,000. */
  readonly capacity?: number;
  /**
   * Those of one principal, 1 or more: the one not used for longest makes room for a new one, and none that a run holds.
   * Default: 100, or `capacity` if that is less.
   */
  readonly perCaller?: number;
  /** Milliseconds that a conversation is kept after its last turn; default: 3,600,000 (1 hour). */
  readonly ttlMs?: number;
  /**
   * Bytes of what was said in one conversation, as it is stored, 1 or more: one that has them takes no turn any more unless
   * that begins anew, since each turn reads and sends all of it. Default: 16,777,216 (16 MiB).
   */
  readonly maxBytes?: number;
}

/** The same with every default. */
export type SessionLimits = Required<SqlSessionOptions>;

/** Fills in what was left out. */
export function toSessionLimits({
  capacity = 1_000,
  perCaller = 100,
  ttlMs = 3_600_000,
  maxBytes = 16_777_216,
}: SqlSessionOptions = {}): SessionLimits {
  return { capacity, perCaller: Math.min(perCaller, capacity), ttlMs, maxBytes };
}

/** Sessions given up by one turn for each reason; each turn adds one at most. */
const evictedAtOnce = 10;

/** Whether nobody holds a free session at the moment: not yet there, or between turns. */
export const isFree =
  'not exists (select 1 from svc__session where key = :session and holder_run is not null)';

/** Whether a session is held, or was used within its time. */
export const isCurrent = `(holder_run is not null or touched_ms + :ttlMs > ${nowMs})`;

const own = '(select count(*) from svc__session where owner = :principalRoot)';

const oldestOfOwn =
  '(select min(touched_ms) from svc__session where owner = :principalRoot and holder_run is null)';

/** Those whose time is over are free room, deleted or not. */
const kept = `(select count(*) from svc__session)
  - (select count(*) from svc__session where holder_run is null and touched_ms <= ${nowMs} - :ttlMs)`;

const isKnown = `exists (select 1 from svc__session where key = :session and ${isCurrent})`;

/** Runs hold all that one principal may have. */
const isFullOfOwn = `(${own} >= :perCaller and ${oldestOfOwn} is null)`;

/** There is no room at all, and none that the principal makes by giving up one of its own. */
const isFull = `(${kept} >= :capacity
  and (${own} < :perCaller or coalesce(${oldestOfOwn}, 0) + :ttlMs <= ${nowMs}))`;

const said = `from svc__session s join svc__session_message m on m.session = s.id and m.n between s.from_n and s.upto_n`;

const bytesSaid = `coalesce((select sum(octet_length(m.message)) ${said} where s.key = :session and ${isCurrent}), 0)
  + coalesce((select sum(octet_length(b.bytes)) ${said}
      join svc__blob b on b.holder = 'session:' || m.session || ':' || m.n where s.key = :session and ${isCurrent}), 0)`;

/** All that one conversation may hold was said in it, and the turn does not begin anew. */
const isSaidAll = `(not :reset and ${bytesSaid} >= :maxBytes)`;

/** Whether there is room for the session of a root: it is there already and may go on, or may be. */
export const hasRoom = `((${isKnown} or not (${isFullOfOwn} or ${isFull})) and not ${isSaidAll})`;

/** Which limit leaves no room for a session, if one does. */
export const fullSessions = `case when ${isSaidAll} then 'session' when ${isKnown} then null when ${isFullOfOwn} then 'own_sessions'
  when ${isFull} then 'sessions' end`;

/** A turn takes its session, right behind the row of its root. What was said is over after a while, and with `reset`. */
export function takeSession(
  rootId: string,
  owner: string,
  { key, reset }: SessionTurn,
  { perCaller, ttlMs }: SessionLimits,
): readonly Statement[] {
  return [
    { sql: holdSession, args: { key, run: rootId, owner, reset, ttlMs } },
    { sql: dropOldMessages, args: { run: rootId, key } },
    { sql: evictOld, args: { ttlMs, count: evictedAtOnce } },
    { sql: evictSurplus, args: { owner, perCaller, count: evictedAtOnce } },
  ];
}

const holdSession = `insert into svc__session (key, owner, holder_run, from_n, upto_n, touched_ms)
  select :key, :owner, :run, 1, 0, ${nowMs} where changes() > 0
  on conflict (key) do update set owner = excluded.owner, holder_run = excluded.holder_run,
    touched_ms = excluded.touched_ms,
    from_n = iif(:reset or touched_ms + :ttlMs <= excluded.touched_ms, upto_n + 1, from_n)`;

/** Nobody reads them: the runs before have ended, and this one begins behind them. */
const dropOldMessages = `delete from svc__session_message
  where session = (select id from svc__session where key = :key and holder_run = :run)
    and n < (select from_n from svc__session where key = :key)`;

const evictOld = `delete from svc__session where id in (select id from svc__session
  where holder_run is null and touched_ms <= ${nowMs} - :ttlMs order by touched_ms limit :count)`;

const evictSurplus = `delete from svc__session where id in (select id from svc__session
  where owner = :owner and holder_run is null order by touched_ms
  limit max(0, min(:count, (select count(*) from svc__session where owner = :owner) - :perCaller)))`;

/** Appends to the session that a run holds, while it still owns itself. */
export function appendMessages({ rootId, epoch }: Fence, append: SessionAppend): readonly Statement[] {
  const run = { run: rootId, epoch };
  const { messages, replaces = false } = append;
  return [
    ...messages.flatMap((message, i) => {
      const { text, blobs } = encodeValue(message);
      return [
        { sql: insertMessage, args: { ...run, at: i + 1, text } },
        ...blobs.flatMap(toPieces).map(({ hash, bytes }) => ({
          sql: insertMessageBlob,
          args: { ...run, at: i + 1, hash, bytes },
        })),
      ];
    }),
    { sql: moveSession, args: { ...run, count: messages.length, replaces } },
    ...(replaces ? [{ sql: dropCompacted, args: run }] : []),
  ];
}

/** The session that a run holds. */
const held = `from svc__session s join svc__run r on s.key = r.session and s.holder_run = r.id
  where r.id = :run and r.epoch = :epoch and r.status = 'running'`;

const insertMessage = `insert into svc__session_message (session, n, message) select s.id, s.upto_n + :at, :text ${held}`;

const insertMessageBlob = `insert into svc__blob (holder, hash, bytes)
  select 'session:' || s.id || ':' || (s.upto_n + :at), :hash, :bytes ${held} on conflict do nothing`;

const moveSession = `update svc__session set upto_n = upto_n + :count, from_n = iif(:replaces, upto_n + 1, from_n)
  where id = (select s.id ${held})`;

/** Only the run that ends could still read what stands before its summary. */
const dropCompacted = `delete from svc__session_message where session = (select s.id ${held})
  and n < (select s.from_n ${held})`;

/** Lets go of the session of a root that ends; nothing where it has none. */
export function releaseSession(condition: string): string {
  return `update svc__session set holder_run = null, touched_ms = ${nowMs}
    where key = (select session from svc__run where id = :run) and holder_run = :run and ${condition}`;
}
