import type { Values } from '@waymark/contract';
import type { Spend } from '@waymark/contract/models';
import type { RunStore } from '@waymark/contract/stores';
import {
  type AskedWait,
  type Fence,
  longestWaitMs,
  type TimedWait,
  type Wait,
} from '@waymark/contract/stores';
import { type SqlResult, toRecords } from '../database/sql-result.ts';
import type { Statement } from '../database/sql-transaction.ts';
import { joinedSpend } from './op-rows.ts';
import { isBelow, nowMs } from './run-sql.ts';

// A wait goes with its step and with the end of its run: triggers of the migration see to that, whoever writes those.
// Its id is `<run>.<seq>`, so those of a tree are one range of ids.

/**
 * The statements that keep a wait, and what its last try cost. A wait of as many attempts is known already: then nothing is
 * written, and nothing is charged again.
 */
export function writeWait(
  { rootId, epoch }: Fence,
  { runId, seq, kind, agent, attempts, forMs, inMs, giveUpInMs, ...about }: AskedWait,
  spend: readonly Spend[],
  charge: (spend: Spend) => Statement,
): readonly Statement[] {
  const { provider, model, reason, message } = about;
  const args = {
    ...{ root: rootId, epoch, id: `${runId}.${seq}`, run: runId, seq, kind, agent, attempts },
    ...{ forMs: Math.round(forMs), inMs: Math.round(inMs), giveUpInMs: Math.round(giveUpInMs) },
    about: JSON.stringify({ provider, model, reason, message }),
  };
  const statements = [{ sql: upsertWait, args }, ...spend.map(charge)];
  if (spend.length === 0) return statements;
  return [...statements, { sql: addCost, args: { run: runId, seq, spend: JSON.stringify(spend) } }];
}

const upsertWait = `insert into svc__wait
  (id, root_id, run_id, seq, kind, agent, attempts, since_ms, due_ms, give_up_ms, about)
  select :id, :root, :run, :seq, :kind, :agent, :attempts, ${nowMs} - :forMs, ${nowMs} + :inMs,
    ${nowMs} + :giveUpInMs, :about
  from svc__run where id = :root and epoch = :epoch and status = 'running'
  on conflict (id) do update set agent = excluded.agent, attempts = excluded.attempts, since_ms = excluded.since_ms,
    due_ms = excluded.due_ms, give_up_ms = excluded.give_up_ms, about = excluded.about
  where attempts < excluded.attempts`;

/** Right behind the wait, or its last row of the ledger. */
const addCost = `update svc__op set spend = ${joinedSpend('spend', ':spend')}
  where run_id = :run and seq = :seq and changes() > 0`;

/** Roots that are woken by one transaction. */
const wokenAtOnce = 200;

/** From a clock that was set back since comes what seems to be further ahead than any wait. */
const due = `(due_ms <= ${nowMs} or due_ms > ${nowMs} + ${longestWaitMs})`;

/** Of roots that wait, the steps to be tried by now. One that runs tries by itself. */
export const dueWaits = `from svc__wait w join svc__run r on r.id = w.root_id where ${due} and r.status = 'waiting'`;

/** Their roots. */
export const selectDueWaits: Statement = {
  sql: `select distinct w.root_id ${dueWaits} limit ${wokenAtOnce}`,
};

/** Wakes a root, if it waits: answers its id. */
export function wakeRoot(rootId: string): Statement {
  return { sql: updateWoken, args: [rootId] };
}

const updateWoken = `update svc__run set status = 'ready', wakes = wakes + 1
  where id = ? and status = 'waiting' returning id`;

/** What `toWait` needs of a row. */
const waitColumns = 'root_id, run_id, seq, kind, agent, attempts, since_ms, due_ms, give_up_ms, about';

/** Waits of a tree, with how long they have been and will be. */
export const selectWaits = `select ${waitColumns}, max(0, ${nowMs} - since_ms) as for_ms,
    iif(${due}, 0, due_ms - ${nowMs}) as in_ms
  from svc__wait where ${isBelow('id')} order by id`;

/** Waits of all trees, by their ids. */
export function selectSomeWaits({ after, limit }: Parameters<RunStore['waits']>[0]): Statement {
  return {
    sql: `select ${waitColumns} from svc__wait ${after === undefined ? '' : 'where id > :after'} order by id limit :limit`,
    args: { ...(after !== undefined && { after }), limit },
  };
}

/** Counts them. */
export const countWaits = 'select count(*) from svc__wait';

/** What `selectSomeWaits` gave. */
export function toWaits(result: SqlResult | undefined): readonly Wait[] {
  return result ? toRecords(result).map(toWait) : [];
}

/** What `selectWaits` gave. */
export function toTimedWaits(result: SqlResult | undefined): readonly TimedWait[] {
  if (!result) return [];
  return toRecords(result).map((row) => {
    // As `selectWaits` names them.
    const { for_ms: forMs, in_ms: inMs } = row as unknown as { for_ms: number; in_ms: number };
    return { ...toWait(row), forMs, inMs };
  });
}

function toWait(row: Values): Wait {
  // The columns are what `writeWait` wrote.
  const one = row as unknown as WaitRow;
  const about: Pick<Wait, 'provider' | 'model' | 'reason' | 'message'> = JSON.parse(one.about);
  return {
    ...{ runId: one.run_id, rootId: one.root_id, seq: one.seq, kind: one.kind, agent: one.agent },
    ...about,
    ...{ attempts: one.attempts, sinceMs: one.since_ms, dueMs: one.due_ms, giveUpMs: one.give_up_ms },
  };
}

interface WaitRow {
  readonly root_id: string;
  readonly run_id: string;
  readonly seq: number;
  readonly kind: 'provider';
  readonly agent: string;
  readonly attempts: number;
  readonly since_ms: number;
  readonly due_ms: number;
  readonly give_up_ms: number;
  readonly about: string;
}
