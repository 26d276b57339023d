import type { Fence, RunRecord } from '@waymark/contract/stores';
import type { Statement } from '../database/sql-transaction.ts';
import { takeNumbers } from './commit-ops.ts';
import { keepsTooMuch } from './kept/kept-bytes.ts';
import { insertRun } from './run-rows.ts';
import { nowMs, owned } from './run-sql.ts';
import { fullSessions, hasRoom, isFree, type SessionLimits, takeSession } from './session-turns.ts';
import { startOf } from './starts/order-of-starts.ts';
import { insertBlobs } from './stored-value.ts';

/** What a store keeps for one principal, and for all. */
export interface StartLimits {
  readonly sessions: SessionLimits;
  /** Of runs that do not run at the moment. */
  readonly keepBytesPerCaller: number;
}

/** Whether what is kept of a principal leaves room for another run. */
const keepsLess = `not ${keepsTooMuch}`;

const intoSession = `${isFree} and ${hasRoom} and ${keepsLess}`;

/**
 * The statements that start a root: its row where its session is free and there is room for both, and the session with it.
 */
export function startRoot(
  run: RunRecord,
  holder: string,
  leaseMs: number,
  { sessions, keepBytesPerCaller }: StartLimits,
): readonly Statement[] {
  const { session } = run.spec;
  const lease = { owner: ':holder', until: `${nowMs} + :leaseMs`, newest: startOf(':holder') };
  const args = { holder, leaseMs, keepBytesPerCaller, ...(session && { ...sessions, reset: session.reset }) };
  const { statement, values } = insertRun(run, session ? intoSession : keepsLess, args, lease);
  return [
    statement,
    ...(session ? takeSession(run.runId, run.principal.rootId, session, sessions) : []),
    ...insertBlobs(values, 'exists (select 1 from svc__run where id = :holder and owner = :owner)', {
      holder: run.runId,
      owner: holder,
    }),
  ];
}

/**
 * What stood in the way of a root: the run of the same idempotency key, the holder of its session, itself, or what there is
 * no room for.
 */
export function selectInTheWay(
  { runId, idempotencyKey, principal, call, spec }: RunRecord,
  { sessions, keepBytesPerCaller }: StartLimits,
): readonly Statement[] {
  const key = { key: idempotencyKey, principal: principal.rootId, route: call?.route ?? null };
  const session = spec.session?.key ?? null;
  const reset = spec.session?.reset ?? false;
  const limits = { session, reset, principalRoot: principal.rootId, keepBytesPerCaller, ...sessions };
  return [
    { sql: findRepeated, args: key },
    { sql: findHolder, args: [session] },
    { sql: 'select id from svc__run where id = ?', args: [runId] },
    { sql: findFull, args: limits },
  ];
}

const findFull = `select case when ${keepsTooMuch} then 'bytes' when :session is not null then ${fullSessions} end`;

const findRepeated = `select id from svc__run
  where idempotency_key = :key and principal_root = :principal and route = :route`;

const findHolder = 'select holder_run from svc__session where key = ?';

/** The statements that add a child, if the leg still owns its root; the first one answers the number. */
export function startChild(fence: Fence, run: RunRecord): readonly Statement[] {
  const owner = { root: fence.rootId, epoch: fence.epoch };
  const { statement, values } = insertRun(run, owned, owner);
  return [
    takeNumbers(fence, 1),
    statement,
    ...insertBlobs(values, owned, { holder: fence.rootId, ...owner }),
  ];
}
