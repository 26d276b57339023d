import type { BegunCall, Fence } from '@waymark/contract/stores';
import type { Statement } from '../database/sql-transaction.ts';
import { joinedSpend } from './op-rows.ts';
import { isWithin, nowMs } from './run-sql.ts';

/**
 * Notes that a call was begun, and what it is counted as should nothing more be heard of it. Its row is that of its step,
 * whose commit takes the note away; nothing else of the root changes.
 */
export function beginCall({ rootId, epoch }: Fence, call: BegunCall): Statement {
  const { runId, seq, kind, name, startedMs, spend } = call;
  return {
    sql: upsertBegun,
    args: [rootId, epoch, runId, seq, kind, name, startedMs, JSON.stringify(spend)],
  };
}

const upsertBegun = `insert into svc__op
  (run_id, seq, kind, name, fp, state, tree_tokens, started_ms, input, value, begun)
  select ?3, ?4, ?5, ?6, '', 'started', 0, ?7, 'null', 'null', ?8
  from svc__run where id = ?1 and epoch = ?2 and status = 'running'
  on conflict (run_id, seq) do update set begun = excluded.begun where state in ('started', 'waiting')`;

/**
 * The statements that count the begun calls of a run and of those below it as spent, for each of which nobody is there any
 * more to say what came of it: once, since the note goes with it.
 *
 * @param condition whether they may; `changes() > 0` is that of the statement before
 */
export function countBegun(condition: string): readonly [insert: string, update: string] {
  return [
    `insert into svc__spend
      (at_ms, caller, model, provider, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros,
        estimated)
      select ${nowMs}, principal_root, e.value ->> 'model', e.value ->> 'provider', e.value ->> 'inputTokens',
        e.value ->> 'outputTokens', e.value ->> 'cacheReadTokens', e.value ->> 'cacheWriteTokens',
        e.value ->> 'costMicros', true
      from svc__op o join svc__run r on r.id = :run join json_each(o.begun) e
      where ${isWithin('o.run_id')} and o.begun is not null and ${condition}`,
    `update svc__op set spend = ${joinedSpend('spend', 'begun')}, begun = null
      where ${isWithin('run_id')} and begun is not null and ${condition}`,
  ];
}
