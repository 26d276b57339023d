import type { Statement } from '../database/sql-transaction.ts';
import { isWithin, nowMs } from './run-sql.ts';

/**
 * The statements that give a result to calls which had begun, must not be repeated, and of which nobody will say what came
 * of them, since their root is cancelled: that it is not known. What was done in the world is not left out of the journal.
 *
 * @param condition whether they may
 */
export function cutCalls(condition: string, args: { readonly run: string }): readonly Statement[] {
  return [
    { sql: settleCut(condition), args },
    { sql: numberCut(condition), args },
  ];
}

/** A row of state `started` is committed before a call that must not be repeated, and before no other one. */
const begun = `kind = 'call' and state = 'started'`;

const unknown = `json_object('ok', json('false'), 'status', 502, 'message', 'the run was cancelled while ' || name
  || ' was running; it may or may not have happened', 'code', 'outcome_unknown')`;

/** When a call began is said by the clock of its process, which may be ahead of the database's. */
function settleCut(condition: string): string {
  return `update svc__op set state = 'done', value = ${unknown}, ended_ms = max(started_ms, ${nowMs}),
      ord = (select last_ord from svc__run where id = :run) + i
    from (select run_id as cut_run, seq as cut_seq, row_number() over (order by started_ms, run_id, seq) as i
      from svc__op where ${isWithin('run_id')} and ${begun})
    where run_id = cut_run and seq = cut_seq and ${condition}`;
}

/** Right behind that: what comes next has the numbers after theirs. */
function numberCut(condition: string): string {
  return `update svc__run set last_ord = last_ord + changes() where id = :run and ${condition}`;
}
