import {
  type BehaviourContext,
  type BehaviourOptions,
  behaviour,
  createAgents,
  ToolError,
} from '@waymark/agents';
import type { Json, Values } from '@waymark/contract';
import type { Host, Log } from '@waymark/contract/engine';
import { scriptedModel, verifies } from '@waymark/contract/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { randomBehaviour, toBehaviourShape } from './behaviour-programs.ts';
import { boss, desk, type Engine, type EngineOptions, json, openState, startEngine } from './runs/engine.ts';
import { randoms } from './runs/sample.ts';
import { type Policy, simulate } from './runs/simulate.ts';
import { World } from './runs/world.ts';

const policies: readonly Policy[] = ['approve', 'deny', 'approve-last', 'expire'];
const engines: Engine[] = [];

afterEach(async () => {
  for (const engine of engines.splice(0)) {
    // What is dead gives nothing back.
    if (!engine.life.dead) await engine.stop();
    engine.life.kill();
  }
});

type Body = (ctx: BehaviourContext, input: Values) => unknown;

const everyTool = ['look', 'once', 'fail', 'keyed', 'refund', 'sign', 'row'];

/** What is declared when an engine starts. */
interface Today {
  readonly body?: Body;
  readonly tools?: readonly string[];
  readonly options?: BehaviourOptions;
  readonly replies?: readonly string[];
}

/** Behaviours over a database on which engines come and go. The first one is `tidy`. */
async function house(tidy: Body, others: Readonly<Record<string, Body>> = {}) {
  const { database, store } = await openState();
  const world = new World();
  const start = async (
    options: EngineOptions = {},
    { body = tidy, tools = [...everyTool, ...Object.keys(others)], options: more, replies = [] }: Today = {},
  ): Promise<Engine> => {
    const declared = { tools, scopes: ['use'], public: true, ...more };
    const plugin = createAgents(
      Object.entries({ tidy: body, ...others }).map(([name, one]) => behaviour(name, declared, one)),
    );
    void plugin.start?.({ models: scriptedModel(replies), now: Date.now } as unknown as Host);
    const engine = await startEngine(database, () => plugin.routes, { world, ...options });
    engines.push(engine);
    return engine;
  };
  const only = async () => {
    const [run] = await store.list({ limit: 1 });
    return store.load(run?.runId ?? '');
  };
  const pending = async () => (await only()).approvals.filter(({ status }) => status === 'pending');
  const decide = async (engine: Engine, approve: boolean, note = '') => {
    const [first] = await pending();
    return engine.runner.decide(first?.approvalId ?? '', { approve, note, by: boss });
  };
  return { world, start, only, decide };
}

describe('random behaviours whose process dies', () => {
  it.each(Array.from({ length: 4 }, (_, seed) => seed))(
    'are given the same, five of seed %i',
    async (seed) => {
      verifies('behaviour.ctx.promises', 'behaviour.gather.awaits-all', 'behaviour.ask-many.order');
      const random = randoms(seed + Number(process.env['RUNS_SEED'] ?? 0));
      for (let i = 0; i < 5; i++) {
        const shape = toBehaviourShape(randomBehaviour(random, 3 + Math.floor(random() * 12)));
        const policy = policies[i % policies.length] ?? 'approve';
        const { points } = await simulate({ shape, policy, deaths: [] });
        const deaths = [0, 0].map(() => 1 + Math.floor(random() * points));
        const { status } = await simulate({ shape, policy, deaths });
        expect(['completed', 'failed', 'halted', 'step_limit']).toContain(status);
      }
    },
  );

  it('are given the same wherever it dies in a gather with a human in its middle', async () => {
    const tools = ['look', 'once', 'refund', 'slow', 'row', 'sign', 'keyed'];
    const shape = toBehaviourShape({ do: 'gather', tools, place: true });
    const { points } = await simulate({ shape, policy: 'approve', deaths: [] });
    for (let at = 1; at <= points; at += 5)
      for (const policy of ['approve-last', 'deny'] as const) {
        const { status } = await simulate({ shape, policy, deaths: [at] });
        expect(status).toBe('completed');
      }
  });
});

describe('a behaviour that waits for a human', () => {
  it('answers failures of gather in JSON, also in another process', async () => {
    verifies('behaviour.ctx.gather.exceptions.json');
    const { start, decide } = await house((ctx) =>
      ctx.gather(['xylophone', ['refund', { n: 1 }]], { returnExceptions: true }),
    );
    const first = await start();
    expect((await first.call('tidy')).status).toBe(202);
    await first.stop();
    expect(json(await decide(await start(), false, 'too much'))).toEqual([
      {
        ...{ error: '"xylophone" is not a tool of behaviour "tidy"', status: 403 },
        ...{ code: 'tool_refused', tool: 'xylophone' },
      },
      { error: 'too much', status: 403, code: 'declined', tool: 'refund' },
    ]);
  });

  it('goes on in another process as if nothing had been, and runs no catch and no finally meanwhile', async () => {
    verifies('behaviour.route.answer');
    const seen: string[] = [];
    const { world, start, decide } = await house(async (ctx) => {
      seen.push('begins');
      ctx.log('said once');
      const id = ctx.uuid();
      try {
        const values = await ctx.gather(['look', ['refund', { n: 1 }], 'once']);
        return [id, ctx.trace.length, values.length];
      } catch {
        seen.push('caught');
        return null;
      } finally {
        seen.push('finally');
      }
    });
    const lines: unknown[] = [];
    const log: Log = (level, message, fields) =>
      void lines.push([level, message, fields?.['behaviour'], typeof fields?.['run_id']]);
    const first = await start({ log });
    const waiting = await first.call('tidy');
    expect(waiting.status).toBe(202);
    const { status, behaviour: name } = json<{ status: string; behaviour: string }>(waiting);
    expect({ status, name }).toEqual({ status: 'awaiting_approval', name: 'tidy' });
    expect(seen).toEqual(['begins']);
    await first.stop();
    first.life.kill();
    const second = await start({ log });
    const answer = json<[string, number, number]>(await decide(second, true));
    expect(answer).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), 4, 3]);
    expect(lines).toEqual([['info', 'said once', 'tidy', 'string']]);
    expect(seen).toEqual(['begins', 'begins', 'finally']);
    expect(world.count('look')).toBe(1);
    expect([...world.effects.keys()].filter((key) => key.startsWith('once'))).toHaveLength(1);
  });

  it('is told at the door where its answer will be, and answers there to whoever started it alone', async () => {
    const { start, decide } = await house((ctx) => ctx.call('refund'));
    const engine = await start();
    const waiting = await engine.call('tidy');
    const { run_id: runId } = json<{ run_id: string }>(waiting);
    expect(waiting.headers['location']).toBe(`/behaviours/tidy/runs/${runId}`);
    const answers = 'get_behaviours_tidy_runs_by_run_id';
    const asked = await engine.call(answers, { run_id: runId });
    expect(json(asked)).toMatchObject({
      status: 'awaiting_approval',
      pending_approvals: [{ tool: 'refund' }],
    });
    expect(asked.status).toBe(202);
    await decide(engine, true);
    const later = await engine.call(answers, { run_id: runId });
    expect({ status: later.status, value: json(later) }).toEqual({ status: 200, value: { done: 'refund' } });
    const stranger = { principal: { ...desk, id: 'other', rootId: 'other' } };
    expect((await engine.call(answers, { run_id: runId }, stranger)).status).toBe(404);
  });

  it('is 403 with the note where nobody catches that it was declined', async () => {
    const { start, decide, world } = await house((ctx) => ctx.call('refund'));
    const engine = await start();
    await engine.call('tidy');
    expect(await decide(engine, false, 'not today')).toMatchObject({
      status: 403,
      body: { detail: 'not today', code: 'declined' },
    });
    expect(world.effects.size).toBe(0);
  });

  it('is 409 when it was cancelled', async () => {
    verifies('behaviour.route.cancelled', 'run.cancel.answer');
    const { start, only } = await house((ctx) => ctx.call('refund'));
    const engine = await start();
    await engine.call('tidy');
    const [run] = (await only()).runs;
    await engine.runner.cancel(run?.runId ?? '', boss);
    expect(await engine.call('get_behaviours_tidy_runs_by_run_id', { run_id: run?.runId })).toMatchObject({
      status: 409,
      body: { code: 'cancelled', run: { status: 'cancelled', behaviour: 'tidy' } },
    });
  });
});

describe('a behaviour that halts', () => {
  it('is over for good: what is caught, awaited beside it or called afterwards does nothing', async () => {
    verifies('behaviour.ctx.halt', 'behaviour.route.halted');
    const given: string[] = [];
    const { start, only, world } = await house(async (ctx) => {
      const beside = ctx.call('once').then(() => given.push('beside'));
      try {
        await ctx.call('look');
        ctx.halt('enough');
      } catch {
        await ctx.call('keyed');
        given.push('went on');
      } finally {
        void ctx.ask('Well?').then(() => given.push('asked'));
      }
      await beside;
      return 'something else';
    });
    const engine = await start();
    const response = await engine.call('tidy');
    expect({ status: response.status, value: json(response) }).toEqual({
      status: 200,
      value: { halted: true, reason: 'enough' },
    });
    const { runs, ops } = await only();
    expect(runs).toMatchObject([{ status: 'halted', output: { halted: true, reason: 'enough' } }]);
    // What was under way came to its end and is recorded; nothing else was begun.
    expect(ops.map(({ name, state }) => `${name} ${state}`)).toEqual(['once done', 'look done']);
    expect([...world.effects.keys()].some((key) => key.startsWith('keyed'))).toBe(false);
    expect(given.filter((one) => one !== 'beside')).toEqual([]);
  });

  it('halts at the same place again, wherever its process dies', async () => {
    const gathered = { do: 'gather', tools: ['look', 'row', 'slow'], place: false } as const;
    const shape = toBehaviourShape({ do: 'series', parts: [gathered, { do: 'halt' }] });
    const { points } = await simulate({ shape, policy: 'approve', deaths: [] });
    for (let at = 1; at <= points; at += 3) {
      const { status, engines } = await simulate({ shape, policy: 'approve', deaths: [at] });
      expect({ status, engines }).toEqual({ status: 'halted', engines: 2 });
    }
  });
});

describe('a behaviour that goes on with changed declarations', () => {
  const failureOf = (step: Promise<unknown>): Promise<Json> =>
    step.then(
      (value) => value as Json,
      (error: unknown) => (error instanceof ToolError ? `${error.status} ${error.code}` : String(error)),
    );

  it('is given what is recorded of a tool that it has no more, and is refused it from then on', async () => {
    const body: Body = async (ctx) => [
      await failureOf(ctx.call('look')),
      await failureOf(ctx.call('refund')),
      await failureOf(ctx.call('look')),
    ];
    const { start, decide } = await house(body);
    const first = await start();
    await first.call('tidy');
    await first.stop();
    first.life.kill();
    const second = await start({}, { tools: ['once'] });
    expect(json(await decide(second, true))).toEqual([
      { seen: 0, at: 1 },
      '403 tool_refused',
      '403 tool_refused',
    ]);
  });

  it('is given the answers that it has, whatever it would ask today', async () => {
    const body: Body = async (ctx) => [
      await ctx.ask('Well?'),
      await ctx.call('refund'),
      await ctx.ask('And?'),
    ];
    const { start, decide } = await house(body);
    const first = await start({}, { replies: ['Yes.'] });
    await first.call('tidy');
    await first.stop();
    first.life.kill();
    const options = { model: 'other', maxTokens: 9, temperature: 1, maxSteps: 1 };
    const second = await start({}, { replies: ['So be it.'], options });
    expect(json(await decide(second, true))).toEqual(['Yes.', { done: 'refund' }, 'So be it.']);
  });

  it('runs code that was edited behind the gate', async () => {
    const { start, decide } = await house(async (ctx) => [await ctx.call('refund'), 'old']);
    const first = await start();
    await first.call('tidy');
    await first.stop();
    first.life.kill();
    const second = await start({}, { body: async (ctx) => [await ctx.call('refund'), 'new'] });
    expect(json(await decide(second, true))).toEqual([{ done: 'refund' }, 'new']);
  });

  it.each<[string, Body]>([
    ['asks for something else', (ctx) => ctx.call('keyed')],
    ['does not ask at all', () => 'nothing'],
    ['halts', (ctx) => ctx.halt('before')],
    [
      'catches everything',
      async (ctx) => {
        for (;;) await ctx.call('once').catch(() => null);
      },
    ],
  ])('fails as a replay mismatch where code that was edited before the gate %s', async (_, body) => {
    const { start, decide, world } = await house(async (ctx) => [
      await ctx.call('look'),
      await ctx.call('refund'),
    ]);
    const first = await start();
    await first.call('tidy');
    await first.stop();
    first.life.kill();
    const second = await start({}, { body });
    expect(await decide(second, true)).toMatchObject({ status: 500, body: { code: 'replay_mismatch' } });
    expect([...world.effects.keys()]).toEqual(['look']);
  });
});

describe('behaviours that call themselves', () => {
  it('are nested eight deep, and no deeper', async () => {
    const { start } = await house(async (ctx) => {
      try {
        return await ctx.run('tidy');
      } catch (error) {
        return { depth: ctx.depth, status: (error as ToolError).status };
      }
    });
    const engine = await start({}, { tools: ['tidy'] });
    expect(json(await engine.call('tidy'))).toEqual({ depth: 7, status: 508 });
  });
});

describe('what does not count towards the steps of a behaviour', () => {
  it.each([
    [1, 'done'],
    [2, { halted: true, reason: 'the limit of 10000 values, messages and contexts is reached' }],
  ])(
    'counts the same when it is given again: 9,999 before a gate and %i behind it',
    async (more, expected) => {
      verifies('behaviour.ctx.uncounted');
      const { start, decide } = await house(async (ctx) => {
        for (let i = 0; i < 9_999; i++) ctx.random();
        await ctx.call('refund');
        for (let i = 0; i < more; i++) ctx.log('behind');
        return 'done';
      });
      const first = await start();
      expect((await first.call('tidy')).status).toBe(202);
      await first.stop();
      const second = await start();
      expect(json(await decide(second, true))).toEqual(expected);
    },
  );
});
