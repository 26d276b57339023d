import assert from 'node:assert/strict';
import type { RunStore } from '@waymark/contract';
import type { SqlDatabase } from '@waymark/data';
import { boss, type Engine, openState, startEngine } from './engine.ts';
import type { Shape } from './shapes.ts';
import { Life, Trouble, World } from './world.ts';

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

/** How a simulation came out. */
export interface Outcome {
  readonly world: World;
  /** Points that the first engine passed. */
  readonly points: number;
  /** How often it used a store. */
  readonly uses: number;
  readonly engines: number;
  readonly status: string;
  readonly trace: readonly string[];
}

type Loaded = Awaited<ReturnType<RunStore['load']>>;

const mostEngines = 12;
const mostRounds = 60;

/** Runs a shape to its end, with a new engine on the same database for each one that dies, and checks what must hold. */
export async function simulate({ shape, policy, deaths, trouble }: Scenario): Promise<Outcome> {
  const { database, store } = await openState();
  const world = new World();
  const lives: Life[] = [];
  const begin = async (): Promise<Engine> => {
    assert.ok(lives.length < mostEngines, 'too many engines');
    await endLeases(database);
    const life = new Life(deaths[lives.length], lives.length === 0 ? trouble : undefined);
    lives.push(life);
    const upkeep = trouble === undefined ? {} : { after: soon };
    try {
      return await startEngine(database, shape.routes, { life, world, ...upkeep });
    } catch (error) {
      // A server that cannot start is started again.
      if (!(error instanceof Trouble)) throw error;
      life.kill();
      return begin();
    }
  };
  try {
    let engine = await begin();
    for (let round = 0; round < mostRounds; round++) {
      if (engine.life.dead) engine = await begin();
      const [root] = await store.list({ limit: 1 });
      if (!root) await Promise.race([engine.call(shape.start, shape.input), engine.life.died]);
      else if (root.status === 'waiting') {
        if (policy === 'expire') await expireAll(database, engine);
        else await decideOne(engine, await store.load(root.runId), policy);
      } else if (root.status === 'running' || root.status === 'ready') await turn();
      else {
        const loaded = await store.load(root.runId);
        await check(world, loaded, database);
        const trace = lives.flatMap((life) => life.trace);
        const { points = 0, uses = 0 } = lives[0] ?? {};
        return { world, points, uses, engines: lives.length, status: root.status, trace };
      }
      if (root?.status === 'running' || root?.status === 'ready')
        await settled(store, root.runId, engine.life);
    }
    throw new Error('the run does not come to an end');
  } catch (error) {
    const trace = lives.map((life) => life.trace.join(', ')).join('\n--\n');
    throw new Error(
      `${shape.name}, ${policy}, deaths at ${deaths.join(', ')}, trouble at ${trouble}: ${String(error)}\n${trace}`,
      {
        cause: error,
      },
    );
  } finally {
    for (const life of lives) life.kill();
    await database.close();
  }
}

/** Long enough after the death of whoever held them. */
export async function endLeases(database: SqlDatabase): Promise<void> {
  await database.write([{ sql: "update svc__run set lease_until_ms = 0 where status = 'running'" }]);
}

/** What comes each second comes at once: whatever was left behind is looked for. */
function soon(ms: number, task: () => unknown): () => void {
  const timer = ms <= 1_000 ? setTimeout(task, 1) : undefined;
  return () => clearTimeout(timer);
}

/** Until the root ends or waits, or the engine dies. */
async function settled(store: RunStore, runId: string, life: Life): Promise<void> {
  for (let i = 0; i < 20_000 && !life.dead; i++) {
    const { runs } = await store.load(runId);
    const status = runs[0]?.status;
    if (status !== 'running' && status !== 'ready') return;
    await turn();
  }
  assert.ok(life.dead, 'nobody goes on with the run');
}

async function decideOne(engine: Engine, { approvals }: Loaded, policy: Policy): Promise<void> {
  const pending = approvals.filter(({ status }) => status === 'pending');
  const one = policy === 'approve-last' ? pending.at(-1) : pending[0];
  assert.ok(one, 'the run waits for nobody');
  const decision = { approve: policy !== 'deny', note: 'so be it', by: boss };
  const decided = engine.runner.decide(one.approvalId, decision).catch((error: unknown) => {
    if (!engine.life.dead && !(error instanceof Trouble)) throw error;
  });
  await Promise.race([decided, engine.life.died]);
}

/** Their time is over while nobody is there to see it: the next engine does. */
async function expireAll(database: SqlDatabase, engine: Engine): Promise<void> {
  await database.write([{ sql: "update svc__approval set expires_ms = 0 where status = 'pending'" }]);
  engine.life.kill();
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

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
