/** Runs whose input is kept in memory until they wait or are given back. */
import assert from 'node:assert/strict';
import type { Values } from '@waymark/contract';
import type { Principal } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import type { SqlDatabase } from '@waymark/data';
import { sqlRunStore } from '@waymark/data';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Loaded } from './kills/kill-series.ts';
import { endLeases, type Played, type Survived, say, survive } from './kills/survive.ts';
import { agent, runRoute, type Stage } from './runs/drivers.ts';
import { type EngineOptions, json, openState, startEngine } from './runs/engine.ts';
import { Life } from './runs/world.ts';

const yard: Principal = {
  id: 'watcher:yard',
  rootId: 'watcher:yard',
  authenticated: true,
  scopes: ['use'],
};

const seen = { input: { type: 'image', mediaType: 'image/png', data: 'A'.repeat(100_000) } };

const call = { transient: true, via: 'watcher', principal: yard } as const;

const refunds = agent([
  {
    calls: [
      { tool: 'once', args: {} },
      { tool: 'refund', args: {} },
    ],
  },
  { text: 'bye' },
]);

/** An agent that looks at what it was given, calls what must not be repeated, then what a human decides. */
const routes = (stage: Stage) => [
  runRoute(
    'agent',
    'guard',
    async (ctx, input) => {
      ctx.world.give('input', input);
      return refunds(ctx);
    },
    stage,
    { session: (given) => sessionOf(given) },
  ),
  runRoute(
    'behaviour',
    'both',
    async (ctx, input) => {
      ctx.world.give('input', input);
      return Promise.all([ctx.call('refund'), ctx.call('look', { n: 1 })]);
    },
    stage,
  ),
];

function sessionOf({ session_id: id }: Values) {
  return typeof id === 'string' ? { key: `guard:${id}`, reset: false } : undefined;
}

const shape: Played = { name: 'transient', start: 'guard', input: seen, call, routes };

/** What a human finds: nothing waits whose input is not there. */
function endured(deaths: readonly number[], check: (loaded: Loaded) => void): Promise<Survived> {
  return survive({
    ...{ shape, policy: 'approve', deaths },
    async decide(engine, { runs, approvals }) {
      assert.deepEqual(runs[0]?.call, { route: 'guard', values: seen, via: 'watcher' });
      const open = approvals.find(({ status }) => status === 'pending');
      assert.ok(open, 'the run waits for nobody');
      return say(engine, open.approvalId, true);
    },
    async check(world, loaded, database) {
      const { runs, approvals } = loaded;
      assert.deepEqual(world.contradictions, []);
      assert.ok(approvals.every(({ status }) => status !== 'pending'));
      const [root] = runs;
      assert.ok(root);
      const once = [...world.effects].filter(([effect]) => effect.startsWith('once '));
      assert.ok(once.length <= 1 && once.every(([, count]) => count === 1), 'a call was repeated');
      if (root.error?.code === 'interrupted') await staysInterrupted(loaded, database);
      check(loaded);
    },
  });
}

async function staysInterrupted({ runs: [root] }: Loaded, database: SqlDatabase): Promise<void> {
  assert.ok(root);
  assert.deepEqual(root.call, { route: 'guard', values: null, via: 'watcher', transient: true });
  assert.deepEqual(await sqlRunStore(database).retry(root.runId, 'boss'), { outcome: 'gone' });
}

describe('a process that dies during a run whose input is in memory', () => {
  it('ends it as interrupted, unless it waited before, wherever it dies', async () => {
    verifies('run.input.interrupted', 'run.input.transient');
    const { points, status } = await endured([], () => {});
    expect(status).toBe('completed');
    const ends = new Map<string, number>();
    for (let at = 1; at <= points; at++) {
      let end = '';
      const { engines } = await endured([at], ({ runs: [root] }) => {
        end = root?.error?.code ?? root?.status ?? '';
        if (end === 'failed') assert.fail(JSON.stringify(root?.error));
      });
      expect(engines).toBe(2);
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    expect([...ends.keys()].sort()).toEqual(['completed', 'interrupted']);
    expect(Math.min(...ends.values())).toBeGreaterThan(5);
  });

  it('ends it as interrupted when process after process dies of ending it, and never as a crash loop', async () => {
    verifies('run.input.interrupted');
    const working = 1 + (await endured([], () => {})).trace.indexOf('before once');
    const { trace } = await endured([working], () => {});
    const ending = 1 + trace.slice(working).indexOf('before finish');
    expect(ending).toBeGreaterThan(0);
    const { loaded, engines } = await endured([working, ...Array<number>(6).fill(ending)], () => {});
    expect(engines).toBeGreaterThan(6);
    expect(loaded.runs[0]?.error).toEqual({
      code: 'interrupted',
      message: 'the process stopped while it ran, and its input was not stored',
      status: 500,
    });
  });
});

async function opened(options: EngineOptions = {}) {
  const { database, store } = await openState();
  const engine = await startEngine(database, routes, options);
  onTestFinished(async () => {
    if (!engine.life.dead) await engine.stop();
    engine.life.kill();
    await database.close();
  });
  return { database, store, engine };
}

describe('a run whose input is in memory', () => {
  it('is in the store without it while it works, and with it while it waits', async () => {
    verifies('run.input.transient');
    const { store, engine, database } = await opened();
    const stored = async () =>
      (await store.load((await store.list({ limit: 1 }))[0]?.runId ?? '')).runs[0]?.call;
    const asked: unknown[] = [];
    const answer = await engine.call('guard', seen, {
      ...call,
      onRun: () => asked.push(stored()),
    });
    expect(await asked[0]).toEqual({ route: 'guard', values: null, via: 'watcher', transient: true });
    expect(answer.status).toBe(202);
    expect(await stored()).toEqual({ route: 'guard', values: seen, via: 'watcher' });
    expect(await database.many('select count(*) as blobs from svc__blob')).toEqual([{ blobs: 1 }]);
  });

  it('is given again to the leg that begins because a decision came meanwhile', async () => {
    verifies('run.input.transient');
    const { store, engine, database } = await opened();
    engine.life.point = async (name) => {
      if (name !== 'look') return;
      const pending = async () => (await store.approvals({ status: 'pending', limit: 1 }))[0];
      await expect.poll(pending).toBeDefined();
      await store.decide((await pending())?.approvalId ?? '', { status: 'approved', note: '', by: 'boss' });
    };
    expect(json(await engine.call('both', seen, call))).toMatchObject({ status: 'completed' });
    expect(engine.world.contradictions).toEqual([]);
    expect(await database.many('select wakes, input from svc__run')).toEqual([{ wakes: 1, input: '~' }]);
  });

  it('is gone on with by the next process when this one shuts down', async () => {
    verifies('run.input.transient');
    const { database, store, engine } = await opened();
    const life = new Life();
    let asks = 0;
    const point = life.point.bind(life);
    engine.life.point = async (name) => {
      if (name === 'before once' && ++asks === 1) {
        engine.shutdown();
        await engine.runner.plugin.stop?.();
      }
      return point(name);
    };
    await engine.call('guard', seen, call).catch(() => {});
    const [root] = await store.list({ limit: 1 });
    expect(root?.status).toBe('ready');
    expect((await store.load(root?.runId ?? '')).runs[0]?.call).toEqual({
      route: 'guard',
      values: seen,
      via: 'watcher',
    });
    const next = await startEngine(database, routes, { world: engine.world });
    onTestFinished(async () => next.stop());
    await expect.poll(async () => (await store.list({ limit: 1 }))[0]?.status).toBe('waiting');
  });

  it('has no session', async () => {
    verifies('run.input.transient');
    const { engine, store } = await opened();
    expect((await engine.call('guard', { ...seen, session_id: 's' }, call)).status).toBe(500);
    expect(await store.list({ limit: 1 })).toEqual([]);
  });

  it('may have an idempotency key, and is found by it whatever became of it', async () => {
    verifies('run.input.interrupted', 'run.input.transient');
    const { database, engine } = await opened();
    const life = engine.life;
    const died = engine.call('guard', seen, { ...call, idempotencyKey: 'tick-1', onRun: () => life.kill() });
    await Promise.race([died, life.died]);
    await endLeases(database);
    const next = await startEngine(database, routes, { world: engine.world });
    onTestFinished(async () => next.stop());
    const again = async () => next.call('guard', seen, { ...call, idempotencyKey: 'tick-1' });
    await expect.poll(async () => (await again()).status).toBe(500);
    expect((await again()).body).toMatchObject({ code: 'interrupted' });
    const other = await next.call('guard', seen, { ...call, idempotencyKey: 'tick-2' });
    expect(json(other)).toMatchObject({ status: 'awaiting_approval' });
  });
});
