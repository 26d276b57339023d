/** Clocks that are wrong, deadlines that are far away, and what is expected of roots whose process died before. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { endLeases } from './kills/survive.ts';
import { type Ctx, type Reply, runRoute, type Stage } from './runs/drivers.ts';
import { isOpen } from './runs/end.ts';
import { boss, type Engine, type EngineOptions, json, openState, startEngine } from './runs/engine.ts';
import { transferTool } from './runs/tools.ts';
import { Life, World } from './runs/world.ts';

const hourMs = 3_600_000;
const yes = { approve: true, note: '', by: boss };
const engines: Engine[] = [];

afterEach(async () => {
  for (const engine of engines.splice(0)) {
    // What is dead gives nothing back.
    if (!engine.life.dead) await engine.stop();
    engine.life.kill();
  }
});

async function house(bodies: Record<string, (ctx: Ctx) => Promise<Json>>) {
  const { database, store } = await openState();
  const routes = (stage: Stage) =>
    Object.entries(bodies).map(([name, body]) => runRoute('behaviour', name, body, stage));
  const start = async (options: EngineOptions = {}): Promise<Engine> => {
    const engine = await startEngine(database, routes, options);
    engines.push(engine);
    return engine;
  };
  const pending = () => store.approvals({ status: 'pending', limit: 100 });
  return { database, store, start, pending };
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

describe.each([hourMs, -hourMs])('a process whose clock is off by %i ms', (byMs) => {
  const off = { now: () => Date.now() + byMs };
  const bodies = { asks: async (ctx: Ctx) => [await ctx.must('refund'), await ctx.must('once')] };

  it('takes nothing from another that lives, and neither does the other way round', async () => {
    const { start, store } = await house({
      ...bodies,
      slow: (ctx) =>
        ctx.op({ kind: 'model', name: 'm', input: null, repeat: 'safe' }, () => new Promise(() => {})),
    });
    const world = new World();
    const [right, wrong] = [await start({ world }), await start({ ...off, world })];
    void right.call('slow');
    void wrong.call('slow');
    await turns(20);
    expect(await store.take('somebody', 10, 1)).toEqual([]);
    const runs = await store.list({ limit: 10 });
    expect(runs.map(({ status }) => status)).toEqual(['running', 'running']);
  });

  it('asks for as long as others do, and goes on with what they began', async () => {
    const { start, pending, database } = await house(bodies);
    const world = new World();
    const wrong = await start({ ...off, world });
    await wrong.call('asks');
    const [one] = await pending();
    expect((one?.expiresMs ?? 0) - Date.now()).toBeGreaterThan(23 * hourMs);
    expect((one?.expiresMs ?? 0) - Date.now()).toBeLessThan(25 * hourMs);
    const right = await start({ world });
    expect((await right.runner.decide(one?.approvalId ?? '', yes)).status).toBe(200);
    await right.call('asks');
    const [two] = await pending();
    expect((await wrong.runner.decide(two?.approvalId ?? '', yes)).status).toBe(200);
    await wrong.call('asks');
    await database.write([{ sql: "update svc__approval set expires_ms = 0 where status = 'pending'" }]);
    const third = await start({ ...off, world });
    await turns(100);
    expect(await pending()).toEqual([]);
    void third;
  });
});

describe.each([hourMs, -hourMs])('a clock that is set by %i ms while a run is under way', (byMs) => {
  const work = { kind: 'context', name: 'x', input: null, repeat: 'safe' } as const;
  // What comes each second comes at once; upkeep that is rarer does not.
  const eager = {
    now: () => Date.now(),
    after: (ms: number, task: () => unknown) => {
      const timer = ms <= 1_000 ? setTimeout(task, 1) : undefined;
      return () => clearTimeout(timer);
    },
  };
  const step = (): void => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
    onTestFinished(() => void vi.useRealTimers());
  };

  it('changes neither its answer nor how long its steps took', async () => {
    const { start, store, database } = await house({
      slow: async (ctx) => {
        await ctx.op(work, async () => {
          step();
          // The clock of the database: what was leased for half a minute is over, or lasts for an hour.
          await database.write([{ sql: `update svc__run set lease_until_ms = lease_until_ms - ${byMs}` }]);
          await sleep(30);
          return null;
        });
        return ctx.op(work, () => sleep(30, 'done'));
      },
    });
    const engine = await start(eager);
    const answer = await engine.call('slow');
    expect(answer.status).toBe(200);
    expect(json(answer)['output']).toBe('done');
    const [root] = await store.list({ limit: 1 });
    const { ops } = await store.load(root?.runId ?? '');
    const took = ops.map(({ startedMs, endedMs }) => (endedMs ?? 0) - startedMs);
    expect(took).toHaveLength(2);
    for (const ms of took) {
      expect(ms).toBeGreaterThanOrEqual(29);
      expect(ms).toBeLessThan(10_000);
    }
  });

  it('leaves it the time that it has', async () => {
    const legs: number[] = [];
    const { start } = await house({
      outer: async (ctx) => {
        await ctx.op(work, async () => {
          step();
          return null;
        });
        return ctx.must('inner');
      },
      inner: async (ctx) => {
        legs.push(ctx.scope.deadlineMs - performance.now());
        return 'in time';
      },
    });
    const engine = await start({ now: () => Date.now(), agentTimeoutMs: 60_000 });
    expect((await engine.call('outer')).status).toBe(200);
    expect(legs[0]).toBeGreaterThan(1_000);
    expect(legs[0]).toBeLessThanOrEqual(61_000);
  });
});

describe('600 seconds for each leg', () => {
  it('begin anew after three hours in front of a human', async () => {
    verifies('http.timeout.agent-leg');
    let nowMs = performance.now();
    const legs: number[] = [];
    const { start, pending } = await house({
      asks: async (ctx) => {
        legs.push(ctx.scope.deadlineMs - nowMs);
        return ctx.must('refund');
      },
    });
    const timers: { ms: number; task: () => unknown; gone: boolean }[] = [];
    const engine = await start({
      monotonic: () => nowMs,
      after: (ms, task) => {
        const timer = { ms, task, gone: false };
        timers.push(timer);
        return () => {
          timer.gone = true;
        };
      },
    });
    const deadlineMs = nowMs + 600_000;
    expect((await engine.call('asks', {}, { deadlineMs })).status).toBe(202);
    // The waiting run keeps no timer.
    expect(timers.filter(({ ms, gone }) => ms === 600_000 && !gone)).toEqual([]);
    nowMs += 3 * hourMs;
    const [one] = await pending();
    expect((await engine.runner.decide(one?.approvalId ?? '', yes)).status).toBe(200);
    // Calls have a second more: what is out of time is the run, not the call that it was in.
    expect(legs).toEqual([601_000, 601_000]);
  });
});

describe('deciding', () => {
  const timers = {
    after: (ms: number, task: () => unknown) => {
      const timer = setTimeout(task, ms);
      return () => clearTimeout(timer);
    },
  };
  const slow = (ms: number) => async (ctx: Ctx) => {
    await ctx.must('refund');
    return ctx.op({ kind: 'model', name: 'm', input: null, repeat: 'safe' }, () =>
      sleep(ms, 'slow', ctx.scope),
    );
  };

  it.each([
    ['longer than other requests may take', 150, { requestTimeoutMs: 20, agentTimeoutMs: 60_000 }, 200],
    ['no longer than its run may', 60_000, { requestTimeoutMs: 60_000, agentTimeoutMs: 1_000 }, 504],
  ])('takes %s', async (_, ms, timeouts, status) => {
    verifies('http.timeout.approvals');
    const { start, pending } = await house({ slow: slow(ms) });
    const engine = await start({ ...timers, ...timeouts });
    await engine.call('slow');
    const [one] = await pending();
    const values = { id: one?.approvalId, approve: true, note: '' };
    const answer = await engine.call('create_svc_approvals_by_id', values, { principal: boss });
    expect(answer.status).toBe(status);
  });
});

describe('a root whose process died twice without a step', () => {
  it('begins when no other such root is under way, and what did not die with it goes on beside it', async () => {
    const order: string[] = [];
    let running = 0;
    let most = 0;
    const work = (name: string) => async (ctx: Ctx) => {
      await ctx.op({ kind: 'context', name: 'x', input: null, repeat: 'safe' }, async () => {
        if (name === 'bad') running++;
        most = Math.max(most, running);
        await turns(5);
        if (name === 'bad') running--;
        return null;
      });
      order.push(name);
      return name;
    };
    const { start, store, database } = await house({ bad: work('bad'), good: work('good') });
    const first = await start();
    const calls = ['bad', 'good', 'bad'].map((name) => first.call(name));
    await turns(2);
    first.life.kill();
    await turns(10);
    void calls;
    [running, most] = [0, 0];
    await database.write([{ sql: "update svc__run set attempts = 2 where name = 'bad'" }]);
    await endLeases(database);
    const ticks: (() => unknown)[] = [];
    await start({
      after: (ms, task) => {
        if (ms === 1_000) ticks.push(task);
        return () => {};
      },
    });
    for (let i = 0; i < 200; i++) {
      await turns(1);
      if (i % 20 === 19) for (const tick of ticks.splice(0)) void tick();
    }
    expect(order.toSorted()).toEqual(['bad', 'bad', 'good']);
    expect(most).toBe(1);
    const runs = await store.list({ limit: 9 });
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  });

  it.each<readonly [what: string, first: (ctx: Ctx) => Promise<unknown>]>([
    [
      'a value',
      (ctx) => ctx.op({ kind: 'context', name: 'x', input: null, repeat: 'safe' }, async () => null),
    ],
    ['a row of the same database', (ctx) => ctx.must('row')],
  ])('makes room for the next one with its first step: %s', async (_, step) => {
    verifies('run.suspects');
    let end = (): void => {};
    const ended = new Promise<null>((resolve) => {
      end = () => resolve(null);
    });
    const context = { kind: 'context', name: 'x', input: null, repeat: 'safe' } as const;
    const { start, store, database } = await house({
      long: async (ctx) => {
        await step(ctx);
        return ctx.op(context, () => ended);
      },
      short: (ctx) => ctx.op(context, async () => null),
    });
    const first = await start();
    const calls = ['long', 'short'].map((name) => first.call(name));
    first.life.kill();
    await turns(2);
    void calls;
    await database.write([{ sql: 'update svc__run set attempts = 1, lease_until_ms = 0' }]);
    await start();
    await turns(50);
    const states = async () =>
      (await store.list({ limit: 9 })).map(({ spec, status }) => [spec.name, status]);
    // The older one is still at work.
    expect(await states()).toEqual([
      ['short', 'completed'],
      ['long', 'running'],
    ]);
    end();
    await turns(20);
    expect((await states())[1]).toEqual(['long', 'completed']);
  });
});

describe('a run that ends its process each time', () => {
  const lengthy = { kind: 'context', name: 'x', input: null, repeat: 'safe' } as const;

  it('is given up alone: those that were taken up with it come to their end', async () => {
    const { database, store } = await openState();
    const world = new World();
    const open = async () => (await store.list({ limit: 9 })).filter(isOpen);
    for (let processes = 0; processes === 0 || (await open()).length > 0; processes++) {
      expect(processes).toBeLessThan(12);
      await endLeases(database);
      const life = new Life();
      const routes = (stage: Stage) => [
        runRoute('behaviour', 'deadly', (ctx) => ctx.model(() => died(life)) as Promise<Json>, stage),
        runRoute('behaviour', 'harmless', (ctx) => ctx.op(lengthy, () => turns(20).then(() => null)), stage),
      ];
      const engine = await startEngine(database, routes, { life, world });
      engines.push(engine);
      // The deadly one is the oldest: it is taken first.
      if (processes === 0) for (const name of ['deadly', 'harmless', 'harmless']) void engine.call(name);
      for (let i = 0; i < 300 && !life.dead && (processes === 0 || (await open()).length > 0); i++)
        await turns(1);
      life.kill();
    }
    const ends = (await store.list({ limit: 9 })).map(({ spec, status, error }) => [
      spec.name,
      status,
      error?.code,
    ]);
    expect(ends.toSorted()).toEqual([
      ['deadly', 'failed', 'crash_loop'],
      ['harmless', 'completed', undefined],
      ['harmless', 'completed', undefined],
    ]);
  });
});

/** A step that ends its process. */
function died(life: Life): Reply {
  life.kill();
  return { text: 'never' };
}

describe('an approved call', () => {
  it('is not executed with other arguments than those that somebody looked at', async () => {
    let amount = 1;
    const { database, store } = await openState();
    const routes = (stage: Stage) => [
      runRoute('behaviour', 'pays', (ctx) => ctx.call('transfer'), stage),
      transferTool(stage, amount),
    ];
    const world = new World();
    const first = await startEngine(database, routes, { world });
    engines.push(first);
    await first.call('pays');
    first.life.kill();
    // What nobody says is another amount by now.
    amount = 1_000;
    const second = await startEngine(database, routes, { world });
    engines.push(second);
    const [one] = await store.approvals({ status: 'pending', limit: 1 });
    expect(one?.arguments).toEqual({ amount: 1 });
    const answer = json(await second.runner.decide(one?.approvalId ?? '', yes));
    expect(answer['output']).toEqual({
      ok: false,
      status: 409,
      code: 'arguments_changed',
      message: 'the arguments are not those that were approved',
    });
    expect(world.effects.size).toBe(0);
  });
});
