import type { Spend } from '@waymark/contract/models';
import type { Approval, Delivery, Fence, OpCommit } from '@waymark/contract/stores';
import type { Statement } from '../database/sql-transaction.ts';
import { limitsOf } from '../stores/outbox-limits.ts';
import { trimAll, trimEndpoint } from '../stores/outbox-statements.ts';
import { joinedSpend } from './op-rows.ts';
import { nowMs, owned } from './run-sql.ts';
import { encodeValue, insertBlobs, type StoredValue } from './stored-value.ts';
import { writeWait } from './wait-rows.ts';

/** How much the tables hold that a commit adds to. */
export interface CommitLimits {
  /** Rows of the spend ledger; without it nothing is counted this time. */
  readonly keepSpend?: number;
  /** Deliveries that wait. */
  readonly keepDeliveries: number;
}

type Op = OpCommit['ops'][number];
type AskedApproval = NonNullable<OpCommit['approvals']>[number];

/**
 * The statements of a commit. The first one asks whether the leg still owns its root and answers the last number; none
 * of the others does anything when it does not.
 *
 * What SQL compares or counts has columns of its own; nothing here reads a row back.
 */
export function commitOps(fence: Fence, commit: OpCommit, limits: CommitLimits): readonly Statement[] {
  const { ops, spend = [], approvals = [], wait, notices = [] } = commit;
  const numbered = ops.filter(isSettled).length + approvals.length;
  const statements: Statement[] = [takeNumbers(fence, numbered)];
  const large: StoredValue[] = [];
  // How many numbers are given out after each one.
  let after = numbered;
  for (const [i, op] of ops.entries()) {
    const cost = i === ops.length - 1 && !wait ? spend : [];
    statements.push(writeOp(fence, op, isSettled(op) ? --after : null, cost, large));
    statements.push(...cost.map((one) => addSpend(fence, one)));
  }
  if (wait) statements.push(...writeWait(fence, wait, spend, (one) => addSpend(fence, one)));
  if (limits.keepSpend !== undefined) statements.push({ sql: trimSpend, args: { keep: limits.keepSpend } });
  for (const approval of approvals) statements.push(writeApproval(fence, approval, --after, large));
  const { rootId: root, epoch } = fence;
  statements.push(...addNotices(notices, owned, { root, epoch }, limits.keepDeliveries));
  statements.push(...insertBlobs(large, owned, { holder: root, root, epoch }));
  return statements;
}

function isSettled({ state }: Op): boolean {
  return state === 'done' || state === 'failed';
}

/** Takes numbers of the root, if the leg still owns it. */
export function takeNumbers({ rootId: root, epoch }: Fence, count: number): Statement {
  return { sql: updateNumbers, args: { root, epoch, count }, rows: 'one' };
}

const updateNumbers = `update svc__run set last_ord = last_ord + :count, attempts = 0, pause_ms = 0
  where id = :root and epoch = :epoch and status = 'running' returning last_ord`;

function writeOp(
  { rootId, epoch }: Fence,
  op: Op,
  after: number | null,
  spend: readonly Spend[],
  large: StoredValue[],
): Statement {
  const input = encodeValue(op.input);
  const value = encodeValue(op.value);
  large.push(input, value);
  return {
    sql: upsertOp,
    args: [
      rootId,
      epoch,
      op.runId,
      op.seq,
      op.kind,
      op.name,
      op.fingerprint,
      op.state,
      after,
      op.treeTokens,
      op.startedMs,
      op.endedMs,
      spend.length === 0 ? null : JSON.stringify(spend),
      input.text,
      value.text,
    ],
  };
}

/**
 * An op that is done or failed stays as it was. What tries before it cost stays with it, and it is no call under way any more.
 */
const upsertOp = `insert into svc__op
  (run_id, seq, kind, name, fp, state, ord, tree_tokens, started_ms, ended_ms, spend, input, value)
  select ?3, ?4, ?5, ?6, ?7, ?8, last_ord - ?9, ?10, ?11, ?12, ?13, ?14, ?15
  from svc__run where id = ?1 and epoch = ?2 and status = 'running'
  on conflict (run_id, seq) do update set kind = excluded.kind, name = excluded.name, fp = excluded.fp,
    input = excluded.input, begun = null, state = excluded.state, ord = excluded.ord, value = excluded.value,
    tree_tokens = excluded.tree_tokens, started_ms = excluded.started_ms, ended_ms = excluded.ended_ms,
    spend = ${joinedSpend('spend', 'excluded.spend')}
  where state in ('started', 'waiting')`;

function addSpend({ rootId }: Fence, spend: Spend): Statement {
  return { sql: insertSpend, args: { ...spend, root: rootId } };
}

/** Right behind its op, or the spend before it: what was not written costs nothing again. */
const insertSpend = `insert into svc__spend
  (at_ms, caller, model, provider, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros,
    estimated)
  select ${nowMs}, principal_root, :model, :provider, :inputTokens, :outputTokens, :cacheReadTokens,
    :cacheWriteTokens, :costMicros, :estimated
  from svc__run where id = :root and changes() > 0`;

const trimSpend = 'delete from svc__spend where n <= (select max(n) from svc__spend) - :keep';

function writeApproval(
  { rootId, epoch }: Fence,
  approval: AskedApproval,
  after: number,
  large: StoredValue[],
): Statement {
  const { approvalId, status, note, decidedBy } = approval;
  const fenced = { root: rootId, epoch, after, approvalId };
  if (status !== 'pending') return { sql: settleApproval, args: { ...fenced, status, note, decidedBy } };
  const asked = encodeValue(approval.arguments);
  large.push(asked);
  return { sql: insertApproval, args: { ...fenced, ...toArguments(approval), arguments: asked.text } };
}

function toArguments(approval: Omit<Approval, 'requestedOrd' | 'decidedOrd'>) {
  const { runId, seq, n, kind, agent, path, caller, tool, argumentsHash, reason, note } = approval;
  // How long it stays open; from when on is said by the database's clock.
  const openMs = approval.expiresMs - approval.requestedMs;
  return {
    ...{ runId, seq, n, kind, agent, caller, tool, argumentsHash, reason, note, openMs },
    path: JSON.stringify(path),
  };
}

const insertApproval = `insert into svc__approval
  (id, run_id, seq, count, root_id, status, kind, agent, path, caller, tool, args_hash, reason, note, requested_ord,
    requested_ms, expires_ms, arguments)
  select :approvalId, :runId, :seq, :n, :root, 'pending', :kind, :agent, :path, :caller, :tool, :argumentsHash,
    :reason, :note, last_ord - :after, ${nowMs}, ${nowMs} + :openMs, :arguments
  from svc__run where id = :root and epoch = :epoch and status = 'running'
  on conflict (id) do nothing`;

/** What a human decided meanwhile stands. */
const settleApproval = `update svc__approval set status = :status, note = :note, decided_by = :decidedBy,
    decided_ms = ${nowMs}, decided_ord = (select last_ord from svc__run where id = :root) - :after
  where id = :approvalId and root_id = :root and status = 'pending' and ${owned}`;

/** The statements that put deliveries into the outbox, where a condition holds. @param args those of the condition */
export function addNotices(
  notices: readonly Delivery[],
  condition: string,
  args: Readonly<Record<string, string | number>>,
  keep: number,
): readonly Statement[] {
  return notices.flatMap((notice) => {
    const { id, endpoint } = notice;
    const delivery = JSON.stringify(notice);
    return [
      { sql: insertNotice(condition), args: { ...args, id, endpoint, delivery } },
      { sql: trimEndpoint, args: { endpoint, keep: limitsOf({}).keepPerEndpoint } },
      { sql: trimAll, args: { keep } },
    ];
  });
}

function insertNotice(condition: string): string {
  return `insert into svc__outbox (id, endpoint, added_ms, since_ms, due_ms, delivery)
    select :id, :endpoint, ${nowMs}, ${nowMs}, ${nowMs}, :delivery where ${condition} on conflict (id) do nothing`;
}
