import type { Delivery, Fence, RunFinish } from '@waymark/contract/stores';
import type { Statement } from '../database/sql-transaction.ts';
import { countBegun } from './begun-calls.ts';
import { addNotices, type CommitLimits } from './commit-ops.ts';
import { cutCalls } from './cut-calls.ts';
import { bytesOfOne, bytesOfTree } from './kept/kept-bytes.ts';
import { isBelow, isWithin, live, nowMs, owned } from './run-sql.ts';
import { appendMessages, releaseSession } from './session-turns.ts';
import { encodeValue, insertBlobs } from './stored-value.ts';

/** How many deliveries may wait. */
type EndLimits = Pick<CommitLimits, 'keepDeliveries'>;

/** The statements that end a run. The last one answers the number, for a child the one before it. */
export function finishRun(fence: Fence, finish: RunFinish, limits: EndLimits): readonly Statement[] {
  return finish.runId === fence.rootId ? finishRoot(fence, finish, limits) : finishChild(fence, finish);
}

function finishRoot(fence: Fence, finish: RunFinish, { keepDeliveries }: EndLimits): readonly Statement[] {
  const { runId, status, output, error, session, alone, notices = [] } = finish;
  const run = { run: runId, root: runId, epoch: fence.epoch };
  const stored = encodeValue(output);
  const appends = session && status !== 'failed' && status !== 'cancelled';
  const end = { root: runId, epoch: fence.epoch, status, error: error && JSON.stringify(error) };
  return [
    ...addNotices(notices, owned, { root: runId, epoch: fence.epoch }, keepDeliveries),
    ...(appends ? appendMessages(fence, session) : []),
    // What failed can be retried, from all that it had.
    ...(alone ? [] : endTree(owned, run)),
    ...(status === 'failed' ? [] : [{ sql: deleteOwnedBlobs, args: run }]),
    // Behind that, or they would go with the others.
    ...insertBlobs([stored], owned, { holder: runId, root: runId, epoch: fence.epoch }),
    ...(alone ? [] : [{ sql: withdrawOwned, args: run }]),
    { sql: alone ? endAlone : endRoot, args: { ...end, output: stored.text }, rows: 'one' },
  ];
}

/** Right behind the withdrawal, which took numbers. */
const endRoot = endWith('changes() + 1', bytesOfTree(':root'));

/** Nothing was withdrawn, since nothing was asked. */
const endAlone = endWith('1', bytesOfOne(':root'));

function endWith(numbers: string, bytes: string): string {
  return `update svc__run set status = :status, output = :output, error = :error, ended_ms = ${nowMs},
      bytes = ${bytes} + octet_length(:output), owner = null, lease_until_ms = null, last_ord = last_ord + ${numbers}
    where id = :root and epoch = :epoch and status = 'running' returning last_ord`;
}

function finishChild({ rootId, epoch }: Fence, finish: RunFinish): readonly Statement[] {
  const { runId, status, output, error } = finish;
  const fence = { root: rootId, epoch };
  const run = { run: runId, ...fence };
  const stored = encodeValue(output);
  return [
    ...insertBlobs([stored], owned, { holder: rootId, ...fence }),
    { sql: cancelOwned, args: run },
    { sql: withdrawOwned, args: run },
    { sql: numberWithdrawn, args: fence, rows: 'one' },
    { sql: endChild, args: { ...run, status, output: stored.text, error: error && JSON.stringify(error) } },
  ];
}

const numberWithdrawn = `update svc__run set last_ord = last_ord + changes() + 1, attempts = 0
  where id = :root and epoch = :epoch and status = 'running' returning last_ord`;

const endChild = `update svc__run set status = :status, output = :output, error = :error, ended_ms = ${nowMs}
  where id = :run and root_id = :root and status = 'running' and ${owned}`;

/** The statements that cancel a root which has not ended; the last two answer whether it had, and how it stands. */
export function cancelRoot(
  rootId: string,
  notices: readonly Delivery[],
  { keepDeliveries }: EndLimits,
): readonly Statement[] {
  const args = { run: rootId };
  return [
    ...addNotices(notices, cancellable, args, keepDeliveries),
    ...endTree(cancellable, args),
    ...cutCalls(cancellable, args),
    { sql: deleteBlobs(cancellable), args },
    { sql: withdrawWithin(cancellable), args },
    { sql: endCancelled, args },
    { sql: 'select status from svc__run where id = :run and parent_id is null', args },
  ];
}

const cancellable = `exists (select 1 from svc__run where id = :run and parent_id is null and ${live})`;

const endCancelled = `update svc__run set status = 'cancelled', output = 'null', ended_ms = ${nowMs},
    bytes = ${bytesOfTree(':run')} + octet_length('null'), owner = null, lease_until_ms = null, last_ord = last_ord + changes() + 1
  where id = :run and parent_id is null and ${live} returning id`;

/** What ends with a root: nobody says what came of its calls, its session is free, its children are cancelled. */
function endTree(condition: string, args: Readonly<Record<string, string | number>>): readonly Statement[] {
  return [
    { sql: releaseSession(condition), args },
    { sql: cancelBelow(condition), args },
    ...countBegun(condition).map((sql) => ({ sql, args })),
  ];
}

function deleteBlobs(condition: string): string {
  return `delete from svc__blob where holder = :run and ${condition}`;
}

function cancelBelow(condition: string): string {
  return `update svc__run set status = 'cancelled', ended_ms = ${nowMs}
    where ${isBelow('id')} and status = 'running' and ${condition}`;
}

/** Each gets a number of its own, from the next one of the root on. The sign keeps SQLite from looking at all that are pending. */
function withdrawWithin(condition: string): string {
  return `update svc__approval set status = 'withdrawn', decided_ms = ${nowMs},
      decided_ord = (select last_ord from svc__run where id = svc__approval.root_id) + i
    from (select id as open_id, row_number() over (order by id) as i from svc__approval
      where ${isWithin('run_id')} and +status = 'pending')
    where id = open_id and ${condition}`;
}

// Of what most runs end with, the text is put together once.
const deleteOwnedBlobs = deleteBlobs(owned);
const cancelOwned = cancelBelow(owned);
const withdrawOwned = withdrawWithin(owned);
