import type { Approval } from '@waymark/contract/stores';
import type { Statement } from '../database/sql-transaction.ts';
import { nowMs } from './run-sql.ts';

/** What a human decided. */
export interface HumanDecision {
  readonly status: 'approved' | 'denied';
  readonly note: string;
  readonly by: string;
}

/** Decides what is still pending and whose time is not over; the second statement wakes the root. */
export function decideApproval(id: string, { status, note, by }: HumanDecision): readonly Statement[] {
  return settle('>', { id, status, note, by });
}

/** Marks what is still pending and whose time is over; the second statement wakes the root. */
export function expireApproval(id: string): readonly Statement[] {
  return settle('<=', { id, status: 'expired', note: '', by: null });
}

interface Settled {
  readonly id: string;
  readonly status: Approval['status'];
  readonly note: string;
  readonly by: string | null;
}

/** The first statement answers the root, when it did anything. */
function settle(expiry: '>' | '<=', { id, ...settled }: Settled): readonly Statement[] {
  return [
    {
      sql: `update svc__approval set status = :status, note = :note, decided_by = :by, decided_ms = ${nowMs},
          decided_ord = (select last_ord + 1 from svc__run where id = svc__approval.root_id)
        where id = :id and status = 'pending' and expires_ms ${expiry} ${nowMs} returning root_id`,
      args: { id, ...settled },
    },
    { sql: wakeRoot, args: { id } },
  ];
}

/** A root that works is not disturbed: `wakes` keeps it from parking. */
const wakeRoot = `update svc__run set wakes = wakes + 1, last_ord = last_ord + 1,
    status = iif(status = 'waiting', 'ready', status)
  where id = (select root_id from svc__approval where id = :id) and changes() > 0`;

/** Answers how an approval stands. */
export const selectStatus = 'select status from svc__approval where id = ?';

/** Reads an index alone. */
export const countPending = `select count(*) from svc__approval where status = 'pending'`;

/** Approvals whose time is over, longest first. */
export const selectDue = `select id from svc__approval indexed by svc__approval_expiry
  where status = 'pending' and expires_ms <= ${nowMs}
  order by expires_ms limit ?`;
