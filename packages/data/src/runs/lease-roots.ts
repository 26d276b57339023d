import { type Fence, type GivenBack, suspiciousAttempts } from '@waymark/contract/stores';
import type { Statement } from '../database/sql-transaction.ts';
import { countBegun } from './begun-calls.ts';
import { bytesOfTree } from './kept/kept-bytes.ts';
import { nowMs } from './run-sql.ts';
import { isNotLeft, newest } from './starts/order-of-starts.ts';
import { dueWaits } from './wait-rows.ts';

const root = 'parent_id is null';
const leaseOver = `status = 'running' and lease_until_ms <= ${nowMs} and ${isNotLeft} and not (owner = :holder
  and id in (select value from json_each(:running)))`;

/** A root that the service could not work on is left alone for so long, doubled each time. */
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/** A pause that seems to be longer is from before the clock was set back. */
const ready = `status = 'ready' and ${isNotLeft}
  and (not_before_ms <= ${nowMs} or not_before_ms > ${nowMs} + ${longestPauseMs})`;

/** No lease is this long: one that seems to be is from before the clock was set back. */
const longestLeaseMs = 15 * 60_000;
const leaseAhead = `${root} and status = 'running' and lease_until_ms > ${nowMs} + ${longestLeaseMs}`;

/** Who takes roots, and what it executes already. */
export interface Taker {
  readonly holder: string;
  /** A JSON array of ids. */
  readonly running: string;
}

/** What `attempts` will be once the root is taken. */
const attempts = `attempts + (status = 'running')`;

/** Roots that can be taken, and are no suspects: those a human waits for first, then those whose process died. */
export function findRoots(limit: number, { holder, running }: Taker): Statement {
  return { sql: selectRoots, args: { limit, holder, running } };
}

/** Answers whether roots can be taken or are held by others, whether approvals are over, and steps to be tried; of indexes alone. */
export function findDue(holder: string): Statement {
  return { sql: selectDueNow, args: { holder } };
}

/** A root whose lease is over has an owner: its process is asked about when it is another. */
const selectDueNow = `select
  exists (select 1 from svc__run where ${root} and ${ready})
    or exists (select 1 from svc__run where ${root} and status = 'running'
      and (owner <> :holder or lease_until_ms <= ${nowMs} or lease_until_ms > ${nowMs} + ${longestLeaseMs})),
  exists (select 1 from svc__approval indexed by svc__approval_expiry
    where status = 'pending' and expires_ms <= ${nowMs}),
  exists (select 1 ${dueWaits})`;

/** Answers a row if there are leases that no time will end soon. */
export const selectAhead = `select 1 from svc__run where ${leaseAhead} limit 1`;

/** Lets them end like others, unless their holders live and renew them. */
export function cutLeases(leaseMs: number): Statement {
  return { sql: updateCut, args: { leaseMs } };
}

const updateCut = `update svc__run set lease_until_ms = ${nowMs} + :leaseMs where ${leaseAhead}`;

const innocent = `${attempts} < ${suspiciousAttempts}`;

const selectRoots = `select id from (
    select id from svc__run where ${root} and ${ready} and ${innocent} order by id limit :limit)
  union all
  select id from (
    select id from svc__run where ${root} and ${leaseOver} and ${innocent} order by id limit :limit)
  limit :limit`;

/** The suspect that has ended the fewest processes. */
export function findSuspect({ holder, running }: Taker): Statement {
  return { sql: selectSuspect, args: { holder, running } };
}

const selectSuspect = `select id from svc__run
  where ${root} and (${ready} or ${leaseOver}) and ${attempts} >= ${suspiciousAttempts} order by ${attempts}, id limit 1`;

/**
 * Takes one root, if it can still be taken: answers id, epoch, wakes, attempts and retry_ord. Whoever had it says nothing more of the
 * calls that were under way.
 */
export function takeRoot(id: string, { holder, running }: Taker, leaseMs: number): readonly Statement[] {
  return [
    { sql: updateTaken, args: { id, holder, running, leaseMs } },
    ...countTaken.map((sql) => ({ sql, args: { run: id } })),
  ];
}

const countTaken = countBegun('changes() > 0');

/** On the right of each `=` is what was there before. */
const toTaken = `update svc__run set epoch = epoch + 1, owner = :holder, lease_until_ms = ${nowMs} + :leaseMs,
  attempts = attempts + (status = 'running'), status = 'running', newest = ${newest}`;

const taken = 'returning id, epoch, wakes, attempts, retry_ord';

const updateTaken = `${toTaken} where id = :id and ${root} and (${ready} or ${leaseOver}) ${taken}`;

/** Takes the root of an approval, right behind the statement that woke it. */
export function takeWoken(approvalId: string, holder: string, leaseMs: number): Statement {
  return { sql: updateWoken, args: { approvalId, holder, leaseMs } };
}

const updateWoken = `${toTaken}
  where id = (select root_id from svc__approval where id = :approvalId) and ${ready} and changes() > 0 ${taken}`;

/** Renews what a holder still owns and executes: answers the ids. */
export function renewRoots({ holder, running }: Taker, leaseMs: number): Statement {
  return { sql: updateRenewed, args: { holder, running, leaseMs } };
}

const updateRenewed = `update svc__run set lease_until_ms = ${nowMs} + :leaseMs
  where ${root} and status = 'running' and owner = :holder and id in (select value from json_each(:running))
  returning id`;

/** Parks a root if no decision came since its leg began; the second statement answers the decisions that have come. */
export function parkRoot({ rootId, epoch, wakes }: Fence): readonly Statement[] {
  return [
    { sql: updateParked, args: { root: rootId, epoch, wakes } },
    { sql: selectWakes, args: { root: rootId, epoch } },
  ];
}

const rests = `bytes = ${bytesOfTree(':root')}`;

const updateParked = `update svc__run set status = 'waiting', ${rests}, owner = null, lease_until_ms = null
  where id = :root and epoch = :epoch and status = 'running' and wakes = :wakes`;

const selectWakes = `select wakes from svc__run where id = :root and epoch = :epoch and status = 'running'`;

/** Gives a root back as it is. @param why disturbed: to be taken after a pause only; attempted: it may have ended its process */
export function releaseRoot({ rootId, epoch }: Fence, why?: GivenBack): Statement {
  const sql = why ? updateGivenBack[why] : updateReleased;
  return { sql, args: { root: rootId, epoch } };
}

const nextPauseMs = `min(max(2 * pause_ms, ${firstPauseMs}), ${longestPauseMs})`;

const released = `update svc__run set status = 'ready', ${rests}, owner = null, lease_until_ms = null`;
const ofHolder = `where id = :root and epoch = :epoch and status = 'running'`;

const updateReleased = `${released} ${ofHolder}`;

const updateGivenBack: Readonly<Record<GivenBack, string>> = {
  disturbed: `${released}, pause_ms = ${nextPauseMs}, not_before_ms = ${nowMs} + ${nextPauseMs} ${ofHolder}`,
  attempted: `${released}, attempts = attempts + 1 ${ofHolder}`,
};

/** Who holds roots. */
export const selectHolders: Statement = {
  sql: `select distinct owner from svc__run where ${root} and status = 'running' and owner is not null`,
};

/** Ends all leases of a holder. */
export function endLeasesOf(holder: string): Statement {
  return { sql: updateEnded, args: [holder] };
}

const updateEnded = `update svc__run set lease_until_ms = 0 where ${root} and status = 'running' and owner = ?`;
