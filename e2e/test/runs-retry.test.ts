/** Calls of runs that fail in a way that passes, over the engine of runs with its database. */
import { defineRoute, HTTPError, type Json, type Route, toRoute } from '@waymark/contract';
import type { RunStore } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import type { SqlDatabase } from '@waymark/data';
import { afterEach, describe, expect, it } from 'vitest';
import { endLeases } from './kills/survive.ts';
import { type Ctx, type RunOptions, runRoute, type Stage } from './runs/drivers.ts';
import { isOpen } from './runs/end.ts';
import { boss, type Engine, type EngineOptions, json, openState, startEngine } from './runs/engine.ts';
import { Life, World } from './runs/world.ts';

const engines: Engine[] = [];

afterEach(async () => {
  for (const engine of engines.splice(0)) {
    // What is dead gives nothing back.
    if (!engine.life.dead) await engine.stop();
    engine.life.kill();
  }
});

/** Longer than any test: who waits so long waits until somebody ends it. */
const longMs = 50_000;

/** How the tools of a house behave. */
interface House {
  readonly body: (ctx: Ctx) => Promise<Json>;
  readonly run?: RunOptions;
  readonly backoffMs?: number;
  /** Attempts of `flaky` that fail, over all processes. */
  readonly failures?: number;
}

async function house({ body, run, backoffMs = 1, failures = 0 }: House) {
  const { database, store } = await openState();
  const world = new World();
  const start = async (options: EngineOptions = {}): Promise<Engine> => {
    const routes = (stage: Stage): readonly Route[] => [
      ...flakyTools(stage, database, { backoffMs, failures }),
      runRoute('flow', 'main', body, stage, run),
    ];
    const engine = await startEngine(database, routes, { world, ...options });
    engines.push(engine);
    return engine;
  };
  const only = async () => {
    const [one] = await store.list({ limit: 1 });
    return store.load(one?.runId ?? '');
  };
  const effects = async () => (await database.many('select key from effect', [])).map(({ key }) => key);
  return { database, store, world, start, only, effects };
}

function flakyTools(
  { world }: Stage,
  database: SqlDatabase,
  { backoffMs, failures }: { readonly backoffMs: number; readonly failures: number },
): readonly Route[] {
  const retry = { attempts: 3, backoffMs };
  const plain = { tool: true, scopes: ['use'], retry };
  const attempt = (headers: Readonly<Record<string, string>>): Json => {
    world.happened('attempt');
    world.happened(`key ${headers['idempotency-key']}`);
    if (world.count('attempt') <= failures) throw new HTTPError(503, 'not now');
    return { done: world.count('attempt') };
  };
  return [
    defineRoute('PUT', '/flaky', { ...plain, toolName: 'flaky' }, (_, { headers }) => attempt(headers)),
    defineRoute('PUT', '/gated', { ...plain, toolName: 'gated', approval: 'required' }, (_, { headers }) =>
      attempt(headers),
    ),
    toRoute(
      'POST',
      '/rows',
      {
        kind: 'resource',
        durability: 'transaction',
        answer: async ({ step }) => {
          world.happened('row');
          await database.transaction(async (transaction) => {
            await transaction.run('insert into effect (key) values (?)', [step?.key ?? 'none']);
            await step?.record({ ok: true, status: 200, value: 'stored' }, transaction.handle);
          });
          throw new HTTPError(503, 'the answer was lost');
        },
      },
      { ...plain, toolName: 'rows' },
    ),
  ];
}

/** Waits until so many attempts were made, and the last of them was judged. */
async function attempts(world: World, count: number): Promise<void> {
  while (world.count('attempt') < count) await new Promise(setImmediate);
  for (let i = 0; i < 10; i++) await new Promise(setImmediate);
}

async function ended(store: RunStore): Promise<void> {
  while ((await store.list({ limit: 1 })).some(isOpen)) await new Promise(setImmediate);
}

const calls = (...tools: readonly string[]) => ({
  body: async (ctx: Ctx): Promise<Json> => {
    const results: Json[] = [];
    for (const tool of tools) results.push(await ctx.call(tool));
    return results;
  },
});

describe('a call in a run', () => {
  it.each([
    [2, true],
    [3, false],
  ])('that fails %i times of at most 3 is recorded once, by its last answer', async (failures, ok) => {
    verifies('run.retry.attempts');
    const { start, world, only } = await house({ ...calls('flaky'), failures });
    const engine = await start();
    expect(json(await engine.call('main'))).toMatchObject({ output: [{ ok }] });
    expect(world.count('attempt')).toBe(3);
    const { ops } = await only();
    expect(ops.map(({ kind, state, value }) => [kind, state, (value as { ok: boolean }).ok])).toEqual([
      ['call', 'done', ok],
    ]);
  });

  it('has one key for all attempts', async () => {
    verifies('run.retry.key');
    const { start, world, only } = await house({ ...calls('flaky', 'flaky'), failures: 2 });
    await (await start()).call('main');
    const [root] = (await only()).runs;
    expect(world.count(`key ${root?.runId}.0`)).toBe(3);
    expect(world.count(`key ${root?.runId}.1`)).toBe(1);
  });

  it('is made once when its effect was committed with its record', async () => {
    verifies('run.retry.record');
    const { start, world, effects, only } = await house(calls('rows'));
    const answer = json(await (await start()).call('main'));
    // What was committed stands.
    expect(answer).toMatchObject({ output: [{ ok: true, value: 'stored' }] });
    expect(world.count('row')).toBe(1);
    expect(await effects()).toHaveLength(1);
    expect((await only()).ops).toHaveLength(1);
  });

  it('that a human approved is asked about once', async () => {
    verifies('run.retry.attempts');
    const { start, world, only, store } = await house({ ...calls('gated'), failures: 2 });
    const engine = await start();
    expect((await engine.call('main')).status).toBe(202);
    const [asked] = await store.approvals({ limit: 9 });
    const decided = await engine.runner.decide(asked?.approvalId ?? '', {
      approve: true,
      note: '',
      by: boss,
    });
    expect(json(decided)).toMatchObject({ status: 'completed', output: [{ ok: true }] });
    expect(world.count('attempt')).toBe(3);
    expect((await only()).approvals).toHaveLength(1);
  });

  it('is not made by its run when somebody calls the route', async () => {
    verifies('run.retry.runs-only');
    const { start, world } = await house({ ...calls('flaky'), failures: 1 });
    expect((await (await start()).call('flaky')).status).toBe(503);
    expect(world.count('attempt')).toBe(1);
  });
});

describe('a call that waits to be made again', () => {
  it('is made no more when its run is cancelled', async () => {
    verifies('run.retry.ends');
    const { start, world, only } = await house({ ...calls('flaky'), failures: 9, backoffMs: 20 });
    const engine = await start();
    const answer = engine.call('main');
    await attempts(world, 1);
    const [root] = (await only()).runs;
    await engine.runner.cancel(root?.runId ?? '', boss);
    expect(json(await answer)).toMatchObject({ status: 'cancelled' });
    // A busy machine may have been late with the word.
    const made = world.count('attempt');
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(world.count('attempt')).toBe(made);
    expect(made).toBeLessThan(9);
  });

  it('is answered at once when the time of its run would be over by then', async () => {
    verifies('run.retry.ends');
    const { start, world } = await house({
      ...calls('flaky'),
      ...{ failures: 9, backoffMs: longMs, run: { timeoutMs: 20_000 } },
    });
    const answer = json(await (await start()).call('main'));
    expect(answer).toMatchObject({ status: 'completed', output: [{ ok: false, status: 503 }] });
    expect(world.count('attempt')).toBe(1);
  });

  it('is left to the next process when this one is about to end', async () => {
    verifies('run.retry.ends');
    const { start, world, store, only } = await house({
      ...calls('flaky'),
      ...{ failures: 2, backoffMs: longMs },
    });
    const engine = await start({ drainMs: longMs });
    const answer = engine.call('main');
    await attempts(world, 1);
    engine.shutdown();
    // Long before it would have given the run up.
    expect((await answer).status).toBe(503);
    const [left] = await store.list({ limit: 1 });
    expect(left?.status).toBe('ready');
    expect((await only()).ops).toEqual([]);
    await start({ after: quick });
    await attempts(world, 3);
    await ended(store);
    expect(world.count(`key ${left?.runId}.0`)).toBe(3);
  });

  it('keeps a run from ending whose code does not wait for it', async () => {
    verifies('run.retry.ends');
    const body = async (ctx: Ctx): Promise<Json> => {
      void ctx.call('flaky');
      return ctx.call('keyed');
    };
    const { start, world, store } = await house({ body, failures: 1, backoffMs: longMs });
    const engine = await start({ drainMs: longMs });
    const answer = engine.call('main');
    await attempts(world, 1);
    engine.shutdown();
    expect((await answer).status).toBe(503);
    await start({ after: quick });
    await ended(store);
    const { ops } = await store.load((await store.list({ limit: 1 }))[0]?.runId ?? '');
    expect(ops.map(({ name, state }) => [name, state])).toEqual([
      ['flaky', 'done'],
      ['keyed', 'done'],
    ]);
    expect(world.count('attempt')).toBe(2);
  });

  it('is made by the next process after a death, with attempts of its own', async () => {
    verifies('run.retry.ends');
    const { start, world, database, store } = await house({
      ...calls('flaky'),
      ...{ failures: 4, backoffMs: longMs },
    });
    const life = new Life();
    const engine = await start({ life });
    void engine.call('main');
    await attempts(world, 1);
    life.kill();
    await endLeases(database);
    await start({ after: quick });
    await ended(store);
    expect(world.count('attempt')).toBe(4);
    expect((await store.list({ limit: 1 }))[0]?.output).toMatchObject([{ ok: false, status: 503 }]);
  });
});

/** No wait is long; deadlines are far away. */
function quick(ms: number, task: () => unknown): () => void {
  const timer = ms > 60_000 ? undefined : setTimeout(task, Math.min(ms, 5));
  return () => clearTimeout(timer);
}
