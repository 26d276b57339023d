import type { Fence, RunRecord } from '@waymark/contract/stores';
import type { Statement } from '../database/sql-transaction.ts';
import { takeNumbers } from './commit-ops.ts';
import { insertRun } from './run-rows.ts';
import { nowMs, owned } from './run-sql.ts';
import { isFree, type SqlSessionOptions, takeSession } from './session-turns.ts';
import { insertBlobs } from './stored-value.ts';

/** The statements that start a root: its row where its session is free, and the session with it. */
export function startRoot(
  run: RunRecord,
  holder: string,
  leaseMs: number,
  sessions: SqlSessionOptions,
): readonly Statement[] {
  const { session } = run.spec;
  const lease = { owner: ':holder', until: `${nowMs} + :leaseMs` };
  const { statement, values } = insertRun(run, isFree, { holder, leaseMs }, lease);
  return [
    statement,
    ...(session ? takeSession(run.runId, session, sessions) : []),
    ...insertBlobs(values, 'exists (select 1 from svc__run where id = :holder and owner = :owner)', {
      holder: run.runId,
      owner: holder,
    }),
  ];
}

/** What stood in the way of a root: the run of the same idempotency key, the holder of its session, or itself. */
export function selectInTheWay({
  runId,
  idempotencyKey,
  principal,
  call,
  spec,
}: RunRecord): readonly Statement[] {
  const key = { key: idempotencyKey, principal: principal.rootId, route: call?.route ?? null };
  return [
    { sql: findRepeated, args: key },
    { sql: findHolder, args: [spec.session?.key ?? null] },
    { sql: 'select id from svc__run where id = ?', args: [runId] },
  ];
}

const findRepeated = `select id from svc__run
  where idempotency_key = :key and principal_root = :principal and route = :route`;

const findHolder = 'select holder_run from svc__session where key = ?';

/** The statements that add a child, if the leg still owns its root; the first one answers the number. */
export function startChild(fence: Fence, run: RunRecord): readonly Statement[] {
  const owner = { root: fence.rootId, epoch: fence.epoch };
  const { statement, values } = insertRun(run, owned, owner);
  return [
    takeNumbers(fence, 1),
    statement,
    ...insertBlobs(values, owned, { holder: fence.rootId, ...owner }),
  ];
}
