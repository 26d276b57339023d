/** Calls of models whose process ends before they do: they are paid, so they are in the ledger. */
import type { Json } from '@waymark/contract';
import { ModelError, type Spend } from '@waymark/contract/models';
import { suspiciousAttempts } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { endLeases } from './kills/survive.ts';
import { type Ctx, type RunOptions, runRoute, type Stage, spendOf } from './runs/drivers.ts';
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

/** What a call is counted as whose end nobody hears. */
const cut: Spend = { ...spendOf(30, 4), costMicros: 7, estimated: true };
/** What one costs that was answered. */
const paid = spendOf(10, 10);

/** A model that answers when it is told to. */
class Model {
  asked = 0;
  #answer: (() => void)[] = [];

  think(): Promise<void> {
    this.asked++;
    return new Promise((resolve) => this.#answer.push(resolve));
  }

  answer(): void {
    for (const one of this.#answer.splice(0)) one();
  }
}

async function house(body: (ctx: Ctx, model: Model) => Promise<Json>, run: RunOptions = {}) {
  const { database, store } = await openState();
  const model = new Model();
  const world = new World();
  const start = async (options: EngineOptions = {}): Promise<Engine> => {
    const routes = (stage: Stage) => [
      runRoute('agent', 'inner', (ctx) => body(ctx, model), stage),
      runRoute('agent', 'main', (ctx) => body(ctx, model), stage, run),
      runRoute('flow', 'outer', async (ctx) => ctx.must('inner'), stage, run),
    ];
    const engine = await startEngine(database, routes, { world, after: quick, ...options });
    engines.push(engine);
    return engine;
  };
  /** Starts a process that dies in its model call, or in another of its kind. */
  const dieAsking = async (options: { readonly call?: string } = {}): Promise<void> => {
    const life = new Life();
    const asked = model.asked;
    const engine = await start({ life });
    if (options.call !== undefined) void engine.call(options.call);
    await expect.poll(() => model.asked).toBeGreaterThan(asked);
    await noted();
    life.kill();
    await endLeases(database);
  };
  const begun = async () => database.many('select run_id from svc__op where begun is not null', []);
  const noted = async () => {
    await expect.poll(async () => (await begun()).length).toBeGreaterThan(0);
  };
  const only = async () => store.load((await store.list({ limit: 1 }))[0]?.runId ?? '');
  const ledger = async () => (await database.many('select 1 from svc__spend', [])).length;
  const ended = async () => {
    while ((await store.list({ limit: 1 })).some(isOpen)) {
      model.answer();
      await new Promise(setImmediate);
    }
  };
  return { ...{ database, store, model, start, dieAsking, begun, noted, only, ledger, ended }, world };
}

/** Upkeep comes often; deadlines are far away. */
function quick(ms: number, task: () => unknown): () => void {
  const timer = ms > 60_000 ? undefined : setTimeout(task, Math.min(ms, 5));
  return () => clearTimeout(timer);
}

const ask = (ctx: Ctx, model: Model, kind: 'model' | 'ask' | 'compaction' = 'model'): Promise<Json> =>
  ctx.scope.op<Json>({ kind, name: 'fast', input: null, repeat: 'safe', estimate: () => cut }, async () => {
    await model.think();
    return { value: 'said', spend: [paid] };
  });

const spends = (rows: readonly Spend[]): readonly [number, boolean][] =>
  rows.map(({ inputTokens, estimated }) => [inputTokens, estimated]);

describe('a call of a model that is cut off by a death', () => {
  it.each(['model', 'ask', 'compaction'] as const)(
    'of kind %s is in the ledger once for each',
    async (kind) => {
      verifies('ledger.cut-off');
      const { dieAsking, start, ended, only, ledger, model } = await house((ctx, m) => ask(ctx, m, kind));
      await dieAsking({ call: 'main' });
      await dieAsking();
      await dieAsking();
      await start();
      await ended();
      expect(model.asked).toBe(4);
      const { spend, ops } = await only();
      expect(spends(spend)).toEqual([
        [30, true],
        [30, true],
        [30, true],
        [10, false],
      ]);
      expect(ops.map(({ state, kind: of }) => [of, state])).toEqual([[kind, 'done']]);
      expect(await ledger()).toBe(4);
    },
  );

  it('counts in the usage of its run, live and read again', async () => {
    verifies('ledger.cut-off');
    const seen: number[] = [];
    const { dieAsking, start, ended } = await house(async (ctx, model) => {
      await ask(ctx, model);
      seen.push(ctx.scope.usage().inputTokens);
      return ask(ctx, model);
    });
    await dieAsking({ call: 'main' });
    const life = new Life();
    const engine = await start({ life });
    await expect.poll(() => engine.life.dead).toBe(false);
    await ended();
    expect(seen).toEqual([40]);
  });

  it('counts in the budgets of the runs above it', async () => {
    verifies('ledger.cut-off');
    const { dieAsking, start, ended, store, model } = await house(
      async (ctx, m) => {
        const spec = { kind: 'model', name: 'fast', input: null, repeat: 'safe' } as const;
        return ctx.scope.op<Json>(
          { ...spec, reserveTokens: 20, estimateTokens: 10, estimate: () => cut },
          async () => {
            await m.think();
            return { value: 'said', spend: [paid] };
          },
        );
      },
      // Two calls that were cut off leave room for none.
      { tokenBudget: 75 },
    );
    await dieAsking({ call: 'outer' });
    await dieAsking();
    await start();
    await ended();
    expect(model.asked).toBe(2);
    const [root] = await store.list({ limit: 1 });
    expect((await store.load(root?.runId ?? '')).runs.map(({ status }) => status)).toContain(
      'budget_exhausted',
    );
  });

  it('is no step forward of its run', async () => {
    verifies('ledger.cut-off', 'run.suspects');
    const { dieAsking, store } = await house(ask);
    await dieAsking({ call: 'main' });
    for (let i = 0; i < suspiciousAttempts; i++) await dieAsking();
    const [root] = await store.list({ limit: 1 });
    const [taken] = await store.take('q', 1, 60_000, root?.runId);
    expect(taken?.attempts).toBe(suspiciousAttempts + 1);
  });

  it('holds no code to having asked', async () => {
    verifies('ledger.cut-off');
    let asks = true;
    const { dieAsking, start, ended, store, ledger } = await house(async (ctx, model) =>
      asks ? ask(ctx, model, 'ask') : ctx.must('look'),
    );
    await dieAsking({ call: 'main' });
    asks = false;
    await start();
    await ended();
    const [root] = await store.list({ limit: 1 });
    expect(root).toMatchObject({ status: 'completed' });
    const { ops } = await store.load(root?.runId ?? '');
    expect(ops.map(({ kind, name, state }) => [kind, name, state])).toEqual([['call', 'look', 'done']]);
    expect(await ledger()).toBe(1);
  });
});

describe('a call of a model', () => {
  it('that ends is counted as it was, however long it took', async () => {
    verifies('ledger.cut-off');
    const { start, noted, model, only, ledger, begun } = await house(ask);
    const engine = await start();
    const answer = engine.call('main');
    await noted();
    model.answer();
    await answer;
    expect(spends((await only()).spend)).toEqual([[10, false]]);
    expect(await begun()).toEqual([]);
    expect(await ledger()).toBe(1);
  });

  it('that its provider refused, and that is tried again later, was not cut off', async () => {
    verifies('ledger.cut-off');
    let refused = 0;
    const { start, noted, begun, ended, only, ledger } = await house((ctx) =>
      ctx.scope.op<Json>(
        { kind: 'model', name: 'fast', input: null, repeat: 'safe', estimate: () => cut },
        async () => {
          if (refused++ > 0) return { value: 'said', spend: [paid] };
          await noted();
          throw new ModelError('not now', { reason: 'unavailable', provider: 'script', model: 'fast' });
        },
      ),
    );
    expect((await (await start()).call('main')).status).toBe(202);
    expect(await begun()).toEqual([]);
    await ended();
    expect(refused).toBe(2);
    expect(spends((await only()).spend)).toEqual([[10, false]]);
    expect(await ledger()).toBe(1);
  });

  it('that is over at once is never noted', async () => {
    let notes = 0;
    const { start, only, ledger } = await house((ctx) =>
      ctx.scope.op<Json>(
        {
          ...{ kind: 'model', name: 'fast', input: null, repeat: 'safe' },
          estimate: () => {
            notes++;
            return cut;
          },
        },
        async () => ({ value: 'said', spend: [paid] }),
      ),
    );
    await (await start()).call('main');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(notes).toBe(0);
    expect(spends((await only()).spend)).toEqual([[10, false]]);
    expect(await ledger()).toBe(1);
  });

  it('that is given up by a shutdown is a cut one', async () => {
    verifies('ledger.cut-off');
    const { start, noted, ended, only, ledger } = await house(ask);
    const engine = await start({ drainMs: 20 });
    const answer = engine.call('main');
    await noted();
    engine.shutdown();
    expect((await answer).status).toBe(503);
    await start();
    await ended();
    expect(spends((await only()).spend)).toEqual([
      [30, true],
      [10, false],
    ]);
    expect(await ledger()).toBe(2);
  });

  it('that is given up with its run is in the ledger, too', async () => {
    verifies('ledger.cut-off');
    const { start, noted, only, ledger, begun } = await house(ask);
    const engine = await start();
    const answer = engine.call('main');
    await noted();
    const [root] = (await only()).runs;
    await engine.runner.cancel(root?.runId ?? '', boss);
    expect(json(await answer)).toMatchObject({ status: 'cancelled' });
    expect(await ledger()).toBe(1);
    expect(await begun()).toEqual([]);
  });

  it('that its code did not wait for is in the ledger when the run ends', async () => {
    verifies('ledger.cut-off');
    const { start, noted, model, ledger, begun } = await house(async (ctx, m) => {
      void ask(ctx, m);
      return ctx.op({ kind: 'context', name: 'x', input: null, repeat: 'safe' }, async () => {
        await noted();
        return 'done';
      });
    });
    expect((await (await start()).call('main')).status).toBe(200);
    expect(model.asked).toBe(1);
    expect(await ledger()).toBe(1);
    expect(await begun()).toEqual([]);
  });
});
