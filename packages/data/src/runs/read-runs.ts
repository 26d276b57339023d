import type { Values } from '@waymark/contract';
import type {
  Approval,
  ListedRun,
  MovedApproval,
  RunRecord,
  RunStore,
  RunTotals,
} from '@waymark/contract/stores';
import { type SqlResult, toRecords } from '../database/sql-result.ts';
import type { Statement } from '../database/sql-transaction.ts';
import { approvalColumns, toApproval } from './approval-rows.ts';
import { opColumns, toOp, toOpSpend } from './op-rows.ts';
import { runColumns, toRun } from './run-rows.ts';
import { isBelow, isWithin, rootOf } from './run-sql.ts';
import { hashLength, noBlobs, toBlobs } from './stored-value.ts';
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

/** The statements that read one approval, with its arguments when they are large, and the movers of its root. */
export function selectApproval(id: string): readonly Statement[] {
  return [
    {
      sql: `select ${approvalColumns}, (select movers from svc__run r where r.id = svc__approval.root_id) as movers
        from svc__approval where id = ?`,
      args: [id],
    },
    {
      sql: `select hash, bytes from svc__blob join svc__approval on holder = root_id
        where id = ? and substr(arguments, 1, 1) in ('@', '#') and instr(arguments, substr(hash, 1, ${hashLength})) > 0`,
      args: [id],
    },
  ];
}

/** What `selectApproval` gave. */
export function toOneApproval([approvals, blobRows]: readonly SqlResult[]): MovedApproval | undefined {
  const [row] = recordsOf(approvals);
  return row && { ...toApproval(row, toBlobs(blobRows?.rows)), movers: JSON.parse(String(row['movers'])) };
}

/** Roots, newest first; or of the newest those that cost most: after one of them, by what that one has cost until now. */
export function selectRoots(filter: Parameters<RunStore['list']>[0]): Statement {
  const { statuses, waitsFor, kind, name, caller, sinceMs, untilMs, after, limit, dearest } = filter;
  const conditions = [
    'parent_id is null',
    statuses && `status in (${statuses.map((_, n) => `:status${n}`).join(', ')})`,
    waitsFor && `${whatItWaitsFor} = :waitsFor`,
    kind && 'kind = :kind',
    name !== undefined && 'name = :name',
    caller !== undefined && 'principal_root = :caller',
    sinceMs !== undefined && 'created_ms >= :sinceMs',
    untilMs !== undefined && 'created_ms < :untilMs',
    after !== undefined && !dearest && 'id < :after',
  ].filter(Boolean);
  const found = `select ${runColumns}, ${whatItWaitsFor} as waits_for, ${recordedSteps} as recorded, ${spent} as spent
    from svc__run where ${conditions.join(' and ')} order by id desc limit`;
  return {
    sql: dearest
      ? `select * from (${found} ${mostCompared}) ${after === undefined ? '' : isCheaper}
          order by spent ->> '$[4]' desc, id desc limit :limit`
      : `${found} :limit`,
    args: {
      ...Object.fromEntries((statuses ?? []).map((status, n) => [`status${n}`, status])),
      ...toArgs({ waitsFor, kind, name, caller, sinceMs, untilMs, after }),
      limit,
    },
  };
}

/** Roots whose costs are added up to find those that cost most. */
const mostCompared = 1_000;

/** Without those that are not asked for: the names of others stand in no statement. */
function toArgs(args: Values): Values {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}

/** With the plus the two are compared as they are stored, which the index of the numbers needs: without it all of it is walked. */
const opsOfRoot = `svc__op o where ${rootOf('o.run_id')} = +svc__run.id`;

/** Steps as they are shown: values and sessions are none. */
const recordedSteps = `(select count(*) from ${opsOfRoot} and ord is not null
  and kind in ('call', 'run', 'model', 'ask', 'context', 'handoff', 'compaction'))`;

/** Tokens in and out, uses, those of them that have a price, and the sum of these. */
const spent = `(select json_array(coalesce(sum(value ->> 'inputTokens'), 0), coalesce(sum(value ->> 'outputTokens'), 0),
    count(*), count(value ->> 'costMicros'), coalesce(sum(value ->> 'costMicros'), 0))
  from (select spend from ${opsOfRoot} and ord is not null and spend is not null), json_each(spend))`;

/** Comes later than a root by what both cost, which is never null; nothing does when that root is gone. */
const isCheaper = `where (spent ->> '$[4]', id) <
  (select ${spent} ->> '$[4]', id from svc__run where id = :after and parent_id is null)`;

/** What a root waits for, while it waits. */
export const whatItWaitsFor = `case when status <> 'waiting' then null
  when exists (select 1 from svc__approval a where ${isWithin('a.run_id', 'svc__run.id')} and +a.status = 'pending')
    then 'awaiting_approval'
  when exists (select 1 from svc__wait w where ${isBelow('w.id', 'svc__run.id')}) then 'waiting_provider'
  else 'awaiting_approval' end`;

/** Approvals, oldest first; those that are decided, newest first. */
export function selectSome({ status, after, limit }: Parameters<RunStore['approvals']>[0]): Statement {
  const decided = status === 'decided';
  const conditions = [
    'true',
    decided ? `status <> 'pending'` : status && 'status = :status',
    after !== undefined && (decided ? 'id < :after' : 'id > :after'),
  ].filter(Boolean);
  return {
    sql: `select ${approvalColumns} from svc__approval where ${conditions.join(' and ')}
      order by id ${decided ? 'desc' : ''} limit :limit`,
    args: { ...toArgs({ status: decided ? undefined : status, after }), limit },
  };
}

/** How many roots there are of each status: of those that have not ended, and that ended at a time or later. */
export function selectCounts(endedSinceMs: number): Statement {
  return { sql: countRoots, args: { endedSinceMs } };
}

/** Each part by an index of its own. */
const countRoots = `select status, count(*) from svc__run
    where parent_id is null and status in ('running', 'ready', 'waiting') group by status
  union all
  select status, count(*) from svc__run
    where parent_id is null and ended_ms is not null and ended_ms >= :endedSinceMs group by status`;

/** What `selectCounts` gave. */
export function toCounts([counts]: readonly SqlResult[]): ReadonlyMap<RunRecord['status'], number> {
  // The column holds no others.
  return new Map(
    (counts?.rows ?? []).map(([status, count]) => [status as RunRecord['status'], Number(count)]),
  );
}

/** What `selectRoots` gave; large values are told by type and size. */
export function toRoots([roots]: readonly SqlResult[]): readonly ListedRun[] {
  return recordsOf(roots).map((row) => ({
    ...toRun(row, noBlobs),
    // As `selectRoots` has it.
    waitsFor: row['waits_for'] as ListedRun['waitsFor'],
    totals: toTotals(row),
  }));
}

function toTotals({ recorded, spent }: Values): RunTotals {
  const [inputTokens = 0, outputTokens = 0, uses, priced, cost = 0]: number[] = JSON.parse(String(spent));
  return {
    ...{ steps: Number(recorded), inputTokens, outputTokens },
    costMicros: uses === priced ? cost : null,
  };
}

/** What `selectSome` gave; large arguments are told by type and size. */
export function toApprovals([approvals]: readonly SqlResult[]): readonly Approval[] {
  return recordsOf(approvals).map((row) => toApproval(row, noBlobs));
}

function recordsOf(result: SqlResult | undefined): readonly Values[] {
  return result ? toRecords(result) : [];
}
