/** One promise of the engine each, where the simulations cannot show it or would not say which one broke. */
import { type Json, toRoute } from '@waymark/contract';
import { type EngineContext, HostError } from '@waymark/contract/engine';
import { BudgetExhausted } from '@waymark/contract/runs';
import type { RunStore } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { endLeases } from './kills/survive.ts';
import { type Ctx, type RunOptions, runRoute, type Stage, spendOf } from './runs/drivers.ts';
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

type Body = (ctx: Ctx) => Promise<Json>;

async function house(bodies: Record<string, Body>, runOptions: Record<string, RunOptions> = {}) {
  const { database, store } = await openState();
  const start = async (options: EngineOptions = {}): Promise<Engine> => {
    const routes = (stage: Stage) =>
      Object.entries(bodies).map(([name, body]) =>
        runRoute('behaviour', name, body, stage, runOptions[name]),
      );
    const engine = await startEngine(database, routes, options);
    engines.push(engine);
    return engine;
  };
  const only = async () => {
    const [run] = await store.list({ limit: 1 });
    return store.load(run?.runId ?? '');
  };
  const pending = async () => (await only()).approvals.filter(({ status }) => status === 'pending');
  return { database, store, start, only, pending };
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

const yes = { approve: true, note: '', by: boss };

describe('what code is given', () => {
  it('is what was stored, the first time too', async () => {
    const { start } = await house({
      sees: async (ctx) => {
        const made = { at: new Date(0), none: undefined, list: [undefined] };
        const spec = { kind: 'context', name: 'x', input: null, repeat: 'safe' } as const;
        const seen = await ctx.scope.op(spec, async () => ({ value: made as unknown as Json }));
        return [
          typeof (seen as { at: unknown }).at,
          Object.keys(seen as object),
          seen !== (made as unknown),
        ] as Json;
      },
    });
    const engine = await start();
    expect(json(await engine.call('sees'))['output']).toEqual(['string', ['at', 'list'], true]);
  });

  it('cannot be changed for others by changing it', async () => {
    const { start, only } = await house({
      sees: async (ctx) => {
        const seen = (await ctx.must('look')) as { seen: number };
        seen.seen = 99;
        return seen;
      },
    });
    const engine = await start();
    await engine.call('sees');
    const { ops } = await only();
    expect(ops[0]?.value).toMatchObject({ value: { seen: 0 } });
  });

  it('cannot be changed afterwards, by who gave it or who got it', async () => {
    const { database, store } = await openState();
    const state = { count: 1 };
    const spec = { kind: 'agent', name: 'counts', codeVersion: '1', scopes: [] } as const;
    const asked = { kind: 'ask', name: 'x', input: null, repeat: 'safe' } as const;
    const answer = async (context: EngineContext): Promise<Json> => {
      const outcome = await context.openRun({ ...spec, tokenBudget: null, maxSteps: null }, async (scope) => {
        const got = await scope.op(asked, async () => ({ value: state }));
        state.count = 2;
        got.count = 3;
        return { status: 'completed', value: null };
      });
      return [outcome.runId, outcome.steps[0]?.result ?? null];
    };
    const engine = await startEngine(database, () => [
      toRoute(
        'POST',
        '/counts',
        { kind: 'agent', durability: 'run', answer },
        { tool: true, toolName: 'counts' },
      ),
    ]);
    engines.push(engine);
    const [runId, result] = json<[string, Json]>(await engine.call('counts'));
    expect(result).toEqual({ count: 1 });
    expect((await store.load(runId)).ops[0]?.value).toEqual({ count: 1 });
  });

  it('is the same value after a wait, although no step followed it before', async () => {
    const seen: Json[] = [];
    const body: Body = async (ctx) => {
      const decided = ctx.call('refund');
      await ctx.call('look');
      seen.push(ctx.value('uuid', () => Math.random()));
      return decided;
    };
    const { start, pending } = await house({ waits: body });
    const first = await start();
    await first.call('waits');
    first.life.kill();
    const second = await start({ world: first.world });
    const [one] = await pending();
    expect((await second.runner.decide(one?.approvalId ?? '', yes)).status).toBe(200);
    expect(seen).toEqual([seen[0], seen[0]]);
  });

  it('shows the usage of its place, whatever else is under way', async () => {
    const usages: number[][] = [];
    const body: Body = async (ctx) => {
      const seen: number[] = [];
      const look = () => seen.push(ctx.scope.usage().treeTokens);
      await ctx.model(() => ({ text: 'a' }));
      look();
      await ctx.model(() => ({ text: 'b' }));
      look();
      usages.push(seen);
      return [await ctx.call('refund'), seen];
    };
    const { start, pending } = await house({ spends: body });
    const engine = await start();
    await engine.call('spends');
    const [one] = await pending();
    await engine.runner.decide(one?.approvalId ?? '', yes);
    expect(usages).toEqual([
      [20, 40],
      [20, 40],
    ]);
  });
});

describe('an owner that stalls for longer than its lease', () => {
  it('can finish what it was doing, and never record it', async () => {
    let release: () => void = () => {};
    let stalls = true;
    const bodies: Record<string, Body> = {
      slow: async (ctx) => {
        const spec = { kind: 'run', name: 'x', input: null, repeat: 'safe' } as const;
        const who = await ctx.scope.op<Json>(spec, async () => {
          if (!stalls) return { value: 'second' };
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          return { value: 'first' };
        });
        return [who, await ctx.must('once')];
      },
    };
    const { database, start, only } = await house(bodies);
    const world = new World();
    const first = await start({ world });
    const answer = first.call('slow');
    await turns(50);
    stalls = false;
    await endLeases(database);
    const second = await start({ world });
    for (let i = 0; i < 500 && (await only()).runs[0]?.status === 'running'; i++) await turns(1);
    release();
    await turns(50);
    const { runs, ops } = await only();
    expect(runs[0]).toMatchObject({ status: 'completed', output: ['second', { done: 'once' }] });
    expect(ops[0]?.value).toBe('second');
    expect([...world.effects].filter(([name]) => name.startsWith('once'))).toHaveLength(1);
    // Its caller is told how the run really ended.
    expect(json(await answer)['output']).toEqual(['second', { done: 'once' }]);
    void second;
  });
});

describe('a gated effect whose outcome nobody knows', () => {
  it('is asked about again, in words that say why', async () => {
    const { database, start, pending } = await house({ pays: (ctx) => ctx.must('refund') });
    const world = new World();
    const life = new Life();
    const first = await start({ life, world });
    await first.call('pays');
    const [one] = await pending();
    // Dies right after the effect, before its record.
    const pass = life.pass.bind(life);
    life.pass = (name) => {
      const alive = pass(name);
      if (name === 'after refund') life.kill();
      return alive;
    };
    void first.runner.decide(one?.approvalId ?? '', yes);
    await Promise.race([life.died, turns(2_000)]);
    expect(life.dead).toBe(true);
    await endLeases(database);
    const second = await start({ world });
    for (let i = 0; i < 500 && (await pending()).length === 0; i++) await turns(1);
    const [again] = await pending();
    expect(again).toMatchObject({
      n: 2,
      reason: 'the approved call was interrupted; it may have happened; approve to run it again',
    });
    const answer = await second.runner.decide(again?.approvalId ?? '', yes);
    expect(answer.status).toBe(200);
    expect(world.count(`refund ${again?.runId}.${again?.seq}`)).toBe(2);
  });

  it('is not repeated when nobody was asked: the caller is told', async () => {
    const { database, start, only } = await house({
      acts: async (ctx) => ctx.call('once'),
    });
    const world = new World();
    const life = new Life();
    const first = await start({ life, world });
    const pass = life.pass.bind(life);
    life.pass = (name) => {
      const alive = pass(name);
      if (name === 'after once') life.kill();
      return alive;
    };
    void first.call('acts');
    await Promise.race([life.died, turns(2_000)]);
    await endLeases(database);
    await start({ world });
    for (let i = 0; i < 500 && (await only()).runs[0]?.status === 'running'; i++) await turns(1);
    expect((await only()).runs[0]?.output).toEqual({
      ok: false,
      status: 502,
      code: 'outcome_unknown',
      message: 'the process stopped while once was running; it may or may not have happened',
    });
  });
});

describe('the calls of one turn', () => {
  const two = (ctx: Ctx) =>
    ctx.turn(['refund', 'row', 'sign'].map((tool) => ({ tool, args: {} }))) as unknown as Promise<Json>;

  it('ask all their humans in one commit, before anything is decided', async () => {
    const { start, pending } = await house({ turn: two });
    const engine = await start();
    await engine.call('turn');
    const asked = await pending();
    expect(asked.map(({ tool }) => tool)).toEqual(['refund', 'sign']);
    expect((asked[1]?.requestedOrd ?? 0) - (asked[0]?.requestedOrd ?? 0)).toBe(1);
    const commits = engine.life.trace.filter((name) => name === 'after commit');
    expect(commits).toHaveLength(1);
  });

  it('are not executed behind one that was declined, and their questions are withdrawn', async () => {
    const { start, pending, only } = await house({
      turn: async (ctx) => [await two(ctx), await ctx.call('refund')],
    });
    const engine = await start();
    await engine.call('turn');
    const [refund] = await pending();
    await engine.runner.decide(refund?.approvalId ?? '', { ...yes, approve: false, note: 'too much' });
    const { approvals, ops, runs } = await only();
    expect(runs[0]?.status).toBe('waiting');
    expect(approvals.map(({ tool, status }) => [tool, status])).toEqual([
      ['refund', 'denied'],
      ['sign', 'withdrawn'],
      ['refund', 'pending'],
    ]);
    expect(ops.slice(0, 3).map(({ value }) => (value as { message: string }).message)).toEqual([
      'too much',
      'not executed: an earlier call of this turn was declined',
      'not executed: an earlier call of this turn was declined',
    ]);
    expect([...engine.world.effects.keys()]).toEqual([]);
  });

  it('wait for those before them, although theirs is decided', async () => {
    verifies('run.decided.answer');
    const { start, pending } = await house({ turn: two });
    const engine = await start();
    await engine.call('turn');
    const [, sign] = await pending();
    const answer = await engine.runner.decide(sign?.approvalId ?? '', yes);
    expect(answer.status).toBe(202);
    expect([...engine.world.effects.keys()]).toEqual([]);
  });
});

describe('nesting', () => {
  it('takes a child that has ended from its row, whatever its code is by now', async () => {
    let code: Body = (ctx) => ctx.must('look');
    const bodies: Record<string, Body> = { top: (ctx) => ctx.must('low'), low: (ctx) => code(ctx) };
    const { database, start, only } = await house(bodies);
    const life = new Life();
    const first = await start({ life });
    const pass = life.pass.bind(life);
    life.pass = (name) => {
      const alive = pass(name);
      if (name === 'after finish') life.kill();
      return alive && !life.dead;
    };
    void first.call('top');
    await Promise.race([life.died, turns(2_000)]);
    code = (ctx) => ctx.must('once');
    await endLeases(database);
    const second = await start();
    for (let i = 0; i < 500 && (await only()).runs[0]?.status === 'running'; i++) await turns(1);
    expect((await only()).runs[0]).toMatchObject({ status: 'completed', output: { output: { seen: 0 } } });
    expect([...second.world.effects.keys()]).toEqual([]);
  });

  it('ends at depth 8 with 508, and a plain tool adds none', async () => {
    verifies('http.status.508', 'http.status.508.plain-tools');
    const looks: boolean[] = [];
    const dig = async (ctx: Ctx): Promise<Json> => {
      looks.push((await ctx.call('look')).ok);
      return ctx.call('dig');
    };
    const { start, only } = await house({ dig });
    const engine = await start();
    const answer = await engine.call('dig');
    const { runs, ops } = await only();
    expect(runs.map(({ depth }) => depth)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(looks).toEqual(Array(8).fill(true));
    expect(ops.filter(({ name }) => name === 'dig').at(-1)?.value).toMatchObject({ ok: false, status: 508 });
    expect(answer.status).toBe(200);
  });
});

describe('the token budget', () => {
  const spends = async (ctx: Ctx, times: number): Promise<number> => {
    for (let i = 0; i < times; i++) {
      try {
        await ctx.model(() => ({ text: 'x' }), 30);
      } catch (error) {
        if (error instanceof BudgetExhausted) return i;
        throw error;
      }
    }
    return times;
  };

  it('of a run holds for everything below it, and one of its own for that alone', async () => {
    const { start } = await house(
      {
        top: async (ctx) => [
          await spends(ctx, 1),
          await ctx.must('small'),
          await ctx.must('free'),
          await spends(ctx, 5),
        ],
        small: (ctx) => spends(ctx, 9),
        free: (ctx) => spends(ctx, 9),
      },
      { top: { tokenBudget: 400 }, small: { tokenBudget: 100 } },
    );
    const engine = await start();
    const output = json<{ output: [number, { output: number }, { output: number }, number] }>(
      await engine.call('top'),
    );
    const [first, small, free, rest] = output.output;
    expect([first, small.output]).toEqual([1, 2]);
    expect(free.output).toBeGreaterThan(2);
    expect(rest).toBe(0);
    expect(engine.world.modelCalls * 40).toBeLessThanOrEqual(400);
    expect(engine.events.filter(({ kind }) => kind === 'budget_warning')).toHaveLength(1);
  });

  it('is what it was after the death of the process', async () => {
    const body: Body = async (ctx) => [
      await spends(ctx, 3),
      (await ctx.call('refund')).ok,
      await spends(ctx, 9),
    ];
    const { start, pending } = await house({ top: body }, { top: { tokenBudget: 250 } });
    const first = await start();
    await first.call('top');
    first.life.kill();
    const second = await start({ world: first.world });
    const [one] = await pending();
    const answer = await second.runner.decide(one?.approvalId ?? '', yes);
    expect(json(answer)['output']).toEqual([3, true, 3]);
    expect(first.world.modelCalls).toBe(6);
  });

  it('counts what a failed model call cost', async () => {
    const { start } = await house(
      {
        top: async (ctx) => {
          const spec = { kind: 'model', name: 'm', input: null, repeat: 'safe', reserveTokens: 50 } as const;
          const failure = Object.assign(new Error('broke'), { spend: [spendOf(5, 20)] });
          await ctx.scope.op(spec, () => Promise.reject(failure)).catch(() => {});
          return ctx.scope.usage().treeTokens;
        },
      },
      { top: { tokenBudget: 100 } },
    );
    const engine = await start();
    expect(json(await engine.call('top'))['output']).toBe(25);
  });
});

describe('a value that JSON cannot hold', () => {
  it('fails the run, or the step, that gave it', async () => {
    const { start, only } = await house({
      big: async () => 1n as unknown as Json,
      step: async (ctx) => {
        const spec = { kind: 'context', name: 'x', input: null, repeat: 'safe' } as const;
        return ctx.op(spec, async () => 1n as unknown as Json).catch((error: Error) => error.name);
      },
    });
    const engine = await start();
    expect(await engine.call('big')).toMatchObject({ status: 500, body: { detail: 'internal error' } });
    expect((await only()).runs[0]).toMatchObject({ status: 'failed', error: { code: 'internal' } });
    expect(json(await engine.call('step'))['output']).toBe('TypeError');
  });
});

describe('a run that has ended', () => {
  it('takes no more steps, and waits for those that act on the world', async () => {
    const late: string[] = [];
    const { start, only } = await house({
      leaves: async (ctx) => {
        void ctx
          .call('once')
          .then(() => ctx.call('once'))
          .catch((error: Error) => late.push(error.message));
        return 'gone';
      },
    });
    const engine = await start();
    expect(json(await engine.call('leaves'))['output']).toBe('gone');
    const { ops } = await only();
    expect(ops).toMatchObject([{ name: 'once', state: 'done' }]);
    expect(late).toEqual(['the run has ended: nothing can be asked of it any more']);
  });

  it('aborts questions to a model that nobody waits for', async () => {
    let aborted = false;
    const { start, only } = await house({
      leaves: async (ctx) => {
        const spec = { kind: 'model', name: 'm', input: null, repeat: 'safe' } as const;
        void ctx.scope.op<Json>(spec, () => {
          ctx.scope.signal.addEventListener('abort', () => {
            aborted = true;
          });
          return new Promise<never>(() => {});
        });
        return 'gone';
      },
    });
    const engine = await start();
    expect((await engine.call('leaves')).status).toBe(200);
    expect(aborted).toBe(true);
    expect((await only()).ops).toEqual([]);
  });
});

describe('a run whose end is being stored', () => {
  it('is in the audit log, also when leases are renewed before anybody heard that it was', async () => {
    const { database, store, start } = await house({ quick: async () => 'done' });
    let renewals = 0;
    const slow: RunStore = {
      ...store,
      async renew(...asked) {
        const ours = await store.renew(...asked);
        renewals++;
        return ours;
      },
      async finish(fence, finish) {
        const ord = await store.finish(fence, finish);
        const seen = renewals;
        while (renewals === seen) await turns(1);
        await turns(5);
        return ord;
      },
    };
    const engine = await start({ store: slow, renewMs: 1 });
    expect(json(await engine.call('quick'))).toMatchObject({ status: 'completed' });
    expect(engine.events.filter(({ kind }) => kind === 'run_finished')).toHaveLength(1);
    await engine.stop();
    await database.close();
  });
});

describe('a caller over MCP', () => {
  it('takes its run along when its stream closes, unless that waits', async () => {
    verifies('run.caller-leaves');
    const { start, store } = await house({
      slow: async (ctx) => {
        const spec = { kind: 'model', name: 'm', input: null, repeat: 'safe' } as const;
        return ctx.scope.op<Json>(spec, () => new Promise<never>(() => {}));
      },
      asks: (ctx) => ctx.must('refund'),
    });
    const engine = await start();
    const leave = new AbortController();
    const answer = engine.call('slow', {}, { via: 'mcp', signal: leave.signal });
    await turns(20);
    leave.abort();
    expect(json(await answer)['status']).toBe('cancelled');
    const stays = new AbortController();
    await engine.call('asks', {}, { via: 'mcp', signal: stays.signal });
    stays.abort();
    await turns(20);
    const [run] = await store.list({ limit: 1 });
    expect(run?.status).toBe('waiting');
  });

  it('of another door does not: the run goes on', async () => {
    verifies('run.caller-leaves');
    let finish: () => void = () => {};
    const { start, store } = await house({
      slow: async (ctx) => {
        const spec = { kind: 'model', name: 'm', input: null, repeat: 'safe' } as const;
        return ctx.scope.op<Json>(spec, async () => {
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          return { value: 'done' };
        });
      },
    });
    const engine = await start();
    const leave = new AbortController();
    void engine.call('slow', {}, { signal: leave.signal });
    await turns(20);
    leave.abort();
    await turns(5);
    finish();
    await turns(20);
    expect((await store.list({ limit: 1 }))[0]?.status).toBe('completed');
  });
});

describe('a store that is out of reach for a while', () => {
  it('does not keep a root that was taken from going on', async () => {
    const { start, pending } = await house({ asks: (ctx) => ctx.must('refund') });
    const engine = await start();
    await engine.call('asks');
    const [one] = await pending();
    let failures = 0;
    const pass = engine.life.pass.bind(engine.life);
    engine.life.pass = (name) => {
      if (name === 'before load' && failures++ < 2) throw new Error('busy');
      return pass(name);
    };
    const answer = await engine.runner.decide(one?.approvalId ?? '', yes);
    expect(failures).toBeGreaterThan(2);
    expect(answer.status).toBe(200);
  });

  it('is tried again, and nothing is done twice', async () => {
    const { start, only } = await house({
      acts: async (ctx) => [await ctx.must('once'), await ctx.must('row')],
    });
    const life = new Life();
    const engine = await start({ life });
    let failures = 0;
    const pass = life.pass.bind(life);
    life.pass = (name) => {
      if (name === 'before commit' && failures++ < 2) throw new Error('busy');
      return pass(name);
    };
    const answer = await engine.call('acts');
    expect(failures).toBeGreaterThan(2);
    expect(answer.status).toBe(200);
    const { ops } = await only();
    expect(ops[0]).toMatchObject({ name: 'once', state: 'done' });
    expect([...engine.world.effects.values()]).toEqual([1]);
  });
});

describe('a service that cannot work on a run', () => {
  let works = false;
  const work = async (): Promise<string> => {
    if (!works) throw new HostError('it has not started');
    return 'done';
  };
  const step = (ctx: Ctx): Promise<Json> =>
    ctx.scope.op({ kind: 'context', name: 'x', input: null, repeat: 'safe' }, async () => ({
      value: await work(),
    }));

  it.each<readonly [string, Body]>([
    ['its code', work],
    ['a step of it', step],
    ['code that would catch what a step throws', (ctx) => step(ctx).catch(() => 'caught')],
    ['a run below it', (ctx) => ctx.must('inner').then(() => 'done')],
  ])('does not end it: %s', async (_, outer) => {
    verifies('run.host-errors');
    works = false;
    const { start, only, database } = await house({ outer, inner: work });
    const logged: string[] = [];
    const first = await start({ log: (_level, message) => void logged.push(message) });
    const answer = await first.call('outer');
    expect(answer.status).toBe(503);
    expect(logged).toContain('a run was disturbed, and is tried again');
    expect((await only()).runs[0]).toMatchObject({ status: 'ready', error: null });
    await first.stop();

    works = true;
    const second = await start();
    await turns(20);
    // Not before its time.
    expect((await only()).runs[0]).toMatchObject({ status: 'ready' });
    await second.stop();

    await database.write([{ sql: 'update svc__run set not_before_ms = 0' }]);
    await start();
    await turns(50);
    expect((await only()).runs[0]).toMatchObject({ status: 'completed', output: 'done' });
  });
});
