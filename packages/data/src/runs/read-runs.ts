import type { Values } from '@waymark/contract';
import type { Approval, ListedRun, RunRecord, RunStore } from '@waymark/contract/stores';
import { type SqlResult, toRecords } from '../database/sql-result.ts';
import type { Statement } from '../database/sql-transaction.ts';
import { approvalColumns, toApproval } from './approval-rows.ts';
import { opColumns, toOp, toOpSpend } from './op-rows.ts';
import { runColumns, toRun } from './run-rows.ts';
import { isBelow, isWithin } from './run-sql.ts';
import { noBlobs, toBlobs } from './stored-value.ts';
import { selectWaits, toTimedWaits } from './wait-rows.ts';

/** The statements that read a tree, all of it in one state of the database. */
export function selectTree(rootId: string): readonly Statement[] {
  const args = { run: rootId };
  return [
    { sql: selectRuns, args },
    { sql: selectOps, args },
    { sql: selectApprovals, args },
    { sql: selectBlobs, args },
    { sql: selectWaits, args },
  ];
}

const selectRuns = `select ${runColumns} from svc__run where ${isWithin('id')} order by depth, n`;

const selectOps = `select ${opColumns} from svc__op where ${isWithin('run_id')} order by run_id, seq`;

const selectApprovals = `select ${approvalColumns} from svc__approval where ${isWithin('run_id')}
  order by run_id, seq, count`;

const selectBlobs = 'select hash, bytes from svc__blob where holder = :run';

/** What `selectTree` gave. */
export function toTree([runs, ops, approvals, blobRows, waits]: readonly SqlResult[]): Awaited<
  ReturnType<RunStore['load']>
> {
  const blobs = toBlobs(blobRows?.rows);
  const opRows = recordsOf(ops);
  return {
    runs: recordsOf(runs).map((row) => toRun(row, blobs)),
    ops: opRows.map((row) => toOp(row, blobs)),
    approvals: recordsOf(approvals).map((row) => toApproval(row, blobs)),
    spend: opRows.flatMap(toOpSpend),
    waits: toTimedWaits(waits),
  };
}

/** The statements that read one root with what of it is large. */
export function selectRun(id: string): readonly Statement[] {
  return [
    { sql: `select ${runColumns} from svc__run where id = :run`, args: { run: id } },
    { sql: selectBlobs, args: { run: id } },
  ];
}

/** What `selectRun` gave. */
export function toOneRun([runs, blobRows]: readonly SqlResult[]): RunRecord | undefined {
  const [row] = recordsOf(runs);
  return row && toRun(row, toBlobs(blobRows?.rows));
}

/** The statements that read one approval, with its arguments when they are large. */
export function selectApproval(id: string): readonly Statement[] {
  return [
    { sql: `select ${approvalColumns} from svc__approval where id = ?`, args: [id] },
    {
      sql: `select hash, bytes from svc__blob join svc__approval on holder = root_id
        where id = ? and substr(arguments, 1, 1) in ('@', '#') and instr(arguments, hash) > 0`,
      args: [id],
    },
  ];
}

/** What `selectApproval` gave. */
export function toOneApproval([approvals, blobRows]: readonly SqlResult[]): Approval | undefined {
  const [row] = recordsOf(approvals);
  return row && toApproval(row, toBlobs(blobRows?.rows));
}

/** Roots, newest first. */
export function selectRoots(filter: Parameters<RunStore['list']>[0]): Statement {
  const { statuses, waitsFor, after, limit } = filter;
  const conditions = [
    'parent_id is null',
    statuses && `status in (${statuses.map((_, n) => `:status${n}`).join(', ')})`,
    waitsFor && `${whatItWaitsFor} = :waitsFor`,
    after !== undefined && 'id < :after',
  ].filter(Boolean);
  return {
    sql: `select ${runColumns}, ${whatItWaitsFor} as waits_for from svc__run where ${conditions.join(' and ')}
      order by id desc limit :limit`,
    args: {
      ...Object.fromEntries((statuses ?? []).map((status, n) => [`status${n}`, status])),
      ...(waitsFor && { waitsFor }),
      ...(after !== undefined && { after }),
      limit,
    },
  };
}

/** What a root waits for, while it waits. */
export const whatItWaitsFor = `case when status <> 'waiting' then null
  when exists (select 1 from svc__approval a where ${isWithin('a.run_id', 'svc__run.id')} and +a.status = 'pending')
    then 'awaiting_approval'
  when exists (select 1 from svc__wait w where ${isBelow('w.id', 'svc__run.id')}) then 'waiting_provider'
  else 'awaiting_approval' end`;

/** Approvals, oldest first. */
export function selectSome({ status, after, limit }: Parameters<RunStore['approvals']>[0]): Statement {
  return {
    sql: `select ${approvalColumns} from svc__approval where true
      ${status === undefined ? '' : 'and status = :status'} ${after === undefined ? '' : 'and id > :after'}
      order by id limit :limit`,
    args: { ...(status && { status }), ...(after !== undefined && { after }), limit },
  };
}

/** What `selectRoots` gave; large values are told by type and size. */
export function toRoots([roots]: readonly SqlResult[]): readonly ListedRun[] {
  return recordsOf(roots).map((row) => ({
    ...toRun(row, noBlobs),
    // As `selectRoots` has it.
    waitsFor: row['waits_for'] as ListedRun['waitsFor'],
  }));
}

/** What `selectSome` gave; large arguments are told by type and size. */
export function toApprovals([approvals]: readonly SqlResult[]): readonly Approval[] {
  return recordsOf(approvals).map((row) => toApproval(row, noBlobs));
}

function recordsOf(result: SqlResult | undefined): readonly Values[] {
  return result ? toRecords(result) : [];
}
