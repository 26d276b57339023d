/** What a run is owed whose process is about to end. */
import type { Json } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { endLeases } from './kills/survive.ts';
import { type Ctx, runRoute, type Stage } from './runs/drivers.ts';
import { type Engine, openState, startEngine } from './runs/engine.ts';
import { World } from './runs/world.ts';

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

/** Processes one after another, in which one behaviour runs. */
async function openHouse(body: (ctx: Ctx, at: number) => Promise<Json>) {
  const { database, store } = await openState();
  const world = new World();
  const engines: Engine[] = [];
  const routes = (stage: Stage) => {
    const at = engines.length;
    return [runRoute('behaviour', 'works', (ctx) => body(ctx, at), stage)];
  };
  const start = async (): Promise<Engine> => {
    await endLeases(database);
    const engine = await startEngine(database, routes, { world });
    engines.push(engine);
    return engine;
  };
  const until = async (status: string) => {
    for (let i = 0; i < 2_000; i++) {
      const [root] = await store.list({ limit: 1 });
      if (root?.status === status) return root;
      await turns(1);
    }
    const [root] = await store.list({ limit: 1 });
    throw new Error(`the run is ${JSON.stringify(root)}`);
  };
  const close = async () => {
    for (const { life } of engines) life.kill();
    await database.close();
  };
  return { store, world, engines, start, until, close };
}

it('a call that code does not wait for, asked for while its process is about to end, is made by the next one', async () => {
  verifies('run.shutdown.nothing-new');
  const { world, engines, start, until, close } = await openHouse(async (ctx, at) => {
    await ctx.must('look');
    if (at === 0) engines[0]?.shutdown();
    await turns(5);
    void ctx.call('once');
    return 'done';
  });
  const first = await start();
  first.call('works').catch(() => {});
  const { runId } = await until('ready');
  expect(world.count(`once ${runId}.1`)).toBe(0);
  await start();
  expect(await until('completed')).toMatchObject({ runId });
  expect(world.count(`once ${runId}.1`)).toBe(1);
  await close();
});

it('recorded steps are given again while the process is about to end, so that no run seems to differ from its journal', async () => {
  const { store, world, engines, start, until, close } = await openHouse(async (ctx, at) => {
    await ctx.must('look');
    if (at === 1) engines[1]?.shutdown();
    await turns(5);
    void ctx.call('once');
    // The first process dies when all is recorded, and before the end.
    return at === 0 ? new Promise<never>(() => {}) : 'done';
  });
  const first = await start();
  void first.call('works');
  const { runId } = await until('running');
  for (let i = 0; i < 500 && (await store.load(runId)).ops.filter(({ ord }) => ord !== null).length < 2; i++)
    await turns(1);
  first.life.kill();
  await start();
  expect(await until('completed')).toMatchObject({ runId, error: null });
  expect(world.count(`once ${runId}.1`)).toBe(1);
  await close();
});
