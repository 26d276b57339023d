import type { SqlResult } from '../../database/sql-result.ts';
import type { Statement } from '../../database/sql-transaction.ts';
import { isBelow, isWithin, nowMs } from '../run-sql.ts';

/** Roots deleted by one transaction. */
const prunedAtOnce = 200;
/** Rows deleted by one transaction, unless a single root has more: all writers wait meanwhile, 3 ms for these. */
const rowsAtOnce = 1_000;
/** A root beside its ops: its own row and often an approval, with an entry in four indexes each. */
const rowsOfRoot = 3;

/** The statements that count the roots that have ended and look at the oldest. */
export function findPrunable(keepMs: number): readonly Statement[] {
  return [{ sql: selectEndedCount }, { sql: selectOldest, args: { keepMs, limit: prunedAtOnce } }];
}

const ended = 'parent_id is null and ended_ms is not null';

const selectEndedCount = `select count(*) from svc__run where ${ended}`;

/** The ops of a root `r`. */
export const countOps = `(select count(*) from svc__op where ${isWithin('run_id', 'r.id')})`;

const selectOldest = `select id, ended_ms <= ${nowMs} - :keepMs, ${countOps}
  from svc__run r where ${ended} order by ended_ms limit :limit`;

/** Those that one transaction deletes: ended long ago, or before the newest `keepRuns`. */
export function toPrunable([count, oldest]: readonly SqlResult[], keepRuns: number): readonly string[] {
  // Numbers, all but the ids: counts and comparisons.
  const surplus = Number(count?.rows[0]?.[0]) - keepRuns;
  const rows = oldest?.rows ?? [];
  const first = rows.findIndex(([, old], i) => old !== 1 && i >= surplus);
  const due = first === -1 ? rows : rows.slice(0, first);
  return withinOneDeletion(due.map(([id, , ops]) => [String(id), Number(ops)]));
}

/** As many of the first roots as one transaction deletes, at least one. @param roots with their ops */
export function withinOneDeletion(roots: readonly (readonly [id: string, ops: number])[]): readonly string[] {
  let rows = 0;
  const ids: string[] = [];
  for (const [id, ops] of roots) {
    rows += rowsOfRoot + ops;
    if (ids.length > 0 && rows > rowsAtOnce) break;
    ids.push(id);
  }
  return ids;
}

/** The statements that delete roots, whole; the last one affects as many rows as roots were there. */
export function deleteRoots(ids: readonly string[]): readonly Statement[] {
  return deletions.map((sql) => ({ sql, args: [JSON.stringify(ids)] }));
}

const roots = 'select value from json_each(?)';

const inTrees = `in (select c.id from json_each(?) j join svc__run c on ${isWithin('c.id', 'j.value')})`;

const deletions = [
  `delete from svc__op where run_id ${inTrees}`,
  `delete from svc__approval where run_id ${inTrees}`,
  `delete from svc__blob where holder in (${roots})`,
  `delete from svc__run where id in (select c.id from json_each(?) j join svc__run c on ${isBelow('c.id', 'j.value')})`,
  `delete from svc__run where id in (${roots})`,
];
