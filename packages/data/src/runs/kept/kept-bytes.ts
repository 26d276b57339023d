import type { SqlResult } from '../../database/sql-result.ts';
import type { Statement } from '../../database/sql-transaction.ts';
import { isBelow } from '../run-sql.ts';
import { countOps, withinOneDeletion } from './prune-runs.ts';

/** Whether the runs of a principal hold all the bytes that are kept for one. */
export const keepsTooMuch = `(coalesce((select bytes from svc__kept where owner = :principalRoot), 0)
  >= :keepBytesPerCaller)`;

/**
 * What is stored of a root that rests, in bytes: set with its status, of the row as it was. A trigger adds it to what its
 * principal keeps.
 *
 * @param run the parameter that holds its id
 */
export function bytesOfTree(run: string): string {
  return `${bytesOfOne(run)} + ${bytesOfOps(isBelow('run_id', run))}
    + (select coalesce(sum(${bytesOfRow('c.')} + coalesce(octet_length(c.output), 0)), 0)
      from svc__run c where ${isBelow('c.id', run)})`;
}

/** The same of one that started no other run. */
export function bytesOfOne(run: string): string {
  return `${bytesOfRow('')} + ${bytesOfOps(`run_id = ${run}`)}
    + (select coalesce(sum(octet_length(bytes)), 0) from svc__blob where holder = ${run})`;
}

function bytesOfRow(of: string): string {
  return `octet_length(${of}input) + octet_length(${of}spec) + octet_length(${of}principal)
    + coalesce(octet_length(${of}definition), 0)`;
}

function bytesOfOps(condition: string): string {
  return `(select coalesce(sum(octet_length(input) + octet_length(value)), 0) from svc__op where ${condition})`;
}

/** What is free for a principal behind `prune`, so that it is not at its limit again with its next run. */
const freePart = 1 / 8;

/** The statements that find who holds the most of those who hold too much, and their oldest runs. */
export function findHeavy(keepBytesPerCaller: number): readonly Statement[] {
  const most = Math.floor(keepBytesPerCaller * (1 - freePart));
  return [{ sql: selectHeavy, args: { most } }];
}

const endedOf = (owner: string): string =>
  `r.principal_root = ${owner} and r.parent_id is null and r.ended_ms is not null and r.bytes > 0`;

const selectHeavy = `select r.id, r.bytes, ${countOps}, k.bytes - :most from (
    select owner, bytes from svc__kept h where bytes > :most
      and exists (select 1 from svc__run r where ${endedOf('h.owner')}) order by bytes desc limit 1
  ) k join svc__run r on ${endedOf('k.owner')} order by r.ended_ms limit 200`;

/** Those that one transaction deletes: the oldest, until it is enough. */
export function toGivenUp([heavy]: readonly SqlResult[]): readonly string[] {
  const rows = heavy?.rows ?? [];
  // Numbers, all but the ids.
  let surplus = Number(rows[0]?.[3]);
  const enough = rows.findIndex(([, bytes]) => {
    surplus -= Number(bytes);
    return surplus <= 0;
  });
  const given = enough === -1 ? rows : rows.slice(0, enough + 1);
  return withinOneDeletion(given.map(([id, , ops]) => [String(id), Number(ops)]));
}
