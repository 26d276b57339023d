/** Runs that failed and are retried, and runs that begin where another one had been. */
import { HTTPError, type Json } from '@waymark/contract';
import type { RunStore } from '@waymark/contract/stores';
import { byTier, verifies } from '@waymark/contract/testing';
import type { SqlDatabase } from '@waymark/data';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { endLeases } from './kills/survive.ts';
import { agent, type Ctx, type Reply, runRoute, type Stage } from './runs/drivers.ts';
import { boss, type Engine, json, openState, startEngine } from './runs/engine.ts';
import { perform, randomProgram } from './runs/programs.ts';
import { randoms } from './runs/sample.ts';
import { Life, World } from './runs/world.ts';

const yes = { approve: true, note: '', by: boss };
const engines: Engine[] = [];

afterEach(async () => {
  for (const engine of engines.splice(0)) {
    if (!engine.life.dead) await engine.stop();
    engine.life.kill();
  }
});

/** What a test makes fail as long as it is broken. */
interface Switch {
  broken: boolean;
}

async function open(
  routes: (stage: Stage) => ReturnType<typeof runRoute>[],
  world = new World(),
): Promise<{
  database: SqlDatabase;
  store: RunStore;
  world: World;
  start: (life?: Life) => Promise<Engine>;
}> {
  const { database, store } = await openState();
  onTestFinished(() => database.close());
  const start = async (life?: Life): Promise<Engine> => {
    await endLeases(database);
    const engine = await startEngine(database, routes, { world, ...(life && { life }) });
    engines.push(engine);
    return engine;
  };
  return { database, store, world, start };
}

const rootOf = async (store: RunStore): Promise<string> => (await store.list({ limit: 1 }))[0]?.runId ?? '';
const retry = (engine: Engine, id: string) =>
  engine.call('create_svc_runs_by_id_retry', { id }, { principal: boss });
const fork = (engine: Engine, id: string, at: number) =>
  engine.call('create_svc_runs_by_id_fork', { id, at }, { principal: boss });

/** A model that fails while the switch says so. */
function think(ctx: Ctx, one: Switch, reply: Reply): Promise<Reply> {
  return ctx.model(() => {
    if (one.broken) throw new HTTPError(502, 'the model is not itself', { code: 'rejected' });
    return reply;
  });
}

/** Refunds with approval, asks a model, writes a row. */
const desk = (one: Switch) => async (ctx: Ctx) => {
  const look = await ctx.must('look', { n: 1 });
  const refund = await ctx.must('refund');
  const said = await think(ctx, one, { text: 'Done.' });
  return [look, refund, said as Json, await ctx.must('row')];
};

/** One after another: what came of one may withdraw the next. */
async function approveAll(engine: Engine, store: RunStore): Promise<void> {
  for (;;) {
    const [asked] = await store.approvals({ status: 'pending', limit: 1 });
    if (!asked) return;
    await engine.runner.decide(asked.approvalId, yes);
  }
}

describe('a run that failed', () => {
  it('goes on where it failed, in another process, and repeats no effect', async () => {
    verifies('run.retry');
    const one = { broken: true };
    const { store, world, start } = await open((stage) => [runRoute('behaviour', 'desk', desk(one), stage)]);
    const first = await start();
    await first.call('desk');
    await approveAll(first, store);
    const id = await rootOf(store);
    expect((await store.list({ limit: 1 }))[0]).toMatchObject({
      status: 'failed',
      error: { code: 'rejected' },
    });
    first.life.kill();
    const second = await start();
    const again = await retry(second, id);
    expect([again.status, again.body]).toMatchObject([502, { code: 'rejected' }]);
    one.broken = false;
    const answered = await retry(second, id);
    expect(json(answered)).toMatchObject({ run_id: id, status: 'completed' });
    expect([world.count(`refund ${id}.1`), world.count('look'), world.modelCalls]).toEqual([1, 1, 3]);
    expect(second.events.filter(({ kind }) => kind === 'run_retried')).toMatchObject([
      { run_id: id, by: 'boss' },
      { run_id: id, by: 'boss' },
    ]);
  });

  it('goes on at any depth: whoever failed with it runs again, and those beside it do not', async () => {
    verifies('run.retry.nested');
    const one = { broken: true };
    const { store, world, start } = await open((stage) => [
      runRoute('flow', 'top', async (ctx) => [await ctx.must('once'), await ctx.must('middle')], stage),
      runRoute(
        'behaviour',
        'middle',
        async (ctx) => Promise.all([ctx.must('side'), ctx.must('bottom')]),
        stage,
      ),
      runRoute('agent', 'side', agent([{ text: 'Side.' }]), stage),
      runRoute('behaviour', 'bottom', desk(one), stage),
    ]);
    const engine = await start();
    await engine.call('top');
    await approveAll(engine, store);
    const id = await rootOf(store);
    const statuses = async () => (await store.load(id)).runs.map(({ status }) => status);
    expect(await statuses()).toEqual(['failed', 'failed', 'completed', 'failed']);
    one.broken = false;
    expect(json(await retry(engine, id))).toMatchObject({ status: 'completed' });
    expect(await statuses()).toEqual(['completed', 'completed', 'completed', 'completed']);
    expect([world.count(`refund ${id}.1.1.1`), world.count(`once ${id}.0`)]).toEqual([1, 1]);
  });

  it('is left to the next process wherever the one dies that goes on with it', {
    timeout: 120_000,
  }, async () => {
    verifies('run.retry', 'run.survives');
    /** @returns the points that the process passed which retried it */
    const live = async (diesAt?: number): Promise<number> => {
      const one = { broken: true };
      const { store, world, start } = await open((stage) => [
        runRoute('flow', 'top', async (ctx) => ctx.must('sub'), stage),
        runRoute(
          'behaviour',
          'sub',
          async (ctx) => [await ctx.must('refund'), (await think(ctx, one, { text: 'ok' })) as Json],
          stage,
        ),
      ]);
      const first = await start();
      await first.call('top');
      await approveAll(first, store);
      first.life.kill();
      one.broken = false;
      const id = await rootOf(store);
      const status = async () => (await store.list({ limit: 1 }))[0]?.status ?? '';
      const life = new Life(diesAt);
      const second = await start(life);
      if (!life.dead) await Promise.race([retry(second, id), life.died]);
      if (life.dead) {
        const third = await start();
        await expect.poll(status).toMatch(/completed|failed/);
        // Nobody heard of the retry, or it had not come to what failed: somebody asks again.
        if ((await status()) === 'failed') await retry(third, id);
      }
      expect(await status(), `dies at ${diesAt}`).toBe('completed');
      expect(world.count(`refund ${id}.0.0`)).toBe(1);
      return life.points;
    };
    const points = await live();
    expect(points).toBeGreaterThan(15);
    for (let at = 1; at <= points; at += byTier({ quick: 3, slow: 2, drill: 1 })) await live(at);
  });

  it('asks a human again for a gated call that failed, or was declined', async () => {
    verifies('run.retry.gated');
    const { store, world, start } = await open((stage) => [
      runRoute('behaviour', 'asks', async (ctx) => ctx.must('refund'), stage),
    ]);
    const engine = await start();
    await engine.call('asks');
    const [asked] = await store.approvals({ status: 'pending', limit: 1 });
    await engine.runner.decide(asked?.approvalId ?? '', { ...yes, approve: false });
    const id = await rootOf(store);
    const again = await retry(engine, id);
    expect(json(again)).toMatchObject({ run_id: id, status: 'awaiting_approval' });
    const [second] = await store.approvals({ status: 'pending', limit: 1 });
    expect(second).toMatchObject({
      n: 2,
      reason: 'the call failed before, and its run is retried; approve to run it again',
    });
    expect(world.count(`refund ${id}.0`)).toBe(0);
    await approveAll(engine, store);
    expect(world.count(`refund ${id}.0`)).toBe(1);
    expect((await store.list({ limit: 1 }))[0]).toMatchObject({ status: 'completed' });
  });

  it('does not repeat a call that nobody knows the outcome of', async () => {
    verifies('run.retry.unknown');
    const routes = (stage: Stage) => [runRoute('behaviour', 'pays', async (ctx) => ctx.must('once'), stage)];
    const plain = await (await open(routes)).start();
    await plain.call('pays');
    const { store, world, start } = await open(routes);
    // Right after the effect, before its record.
    const life = new Life(plain.life.trace.indexOf('after once') + 1);
    const first = await start(life);
    await Promise.race([first.call('pays'), life.died]);
    const second = await start();
    const id = await rootOf(store);
    await expect
      .poll(async () => (await store.list({ limit: 1 }))[0])
      .toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
    const again = await retry(second, id);
    expect([again.status, again.body]).toMatchObject([502, { code: 'outcome_unknown' }]);
    expect(world.count(`once ${id}.0`)).toBe(1);
  });

  it('goes on when its code was mended', async () => {
    verifies('run.retry');
    const one = { broken: true };
    const { store, world, start } = await open((stage) => [
      runRoute(
        'behaviour',
        'code',
        async (ctx) => {
          const first = await ctx.must('once');
          if (one.broken) throw new Error('a bug');
          return [first, await ctx.must('row')];
        },
        stage,
      ),
      runRoute(
        'behaviour',
        'other',
        async (ctx) => (one.broken ? ctx.must('once') : ctx.must('look', { n: 1 })),
        stage,
      ),
    ]);
    const engine = await start();
    expect((await engine.call('code')).status).toBe(500);
    const id = await rootOf(store);
    one.broken = false;
    expect(json(await retry(engine, id))).toMatchObject({ status: 'completed' });
    expect(world.count(`once ${id}.0`)).toBe(1);
  });

  it('keeps what a retry needs until it is deleted, whatever its size', async () => {
    verifies('run.retry.large');
    const one = { broken: true };
    const large = 'x'.repeat(200_000);
    const { store, database, start } = await open((stage) => [
      runRoute(
        'behaviour',
        'large',
        async (ctx, input) => {
          const value = ctx.value('uuid', () => large) as string;
          await think(ctx, one, { text: 'ok' });
          return [value.length, String(input['input']).length];
        },
        stage,
      ),
    ]);
    const engine = await start();
    await engine.call('large', { input: large });
    const id = await rootOf(store);
    const blobs = async () => (await database.many('select count(*) as n from svc__blob'))[0]?.['n'];
    // The input, and the value.
    expect(await blobs()).toBe(2);
    one.broken = false;
    const answer = await retry(engine, id);
    expect(json(answer)).toMatchObject({ status: 'completed', output: [200_000, 200_000] });
    expect(await blobs()).toBe(0);
    one.broken = true;
    await engine.call('large', { input: large });
    const other = await rootOf(store);
    // As an earlier release left it.
    await database.write([{ sql: 'delete from svc__blob' }]);
    const gone = await retry(engine, other);
    expect([gone.status, gone.body]).toMatchObject([409, { code: 'run_gone' }]);
    await engine.call('large', { input: large });
    await store.prune(0, 0);
    expect(await blobs()).toBe(0);
  });

  it('goes on with what was under way when it ran out of time', async () => {
    verifies('run.retry.nested');
    const one = { broken: true };
    const spec = { kind: 'context', name: 'slow', input: null, repeat: 'safe' } as const;
    const { store, database, world } = await open(() => []);
    const engine = await startEngine(
      database,
      (stage) => [
        runRoute('flow', 'top', async (ctx) => ctx.must('sub'), stage, { timeoutMs: 1_000 }),
        runRoute(
          'behaviour',
          'sub',
          async (ctx) => [
            await ctx.must('once'),
            await ctx.op(spec, async () => (one.broken ? new Promise<never>(() => {}) : 'late')),
          ],
          stage,
        ),
      ],
      { world },
    );
    engines.push(engine);
    expect((await engine.call('top')).status).toBe(504);
    const id = await rootOf(store);
    expect((await store.load(id)).runs.map(({ status }) => status)).toEqual(['failed', 'cancelled']);
    one.broken = false;
    expect(json(await retry(engine, id))).toMatchObject({ status: 'completed' });
    expect(world.count(`once ${id}.0.0`)).toBe(1);
  });

  it('takes its session again, or says that another run holds it', async () => {
    verifies('run.retry.session');
    const one = { broken: true };
    const { store, start } = await open((stage) => [
      runRoute(
        'agent',
        'talk',
        async (ctx) => {
          const before = (await ctx.history()) as Json;
          await think(ctx, one, { text: 'ok' });
          return { before, refund: one.broken ? null : await ctx.must('refund') };
        },
        stage,
        { session: () => ({ key: 'talk', reset: false }) },
      ),
    ]);
    const engine = await start();
    await engine.call('talk', { input: 'one' });
    const failed = await rootOf(store);
    one.broken = false;
    await engine.call('talk', { input: 'two' });
    const busy = await retry(engine, failed);
    expect([busy.status, busy.body]).toMatchObject([409, { code: 'run_session' }]);
    await approveAll(engine, store);
    expect(json(await retry(engine, failed))).toMatchObject({ status: 'awaiting_approval' });
    const held = await engine.call('talk', { input: 'three' });
    expect([held.status, held.body]).toMatchObject([409, { code: 'session_waits' }]);
  });

  it('is no other: those that run, wait, completed or were cancelled say why they are not retried', async () => {
    verifies('run.retry.refused');
    const { store, start } = await open((stage) => [
      runRoute(
        'behaviour',
        'asks',
        async (ctx) => [await ctx.must('inner'), await ctx.must('refund')],
        stage,
      ),
      runRoute('behaviour', 'inner', async (ctx) => ctx.must('look', { n: 1 }), stage),
    ]);
    const engine = await start();
    const refused = async (id: string) => {
      const { status, body } = await retry(engine, id);
      return [status, body.kind === 'problem' && body.code];
    };
    await engine.call('asks');
    const id = await rootOf(store);
    expect(await refused(id)).toEqual([409, 'run_waits']);
    expect(await refused(`${id}.0`)).toEqual([409, 'run_child']);
    expect(await refused('nobody')).toEqual([404, undefined]);
    await approveAll(engine, store);
    expect(await refused(id)).toEqual([409, 'run_ended']);
    await engine.call('asks');
    const other = await rootOf(store);
    await engine.runner.cancel(other, boss);
    expect(await refused(other)).toEqual([409, 'run_ended']);
  });
});

describe('a fork', () => {
  it('begins with what came before a step, does the rest itself, and asks humans itself', async () => {
    verifies('run.fork');
    const one = { broken: false };
    const { store, database, world, start } = await open((stage) => [
      runRoute('behaviour', 'desk', async (ctx) => [await ctx.must('sub'), await desk(one)(ctx)], stage),
      runRoute(
        'behaviour',
        'sub',
        async (ctx) => [(await ctx.model(() => ({ text: 'a' }))) as Json, await ctx.must('once')],
        stage,
      ),
    ]);
    const engine = await start();
    await engine.call('desk');
    await approveAll(engine, store);
    const id = await rootOf(store);
    const detail = json<{ steps: { seq: number; tool?: string; kind: string }[] }>(
      await engine.call('get_svc_runs_by_id', { id }),
    );
    const refund = detail.steps.find(({ kind, tool }) => kind === 'tool_call' && tool === 'refund');
    const ledger = async () =>
      Number((await database.many('select count(*) as n from svc__spend'))[0]?.['n']);
    const before = await ledger();
    const forked = await fork(engine, id, refund?.seq ?? 0);
    const { run_id: forkId } = json<{ run_id: string }>(forked);
    expect([forked.status, forkId === id]).toEqual([202, false]);
    await expect.poll(async () => (await store.list({ limit: 1 }))[0]?.status).toBe('waiting');
    expect(await ledger()).toBe(before);
    expect([world.count(`once ${forkId}.0.1`), world.count(`refund ${forkId}.2`)]).toEqual([0, 0]);
    await approveAll(engine, store);
    const tree = await store.load(forkId);
    expect(tree.runs.map(({ runId, status }) => [runId, status])).toEqual([
      [forkId, 'completed'],
      [`${forkId}.0`, 'completed'],
    ]);
    // It asked its model once, and knows what the other one paid.
    expect([(await ledger()) - before, tree.spend.length]).toEqual([1, 2]);
    expect([world.count(`refund ${id}.2`), world.count(`refund ${forkId}.2`)]).toEqual([1, 1]);
    expect((await store.load(id)).runs[0]?.status).toBe('completed');
    expect(engine.events.filter(({ kind }) => kind === 'run_forked')).toMatchObject([
      { run_id: forkId, from: id, at: refund?.seq, by: 'boss' },
    ]);
  });

  it('takes decided approvals along as history, never as permission', async () => {
    verifies('run.fork.approvals');
    const one = { broken: false };
    const { store, world, start } = await open((stage) => [runRoute('behaviour', 'desk', desk(one), stage)]);
    const engine = await start();
    await engine.call('desk');
    await approveAll(engine, store);
    const id = await rootOf(store);
    const { ops, approvals } = await store.load(id);
    const ordOf = (name: string) => ops.find((op) => op.name === name)?.ord ?? 0;
    // Decided, and not done yet.
    const [asked] = approvals;
    expect(asked?.decidedOrd).toBeLessThan(ordOf('refund'));
    const { run_id: before } = json<{ run_id: string }>(await fork(engine, id, ordOf('refund')));
    await expect.poll(async () => (await store.load(before)).runs[0]?.status).toBe('waiting');
    expect((await store.load(before)).approvals).toMatchObject([{ status: 'pending', n: 1 }]);
    expect(world.count(`refund ${before}.1`)).toBe(0);
    // Done: the approval is what it was, and nobody is asked again.
    const { run_id: behind } = json<{ run_id: string }>(await fork(engine, id, ordOf('refund') + 1));
    await expect.poll(async () => (await store.load(behind)).runs[0]?.status).toBe('completed');
    const copied = (await store.load(behind)).approvals;
    expect(copied).toMatchObject([{ status: 'approved', decidedBy: 'boss', runId: behind }]);
    expect(copied[0]?.approvalId).not.toBe(asked?.approvalId);
    expect(world.count(`refund ${behind}.1`)).toBe(0);
  });

  it('at a place that is none is refused', async () => {
    verifies('run.fork.refused');
    const { store, start } = await open((stage) => [
      runRoute('behaviour', 'looks', async (ctx) => ctx.must('inner'), stage),
      runRoute('behaviour', 'inner', async (ctx) => ctx.must('look', { n: 1 }), stage),
    ]);
    const engine = await start();
    await engine.call('looks');
    const id = await rootOf(store);
    const status = async (of: string, at: number) => (await fork(engine, of, at)).status;
    expect(await status(id, 0)).toBe(422);
    expect(await status(id, 1)).toBe(202);
    expect(await status(id, 1_000)).toBe(422);
    expect(await status(`${id}.0`, 1)).toBe(409);
    expect(await status('nobody', 1)).toBe(404);
  });
});

describe('random programs that fail at a random step', () => {
  it('come to the same when they are retried as if they had not failed, with effects once', {
    timeout: 120_000,
  }, async () => {
    verifies('run.retry');
    const programs = byTier({ quick: 10, slow: 15, drill: 80 });
    let failed = 0;
    for (let seed = 1; seed <= programs; seed++) {
      const program = randomProgram(randoms(seed), 12);
      const plain = await play(seed, program, Number.POSITIVE_INFINITY);
      const at = 1 + Math.floor(randoms(seed + 7_000)() * Math.max(1, plain.asked));
      const retried = await play(seed, program, at);
      failed += retried.retries;
      const where = `seed ${seed}, fails at ${at}`;
      expect(retried.status, where).toBe(plain.status);
      for (const [what, count] of retried.effects) expect(count, `${where}: ${what}`).toBe(1);
      if (isSteady(program)) expect(toolsOf(retried), where).toEqual(toolsOf(plain));
    }
    expect(failed).toBeGreaterThan(programs / 2);
  });
});

/** Runs a program whose `at`-th question to a model fails the run, and retries it until it ends otherwise. */
async function play(seed: number, program: ReturnType<typeof randomProgram>, at: number) {
  const world = new World();
  let asked = 0;
  const { database, store } = await openState();
  const body = async (ctx: Ctx): Promise<Json> => {
    const value = await perform(ctx, program).catch((error: unknown) => String(error));
    // Between what the program did and what comes last.
    await ctx.model(() => {
      if (++asked === at) throw new HTTPError(502, `fails at ${at}`, { code: 'rejected' });
      return { text: 'ok' };
    });
    await ctx.must('once', { n: seed % 7 });
    return value;
  };
  const engine = await startEngine(
    database,
    (stage) => [
      runRoute('behaviour', 'top', async (ctx) => ctx.must('program'), stage),
      runRoute('behaviour', 'program', body, stage),
    ],
    { world },
  );
  let retries = 0;
  await engine.call('top');
  for (let round = 0; round < 60; round++) {
    await approveAll(engine, store);
    const [root] = await store.list({ limit: 1 });
    if (root?.status === 'failed' && root.error?.message === `fails at ${at}`) {
      retries++;
      await retry(engine, root.runId);
    } else if (root && root.status !== 'waiting' && root.status !== 'running' && root.status !== 'ready')
      break;
  }
  const [root] = await store.list({ limit: 1 });
  // What only reads may be read again, and a key may be used twice.
  const effects = [...world.effects].filter(([what]) => /^(?:once|fail|refund) /.test(what));
  await engine.stop();
  engine.life.kill();
  await database.close();
  return { status: root?.status, effects, asked, retries };
}

/** Whether the order of what it asks for is the same each time: nothing goes on beside what was given up. */
function isSteady(program: ReturnType<typeof randomProgram>): boolean {
  const text = JSON.stringify(program);
  return !/"(?:race|any|float)"/.test(text) && !(text.includes('"all"') && text.includes('"fail"'));
}

/** What was done, whatever the numbers of its steps. */
function toolsOf({
  effects,
}: {
  readonly effects: readonly (readonly [string, number])[];
}): readonly string[] {
  return effects.map(([what]) => what.split(' ')[0] ?? '').sort();
}
