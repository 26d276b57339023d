import assert from 'node:assert/strict';
import type { Json } from '@waymark/contract';
import type { SqlDatabase } from '@waymark/data';
import type { Loaded } from '../kills/kill-series.ts';
import type { World } from '../runs/world.ts';

/** Codes with which a run may fail whose tools fail, or whose humans say no. Everything else is ours. */
const codes = [
  'outcome_unknown',
  'declined',
  'expired',
  'internal',
  'step_failed',
  'unknown_label',
  'tool_refused',
];

/** Kinds of steps that are paid. */
const paid = ['model', 'ask', 'compaction'];

/** What must hold of a root that has ended, whatever happened to it on the way. */
export async function checkPromises(world: World, loaded: Loaded, database: SqlDatabase): Promise<void> {
  checkRuns(loaded);
  checkGiven(world, loaded);
  checkEffects(world, loaded);
  checkGated(loaded);
  await checkRows(loaded, database);
}

/** Every run of the tree has ended, in a way its declaration allows, and nobody is asked about it any more. */
function checkRuns({ runs, approvals }: Loaded): void {
  for (const { runId, status, error } of runs) {
    assert.ok(!['running', 'ready', 'waiting'].includes(status), `run ${runId} is ${status}`);
    assert.ok(!error || codes.includes(error.code), `run ${runId} failed: ${JSON.stringify(error)}`);
    if (error?.code === 'internal') assert.match(error.message, /internal error/);
  }
  const pending = approvals.filter(({ status }) => status === 'pending');
  assert.deepEqual(pending, [], 'somebody is asked about a run that has ended');
}

/** What code was given is what was recorded. */
function checkGiven(world: World, { ops }: Loaded): void {
  assert.deepEqual(world.contradictions, [], 'code was given two different results for one step');
  for (const { runId, seq, kind, state, value } of ops) {
    const given = world.given.get(`${kind === 'value' ? 'value ' : ''}${runId}.${seq}`);
    if (given === undefined || kind === 'history') continue;
    assert.ok(state === 'done' || state === 'failed', `step ${runId}.${seq} was given and is ${state}`);
    const recorded = state === 'done' ? value : toFailure(value);
    assert.deepEqual(JSON.parse(given), recorded, `given at ${runId}.${seq}`);
  }
}

function toFailure(value: Json): Json {
  const { message = null, status } = value as { readonly message?: Json; readonly status?: Json };
  return { message, ...(status !== undefined && { status }) };
}

/** What happens once at most did, and what needs a yes no more often than somebody said it. */
function checkEffects(world: World, { runs, approvals }: Loaded): void {
  const root = runs[0]?.rootId ?? '';
  for (const [effect, count] of world.effects) {
    const [tool = '', key = ''] = effect.split(' ');
    if (!key.startsWith(root)) continue;
    const yes = approvals.filter(
      ({ runId, seq, status }) => `${runId}.${seq}` === key && status === 'approved',
    );
    if (tool === 'once' || tool === 'fail') assert.ok(count <= 1, `${effect} happened ${count} times`);
    if (tool === 'refund')
      assert.ok(count <= yes.length, `${effect} happened ${count} times, allowed ${yes.length}`);
    if (tool === 'sign') assert.ok(yes.length > 0, `${effect} happened, and nobody allowed it`);
  }
}

/** Who approved something that may have happened is asked again: what comes of it is never left open. */
function checkGated({ ops }: Loaded): void {
  for (const { runId, seq, kind, name, value } of ops)
    if (kind === 'call' && (name === 'refund' || name === 'sign'))
      assert.notEqual(
        (value as { code?: string } | null)?.code,
        'outcome_unknown',
        `${name} ${runId}.${seq}`,
      );
}

/** An effect in our own database is there exactly when its step says so. */
async function checkRows({ ops }: Loaded, database: SqlDatabase): Promise<void> {
  const rows = await database.many('select key, count(*) as times from effect group by key');
  const times = new Map(rows.map((row) => [row['key'], row['times']]));
  for (const { runId, seq, kind, name, state, value } of ops) {
    if (kind !== 'call' || name !== 'row' || state !== 'done') continue;
    const wanted = (value as { readonly ok: boolean }).ok ? 1 : undefined;
    assert.equal(times.get(`${runId}.${seq}`), wanted, `row ${runId}.${seq}`);
  }
  for (const [key, count] of times) {
    assert.equal(count, 1, `row ${String(key)} was written twice`);
    const [, runId = '', seq = ''] = /^(.+)\.(\d+)$/.exec(String(key)) ?? [];
    const op = ops.find((one) => one.runId === runId && one.seq === Number(seq));
    if (op || ops[0]?.runId.startsWith(runId.slice(0, 26)))
      assert.equal(op?.state, 'done', `row ${String(key)} was written, and its step does not say so`);
  }
}

/** A session holds what was said once, and nobody holds the session any more. */
export async function checkSession(messages: number, database: SqlDatabase): Promise<void> {
  const [held] = await database.many('select count(*) as n from svc__session where holder_run is not null');
  assert.equal(held?.['n'], 0, 'a run that has ended holds its session');
  const [said] = await database.many('select count(*) as n from svc__session_message');
  assert.equal(said?.['n'], messages, 'messages of the session');
}

/**
 * The ledger holds each answer of a model that a run was given, once, and nothing else. Each answer costs another number
 * of tokens, so it can be told from all others.
 *
 * @returns answers that nobody was given: their process died, or their run had ended
 */
export async function checkLedger(
  world: World,
  all: readonly Loaded[],
  database: SqlDatabase,
): Promise<number> {
  const rows = await database.many('select input_tokens as n from svc__spend order by input_tokens');
  const ledger = rows.map(({ n }) => Number(n));
  assert.equal(new Set(ledger).size, ledger.length, 'an answer was paid twice');
  for (const n of ledger)
    assert.equal(world.count(`model ${n}`), 1, `nobody gave the answer ${n} that was paid`);
  const steps = all.flatMap(({ ops, spend }) =>
    ops
      .filter(({ kind, state }) => paid.includes(kind) && state === 'done')
      .map((op) => ({ op, costs: spend.filter(({ runId, seq }) => runId === op.runId && seq === op.seq) })),
  );
  for (const { op, costs } of steps) {
    assert.equal(costs.length, 1, `step ${op.runId}.${op.seq} has ${costs.length} costs`);
    const numbers: readonly string[] = JSON.stringify(op.value).match(/(?:calls|ends|answer),? (\d+)/) ?? [];
    if (numbers[1]) assert.equal(costs[0]?.inputTokens, Number(numbers[1]), `cost of ${op.runId}.${op.seq}`);
  }
  assert.equal(ledger.length, steps.length, 'something was paid that no run was given');
  const answered = [...world.effects.keys()].filter((what) => what.startsWith('model ')).length;
  return answered - ledger.length;
}
