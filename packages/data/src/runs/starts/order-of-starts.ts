import type { Fence } from '@waymark/contract/stores';
import type { Statement } from '../../database/sql-transaction.ts';
import { bytesOfTree } from '../kept/kept-bytes.ts';

/** So many are remembered. One that is not is as old as can be: it ends nothing that a younger one had. */
const maxHolders = 1_000;

/** The number of a holder in the order of starts, which the database counts and no clock; 0 of one that never entered. */
export function startOf(holder: string): string {
  return `coalesce((select start from svc__holder where id = ${holder}), 0)`;
}

/** Whether `:holder` may take a root: neither it nor one that is younger has left it. */
export const isNotLeft = `left_by < ${startOf(':holder')}`;

/** The number of the youngest that took a root, once `:holder` has. */
export const newest = `max(newest, ${startOf(':holder')})`;

/** Gives a process its place in the order. The row of the last one stays, so that numbers always grow. */
export function enterHolder(holder: string, boot: string): readonly Statement[] {
  return [
    { sql: insertHolder, args: { holder, boot } },
    { sql: deleteForgotten, args: { maxHolders } },
  ];
}

const insertHolder = `insert into svc__holder (id, boot, start)
  select :holder, :boot, coalesce((select min(start) from svc__holder where boot = :boot),
    (select coalesce(max(n), 0) + 1 from svc__holder)) where true on conflict do nothing`;

const deleteForgotten = 'delete from svc__holder where n <= (select max(n) from svc__holder) - :maxHolders';

/** Gives a root back if a younger process than its owner has had it: answers its id. */
export function leaveRoot({ rootId, epoch }: Fence): Statement {
  return { sql: updateLeft, args: { root: rootId, epoch } };
}

const updateLeft = `update svc__run set status = 'ready', bytes = ${bytesOfTree(':root')}, owner = null,
    lease_until_ms = null, left_by = max(left_by, ${startOf('owner')})
  where id = :root and epoch = :epoch and status = 'running' and newest > ${startOf('owner')} returning id`;

/** Answers a row if a root can be taken by others alone. */
export function findLeft(root: string, holder: string): Statement {
  return { sql: selectLeft, args: { root, holder } };
}

/** Answers a row if a younger process than a holder has had a root. */
export function findNewer(root: string, holder: string): Statement {
  return { sql: selectNewer, args: { root, holder } };
}

const selectNewer = `select 1 from svc__run where id = :root and newest > ${startOf(':holder')}`;

const selectLeft = `select 1 from svc__run where id = :root and status = 'ready' and not (${isNotLeft})`;
