import type { Statement } from '../database/sql-transaction.ts';
import { isBelow, isWithin, nowMs, withMover } from './run-sql.ts';

/**
 * The statements that begin another root with what a root had recorded before a number; the last one answers the id if it
 * did. What has no result yet there is asked for again, its approvals too: those of recorded steps are history.
 *
 * @param newId of the new root
 * @param by the root principal of whoever forks it
 */
export function forkRoot(rootId: string, at: number, newId: string, by: string): readonly Statement[] {
  const args = { run: rootId, at, new: newId };
  return [
    { sql: insertRoot, args: { ...args, by } },
    ...[insertChildren, insertOps, insertApprovals].map((sql) => ({ sql, args })),
    { sql: insertBlobs, args: { run: rootId, new: newId } },
    { sql: selectNew, args: { new: newId } },
  ];
}

/** The same id below the new root. */
function moved(column: string): string {
  return `:new || substr(${column}, length(:run) + 1)`;
}

const begun = 'exists (select 1 from svc__run where id = :new and parent_id is null)';

const kept = 'kind, name, depth, principal_root';
const texts = 'route, via, principal, spec, definition, input';

/** It holds no session: what is said in it is said there alone. */
const insertRoot = `insert into svc__run
  (id, root_id, parent_id, status, epoch, last_ord, ${kept}, session, created_ms, movers, newest, ${texts})
  select :new, :new, null, 'ready', 0, :at - 1, ${kept}, null, ${nowMs}, ${withMover}, newest, ${texts}
  from svc__run where id = :run and parent_id is null and :at between 1 and last_ord`;

/** Whether the step of a child in its parent is among what is kept. */
const isEnded = `exists (select 1 from svc__op p where p.run_id = c.parent_id
  and p.run_id || '.' || p.seq = c.id and p.ord < :at)`;

const ended = (column: string): string => `iif(${isEnded}, c.${column}, null)`;

const insertChildren = `insert into svc__run
  (id, root_id, parent_id, status, epoch, ${kept}, session, created_ms, ended_ms, ${texts}, output, error)
  select ${moved('c.id')}, :new, ${moved('c.parent_id')}, iif(${isEnded}, c.status, 'running'), 1, ${kept}, null,
    created_ms, ${ended('ended_ms')}, ${texts}, ${ended('output')}, ${ended('error')}
  from svc__run c where ${isBelow('c.id')} and ${begun}
    and (${isEnded} or exists (select 1 from svc__op o where ${isWithin('o.run_id', 'c.id')} and o.ord < :at))
  order by depth, n`;

const opColumns = 'seq, kind, name, fp, state, ord, tree_tokens, started_ms, ended_ms, spend, input, value';

/** With what they cost, which a replay sees; the ledger has it already. */
const insertOps = `insert into svc__op (run_id, ${opColumns}) select ${moved('run_id')}, ${opColumns}
  from svc__op where ${isWithin('run_id')} and ord < :at and ${begun}`;

const approvalColumns = `seq, count, status, kind, agent, path, caller, tool, args_hash, reason, note, decided_by,
  requested_ord, decided_ord, requested_ms, decided_ms, expires_ms, arguments`;

/** An id for each that sorts as theirs do: the beginning of the root's, and a number. */
const insertApprovals = `insert into svc__approval (id, run_id, root_id, ${approvalColumns})
  select substr(:new, 1, length(:new) - 6) || printf('%06d', row_number() over (order by a.id)), ${moved('a.run_id')}, :new,
    ${approvalColumns}
  from svc__approval a where ${isWithin('a.run_id')} and a.decided_ord < :at and ${begun}
    and exists (select 1 from svc__op o where o.run_id = a.run_id and o.seq = a.seq and o.ord < :at)`;

const insertBlobs = `insert into svc__blob (holder, hash, bytes)
  select :new, hash, bytes from svc__blob where holder = :run and ${begun}`;

const selectNew = 'select id from svc__run where id = :new';
