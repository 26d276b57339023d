import type { Values } from '@waymark/contract';
import type { MemoedRun } from '@waymark/contract/runs';
import type { RunStore } from '@waymark/contract/stores';
import type { SqlDatabase } from '../../database/sql-database.ts';
import { toRecords } from '../../database/sql-result.ts';
import { whatItWaitsFor } from '../read-runs.ts';
import { live } from '../run-sql.ts';

/** Roots whose callers want to find them again. */
export function memoedRoots(database: SqlDatabase): Pick<RunStore, 'memos' | 'acknowledge'> {
  return {
    async memos({ principal, after, limit }) {
      const conditions = [
        isOpen,
        after !== undefined && 'id > :after',
        principal !== undefined && `principal ->> '$.id' = :principal`,
      ].filter(Boolean);
      const [found] = await database.read([
        {
          sql: `${selectMemoed} where ${conditions.join(' and ')} order by id limit :limit`,
          args: {
            limit,
            ...(after !== undefined && { after }),
            ...(principal !== undefined && { principal }),
          },
        },
      ]);
      return found ? toRecords(found).map(toMemoedRun) : [];
    },
    async acknowledge(rootId, status) {
      // What is lost with the power is acknowledged once more.
      await database.write(
        [{ sql: updateAcknowledged, args: { root: rootId, status } }],
        undefined,
        'normal',
      );
    },
  };
}

/** In the words of the index `svc__run_memo`: however many have ended, only these are looked at. */
const isOpen = 'memo is not null and acknowledged is not status';

const selectMemoed = `select id, route, principal ->> '$.id' as principal_id, memo, status, ${whatItWaitsFor} as waits_for,
    acknowledged, created_ms
  from svc__run indexed by svc__run_memo`;

/** A word about how it stood before says nothing about how it ended. */
const updateAcknowledged = `update svc__run set acknowledged = :status where id = :root and memo is not null
  and (status = :status or (:status in ('awaiting_approval', 'waiting_provider') and ${live}))`;

function toMemoedRun(row: Values): MemoedRun {
  // As the columns are written.
  const { id, route, principal_id, memo, status, waits_for, acknowledged, created_ms } =
    row as unknown as MemoRow;
  return {
    rootId: id,
    route,
    principal: principal_id,
    memo: JSON.parse(memo),
    ...{ status, waitsFor: waits_for, acknowledged },
    createdMs: created_ms,
  };
}

interface MemoRow extends Pick<MemoedRun, 'status' | 'acknowledged' | 'route'> {
  readonly id: string;
  readonly principal_id: string;
  readonly memo: string;
  readonly waits_for: MemoedRun['waitsFor'];
  readonly created_ms: number;
}
