import assert from 'node:assert/strict';
import type { SqlDatabase } from '@waymark/data';
import type { Loaded } from '../kills/kill-series.ts';
import { expireAll, type Survived, say, survive } from '../kills/survive.ts';
import type { Shape } from './shapes.ts';
import type { World } from './world.ts';

/** What humans do. `last` begins with the newest question. */
export type Policy = 'approve' | 'approve-last' | 'deny' | 'expire';

/** Everything one simulation needs. */
export interface Scenario {
  readonly shape: Shape;
  readonly policy: Policy;
  /** At which of its points each engine dies; those after the last one live. */
  readonly deaths: readonly number[];
  /** The use of a store that fails in the first engine; none. */
  readonly trouble?: number;
}

/** Runs a shape to its end, with a new engine on the same database for each one that dies, and checks what must hold. */
export function simulate({ shape, policy, deaths, trouble }: Scenario): Promise<Survived> {
  return survive({
    ...{ shape, policy, deaths, trouble, check },
    async decide(engine, { approvals }, database) {
      if (policy === 'expire') return expireAll(engine, database);
      const pending = approvals.filter(({ status }) => status === 'pending');
      const one = policy === 'approve-last' ? pending.at(-1) : pending[0];
      assert.ok(one, 'the run waits for nobody');
      return say(engine, one.approvalId, policy !== 'deny');
    },
  });
}

/** What must hold when the only root of a database has ended, whatever happened to it. */
export async function check(world: World, loaded: Loaded, database: SqlDatabase): Promise<void> {
  await checkRoot(world, loaded, database);
  await checkLedger([loaded], database);
}

/** What must hold of each root that has ended. */
export async function checkRoot(
  world: World,
  { runs, ops, approvals, spend }: Loaded,
  database: SqlDatabase,
): Promise<void> {
  for (const { runId, status, error } of runs) {
    assert.ok(!['running', 'ready', 'waiting'].includes(status), `run ${runId} is ${status}`);
    const codes = ['outcome_unknown', 'declined', 'expired', 'internal', 'refused', 'provider'];
    assert.ok(!error || codes.includes(error.code), `run ${runId} failed: ${JSON.stringify(error)}`);
    if (error?.code === 'internal') assert.match(error.message, /internal error/);
  }
  assert.deepEqual(
    approvals.filter(({ status }) => status === 'pending'),
    [],
  );
  assert.deepEqual(world.contradictions, []);
  const rows = await database.many('select key, count(*) as times from effect group by key');
  const times = new Map(rows.map(({ key, times }) => [key, times]));
  for (const { runId, seq, kind, name, state, value } of ops) {
    const key = `${runId}.${seq}`;
    if (state === 'started' || state === 'waiting') continue;
    if (kind === 'call' && name === 'row')
      assert.equal(times.get(key), (value as { ok: boolean }).ok ? 1 : undefined, `row ${key}`);
    const given = world.given.get(key);
    if (given !== undefined && kind !== 'history')
      assert.deepEqual(JSON.parse(given), value, `given at ${key}`);
  }
  for (const [, count] of times) assert.equal(count, 1, 'a row was written twice');
  const root = runs[0]?.rootId ?? '';
  for (const [effect, count] of world.effects) {
    const [tool = '', key = ''] = effect.split(' ');
    if (!key.startsWith(root)) continue;
    const allowed = approvals.filter(
      ({ runId, seq, status }) => `${runId}.${seq}` === key && status === 'approved',
    ).length;
    if (tool === 'once' || tool === 'fail') assert.ok(count <= 1, `${effect} happened ${count} times`);
    if (tool === 'refund')
      assert.ok(count <= allowed, `${effect} happened ${count} times, allowed ${allowed}`);
    if (tool === 'sign') assert.ok(allowed > 0, `${effect} happened and nobody allowed it`);
  }
  assert.equal(spend.length, modelCallsOf(ops));
}

/** One row for each model call of all roots that somebody saw. */
export async function checkLedger(all: readonly Loaded[], database: SqlDatabase): Promise<void> {
  const [ledger] = await database.many('select count(*) as calls from svc__spend');
  const calls = all.reduce((sum, { ops }) => sum + modelCallsOf(ops), 0);
  assert.equal(ledger?.['calls'], calls);
}

function modelCallsOf(ops: Loaded['ops']): number {
  return ops.filter(({ kind, state }) => kind === 'model' && state === 'done').length;
}
