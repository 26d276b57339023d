import type { RunHead, RunPage, RunStore } from '@waymark/contract/stores';
import { type SqlResult, toRecords } from '../database/sql-result.ts';
import type { Statement } from '../database/sql-transaction.ts';
import { approvalColumns, toApproval } from './approval-rows.ts';
import { opColumns, spendOf, toOp } from './op-rows.ts';
import { runColumns, toRun } from './run-rows.ts';
import { isWithin, live, rootOf } from './run-sql.ts';
import { noBlobs } from './stored-value.ts';

/** The statements that read what has the numbers from `afterOrd` + 1 to `afterOrd` + `count`. */
export function selectPage(rootId: string, afterOrd: number, count: number): readonly Statement[] {
  const args = { run: rootId, after: afterOrd, upto: afterOrd + count };
  return [
    { sql: selectRoot, args: { run: rootId } },
    { sql: selectOps, args },
    { sql: selectApprovals, args },
  ];
}

const selectRoot = `select last_ord, ${runColumns} from svc__run where id = :run and parent_id is null`;

/** Of a run, or of the agent that it was handed over to last; agents alone are, and theirs are short. */
const nameOfOp = `(select case when r.kind <> 'agent' then r.name else coalesce(
    (select h.name from svc__op h where h.run_id = svc__op.run_id and h.seq < svc__op.seq and h.kind = 'handoff'
      and h.state = 'done' order by h.seq desc limit 1), r.name) end
  from svc__run r where r.id = run_id)`;

const selectOps = `select ${opColumns}, ${nameOfOp} as agent
  from svc__op indexed by svc__op_ord
  where ${rootOf('run_id')} = :run and ord > :after and ord <= :upto order by ord`;

const selectApprovals = `select ${approvalColumns} from svc__approval where ${isWithin('run_id')}
  and ((requested_ord > :after and requested_ord <= :upto) or (decided_ord > :after and decided_ord <= :upto))`;

/** What `selectPage` gave. */
export function toPage([root, ops, approvals]: readonly SqlResult[]): RunPage | undefined {
  const [row] = root ? toRecords(root) : [];
  if (!row) return undefined;
  return {
    root: toRun(row, noBlobs),
    lastOrd: Number(row['last_ord']),
    ops: (ops ? toRecords(ops) : []).map((one) => ({
      ...toOp(one, noBlobs),
      spend: spendOf(one),
      agent: String(one['agent']),
    })),
    approvals: (approvals ? toRecords(approvals) : []).map((one) => toApproval(one, noBlobs)),
  };
}

/** How far some roots have come, and some that have not ended. */
export function selectHeads({ roots, open }: Parameters<RunStore['heads']>[0]): Statement {
  return { sql: open === 0 ? selectNamed : selectBoth, args: { roots: JSON.stringify(roots), open } };
}

const head = 'select id, last_ord, retry_ord, ended_ms is not null from svc__run where parent_id is null';

const selectNamed = `${head} and id in (select value from json_each(:roots)) and :open = 0`;

const selectBoth = `${head} and (id in (select value from json_each(:roots)) or id in
  (select id from svc__run where parent_id is null and ${live} order by status = 'running' desc, id desc limit :open))`;

/** What `selectHeads` gave. */
export function toHeads([heads]: readonly SqlResult[]): readonly RunHead[] {
  return (heads?.rows ?? []).map(([id, lastOrd, retryOrd, ended]) => ({
    rootId: String(id),
    lastOrd: Number(lastOrd),
    retryOrd: Number(retryOrd),
    ended: ended === 1,
  }));
}
