import type { Approval, OpRecord, OpSpend, RunRecord, RunStore, Spend, Values } from '@waymark/contract';
import { type SqlResult, toRecords } from '../database/sql-result.ts';
import type { Statement } from '../database/sql-transaction.ts';
import { approvalColumns, toApproval } from './approval-rows.ts';
import { runColumns, toRun } from './run-rows.ts';
import { isWithin } from './run-sql.ts';
import { type Blobs, decodeValue, toBlobs } from './stored-value.ts';

/** The statements that read a tree, all of it in one state of the database. */
export function selectTree(rootId: string): readonly Statement[] {
  const args = { run: rootId };
  return [
    { sql: selectRuns, args },
    { sql: selectOps, args },
    { sql: selectApprovals, args },
    { sql: selectBlobs, args },
  ];
}

const selectRuns = `select ${runColumns} from svc__run where ${isWithin('id')} order by depth, n`;

const selectOps = `select run_id, seq, kind, name, fp, state, ord, tree_tokens, started_ms, ended_ms, spend, input, value
  from svc__op where ${isWithin('run_id')} order by run_id, seq`;

const selectApprovals = `select ${approvalColumns} from svc__approval where ${isWithin('run_id')}
  order by run_id, seq, count`;

const selectBlobs = 'select hash, bytes from svc__blob where holder = :run';

/** What `selectTree` gave. */
export function toTree([runs, ops, approvals, blobRows]: readonly SqlResult[]): Awaited<
  ReturnType<RunStore['load']>
> {
  const blobs = toBlobs(blobRows?.rows);
  const opRows = recordsOf(ops);
  return {
    runs: recordsOf(runs).map((row) => toRun(row, blobs)),
    ops: opRows.map((row) => toOp(row, blobs)),
    approvals: recordsOf(approvals).map((row) => toApproval(row, blobs)),
    spend: opRows.flatMap(toSpend),
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
export function selectRoots({ status, after, limit }: Parameters<RunStore['list']>[0]): Statement {
  return {
    sql: `select ${runColumns} from svc__run where parent_id is null
      ${status === undefined ? '' : 'and status = :status'} ${after === undefined ? '' : 'and id < :after'}
      order by id desc limit :limit`,
    args: { ...(status && { status }), ...(after !== undefined && { after }), limit },
  };
}

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
export function toRoots([roots]: readonly SqlResult[]): readonly RunRecord[] {
  return recordsOf(roots).map((row) => toRun(row, noBlobs));
}

/** What `selectSome` gave; large arguments are told by type and size. */
export function toApprovals([approvals]: readonly SqlResult[]): readonly Approval[] {
  return recordsOf(approvals).map((row) => toApproval(row, noBlobs));
}

const noBlobs: Blobs = new Map();

function recordsOf(result: SqlResult | undefined): readonly Values[] {
  return result ? toRecords(result) : [];
}

function toOp(row: Values, blobs: Blobs): OpRecord {
  // The columns are what `commitOps` wrote.
  const one = row as unknown as OpRow;
  return {
    runId: one.run_id,
    seq: one.seq,
    kind: one.kind,
    name: one.name,
    input: decodeValue(one.input, blobs),
    fingerprint: one.fp,
    state: one.state,
    value: decodeValue(one.value, blobs),
    ord: one.ord,
    treeTokens: one.tree_tokens,
    startedMs: one.started_ms,
    endedMs: one.ended_ms,
  };
}

function toSpend(row: Values): readonly OpSpend[] {
  const { run_id: runId, seq, spend } = row as unknown as OpRow;
  const rows: readonly Spend[] = spend === null ? [] : JSON.parse(spend);
  return rows.map((one) => ({ ...one, runId, seq }));
}

interface OpRow {
  readonly run_id: string;
  readonly seq: number;
  readonly kind: OpRecord['kind'];
  readonly name: string;
  readonly fp: string;
  readonly state: OpRecord['state'];
  readonly ord: number | null;
  readonly tree_tokens: number;
  readonly started_ms: number;
  readonly ended_ms: number | null;
  readonly spend: string | null;
  readonly input: string;
  readonly value: string;
}
