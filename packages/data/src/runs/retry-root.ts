import type { Fence, Redo } from '@waymark/contract/stores';
import type { Statement } from '../database/sql-transaction.ts';
import { isBelow, isWithin, live, nowMs, owned, withMover } from './run-sql.ts';
import { notWritten } from './stored-value.ts';

/**
 * The statements that make a root which has failed ready again; the last one answers its id if it is. Results up to its
 * last number may be undone from then on. Its session must be free, and still there.
 *
 * @param by the root principal of whoever retries it
 */
export function retryRoot(rootId: string, by: string): readonly Statement[] {
  const args = { run: rootId };
  return [
    { sql: takeSession, args },
    { sql: resumeCancelled(retriable), args },
    { sql: updateRetried, args: { ...args, by } },
  ];
}

const failed = `select 1 from svc__run where id = :run and parent_id is null and status = 'failed'`;

const isHeld = `(r.session is null
  or exists (select 1 from svc__session s where s.key = r.session and s.holder_run = r.id))`;

const retriable = `exists (select 1 from svc__run r where id = :run and parent_id is null and status = 'failed'
  and ${isHeld})`;

const takeSession = `update svc__session set holder_run = :run, touched_ms = ${nowMs}
  where key = (select session from svc__run where id = :run) and holder_run is null and exists (${failed})`;

/** What was cut off by an end above it, and has no result there. */
function resumeCancelled(condition: string, run?: string): string {
  return `update svc__run set status = 'running', output = null, error = null, ended_ms = null
    where ${isBelow('id', run)} and status = 'cancelled' and ${condition}
      and not exists (select 1 from svc__op o where o.run_id = svc__run.parent_id
        and o.run_id || '.' || o.seq = svc__run.id and o.state in ('done', 'failed'))`;
}

const updateRetried = `update svc__run set status = 'ready', epoch = epoch + 1, attempts = 0, pause_ms = 0,
    not_before_ms = 0, retry_ord = last_ord, acknowledged = null, movers = ${withMover}, output = null, error = null, ended_ms = null
  where id = :run and ${retriable} returning id`;

/**
 * The statements that make waits of a root due, if it waits for nobody else; the last one answers its id.
 *
 * @param by the root principal of whoever hurries it
 */
export function hurryRoot(rootId: string, by: string): readonly Statement[] {
  return [
    { sql: updateDue, args: { run: rootId } },
    { sql: updateHurried, args: { run: rootId, by } },
  ];
}

const updateDue = `update svc__wait set due_ms = ${nowMs} where ${isBelow('id')}
  and exists (select 1 from svc__run where id = :run and parent_id is null and status = 'waiting')`;

const updateHurried = `update svc__run set status = 'ready', wakes = wakes + 1, movers = ${withMover}
  where id = :run and parent_id is null and status = 'waiting'
    and exists (select 1 from svc__wait w where ${isBelow('w.id')}) returning id`;

/**
 * Answers a row if a large value of a tree is not kept any more: an earlier release, or the end of a run that did not fail,
 * deleted those of a tree together.
 */
export const selectGone = `select 1 where exists (
    select 1 from svc__op o where ${isWithin('o.run_id')} and (${isLost('o.value')} or ${isLost('o.input')}))
  or exists (select 1 from svc__run r where ${isWithin('r.id')} and (r.input = '${notWritten}' or ${isLost('r.input')}
    or (r.definition is not null and ${isLost('r.definition')})))`;

function isLost(column: string): string {
  return `(substr(${column}, 1, 1) in ('@', '#')
    and not exists (select 1 from svc__blob where holder = :run and instr(${column}, hash) > 0))`;
}

/** The statements that undo results of one run, so that they are asked for again; the first one answers a number. */
export function redoOps({ rootId, epoch }: Fence, { runId, ops }: Redo): readonly Statement[] {
  const fence = { root: rootId, epoch };
  return [
    { sql: selectOwned, args: fence, rows: 'one' },
    ...ops.flatMap(({ seq, state, value }) => {
      const op = { ...fence, run: runId, seq };
      const child = { ...fence, run: `${runId}.${seq}` };
      return [
        { sql: updateRedone, args: { ...op, state, value: JSON.stringify(value) } },
        { sql: updateChild, args: child },
        { sql: resumeBelow, args: child },
      ];
    }),
  ];
}

const selectOwned = `select last_ord from svc__run where id = :root and epoch = :epoch and status = 'running'`;

const updateRedone = `update svc__op set state = :state, value = :value, ord = null, ended_ms = null
  where run_id = :run and seq = :seq and state in ('done', 'failed') and ${owned}`;

const updateChild = `update svc__run set status = 'running', output = null, error = null, ended_ms = null
  where id = :run and status in ('failed', 'cancelled') and ${owned}`;

const resumeBelow = resumeCancelled(owned);

/** Answers how a root stands, and whether it is one. */
export const selectStanding = `select parent_id is null, status, ${live} from svc__run where id = :run`;
