import { type Json, Type, toTool } from '@waymark/contract';
import { validateValue } from '@waymark/contract/schema';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type BehaviourContext, behaviour, context } from '../src/index.ts';
import { openBehaviour } from './behaviour-desk.ts';
import { ann, bodyOf, openDesk } from './desk/open-desk.ts';

/** Code that says something of itself. */
function described() {
  /** Tidies up. */
  return null;
}

describe('a behaviour', () => {
  it('is a function with a context object and its input', async () => {
    verifies('behaviour.function', 'behaviour.route.body', 'behaviour.route.answer');
    const { value } = await openBehaviour((ctx, input) => ({ run: ctx.runId, input: input as Json }));
    expect(await value({ days: 3 })).toEqual({ run: 'run1', input: { days: 3 } });
  });

  it('is described by its description, as a tool and in listings', async () => {
    const { table } = await openBehaviour(described, { options: { description: 'Closes old tickets.' } });
    expect(toTool(table.get('tidy')!).description).toBe('Closes old tickets.');
  });

  it('has an empty description by default, and as a tool what its function says of itself', async () => {
    verifies('behaviour.option.description.default');
    const { table, ask } = await openBehaviour(described);
    expect(toTool(table.get('tidy')!).description).toBe('Tidies up.');
    expect(bodyOf(await ask('get_svc_behaviours', {}))).toMatchObject({ behaviours: [{ description: '' }] });
    expect(toTool((await openBehaviour(() => null)).table.get('tidy')!).description).toBe(
      'POST /behaviours/tidy',
    );
  });

  it('takes what its input says, with defaults, and nothing else', async () => {
    verifies('behaviour.option.input');
    const input = { days: Type.Integer({ default: 30 }), title: Type.Optional(Type.String()) };
    const { start, table } = await openBehaviour((_, given) => given, { options: { input } });
    expect(table.get('tidy')?.inputSchema).toEqual({
      type: 'object',
      properties: { days: { type: 'integer', default: 30 }, title: { type: 'string' } },
      required: [],
      additionalProperties: false,
    });
    expect((await start({ days: 'x' })).status).toBe(422);
    expect((await start({ weeks: 1 })).status).toBe(422);
  });

  it('takes a JSON Schema as it is', async () => {
    const input = { type: 'object', properties: { days: { type: 'integer' } }, required: ['days'] } as const;
    const { table } = await openBehaviour(() => null, { options: { input } });
    expect(table.get('tidy')?.inputSchema).toEqual(input);
  });

  it('takes any object without one', async () => {
    verifies('behaviour.option.input.default', 'aside.behaviour.open-input');
    const { value, table } = await openBehaviour((_, given) => given);
    const { inputSchema, strict, body } = table.get('tidy')!;
    expect({ strict, body }).toEqual({ strict: false, body: 'json' });
    expect(validateValue(inputSchema, { any: ['thing'] })).toEqual([]);
    expect(await value({ any: ['thing'] })).toEqual({ any: ['thing'] });
    expect(await value({})).toEqual({});
  });

  it('is given a copy of its input in each leg', async () => {
    const { start, value, runner } = await openBehaviour(async (ctx, given) => {
      const input = given as { list: number[] };
      input.list.push(2);
      await ctx.call('pay', { cents: 1 });
      return input.list;
    });
    const input = { list: [1] };
    expect((await start(input)).status).toBe(202);
    runner.answer('pay', 'approved');
    expect(await value(input, { resume: { rootId: 'run1' } })).toEqual([1, 2]);
    expect(input).toEqual({ list: [1] });
  });

  it('has no scopes by default, whoever calls it', async () => {
    verifies('behaviour.option.scopes.default');
    const { models } = await openBehaviour(() => null);
    const desk = await openDesk([behaviour('bare', {}, (ctx) => ctx.user.scopes)], models);
    expect(await desk.run('bare', {})).toEqual([]);
  });

  it.each([
    [{ scopes: ['read'], exposeScopes: ['start'] }, ['start']],
    [{ scopes: ['read'], exposeScopes: [] }, []],
    [{ scopes: ['read'] }, ['read']],
    [{}, []],
  ])('with %o is started by whoever holds %o', async (options, scopes) => {
    verifies('behaviour.option.expose-scopes', 'behaviour.option.expose-scopes.default');
    const { models } = await openBehaviour(() => null);
    const desk = await openDesk([behaviour('bare', options, () => 'ran')], models);
    const may = { principal: { ...ann, scopes } };
    expect((await desk.ask('bare', {}, may)).status).toBe(200);
    for (const scope of scopes) {
      const principal = { ...ann, scopes: scopes.filter((one) => one !== scope) };
      expect((await desk.ask('bare', {}, { principal })).status).toBe(403);
      const answers = desk.table.get(`get_behaviours_bare_runs_by_run_id`)!;
      expect((await desk.ask(answers.name, { run_id: 'run1' }, { principal })).status).toBe(403);
    }
  });

  it('answers at the path that it names', async () => {
    verifies('behaviour.option.expose-at', 'endpoint.behaviour.path');
    const { table } = await openBehaviour(() => null, { options: { exposeAt: '/tidy-up' } });
    expect(table.get('tidy')).toMatchObject({ method: 'POST', path: '/tidy-up' });
    expect([...table].map(({ path }) => path)).toContain('/tidy-up/runs/{run_id}');
  });

  it('answers at its name with hyphens by default', async () => {
    verifies('behaviour.option.expose-at.default', 'behaviour.route.path', 'aside.behaviour.path');
    const { models } = await openBehaviour(() => null);
    const desk = await openDesk([behaviour('close_stale_ones', {}, () => null)], models);
    expect(desk.table.get('close_stale_ones')).toMatchObject({
      ...{ method: 'POST', path: '/behaviours/close-stale-ones', name: 'close_stale_ones', tool: true },
    });
  });

  it.each([
    [{}, true],
    [{ tool: true }, true],
    [{ tool: false }, false],
  ])('with %o is a tool: %s', async (options, tool) => {
    verifies('behaviour.option.tool', 'behaviour.option.tool.default');
    const { table } = await openBehaviour(() => null, { options });
    expect(table.tools().some(({ name }) => name === 'tidy')).toBe(tool);
    expect(table.get('tidy')?.engine).toMatchObject({ kind: 'behaviour', durability: 'run' });
    expect(table.get('tidy')?.facts).toMatchObject({
      startsRun: 'behaviour',
      describedBy: 'write a description, or a comment at the start of its function',
    });
  });

  it('is stored with a version that changes with its code and options', async () => {
    const versionOf = async (body: (ctx: BehaviourContext) => unknown, options = {}): Promise<string> => {
      const { start, runner } = await openBehaviour(body, { options });
      await start();
      return runner.specs[0]!.codeVersion;
    };
    const versions = [
      await versionOf(() => 1),
      await versionOf(() => 2),
      await versionOf(() => 1, { maxSteps: 9 }),
    ];
    expect(new Set(versions).size).toBe(3);
    expect(await versionOf(() => 1)).toBe(versions[0]);
  });
});

/** The answer of a run that has used up what does not count. */
const tooMany = { halted: true, reason: 'the limit of 10000 values, messages and contexts is reached' };

describe('the steps of a behaviour', () => {
  it('are 50 by default', async () => {
    verifies('behaviour.option.max-steps.default', 'limit.max-steps.behaviour', 'behaviour.option.max-steps');
    const body = (count: number) => async (ctx: BehaviourContext) => {
      for (let i = 0; i < count; i++) await ctx.call('look');
      return 'done';
    };
    expect(await (await openBehaviour(body(50))).value()).toBe('done');
    const { value, tools } = await openBehaviour(body(51));
    expect(await value()).toEqual({ halted: true, reason: 'the limit of 50 steps is reached' });
    expect(tools.done).toHaveLength(50);
  });

  it.each([
    [3, { halted: true, reason: 'the limit of 3 steps is reached' }],
    [4, 'done'],
    [5, 'done'],
  ])('count calls, questions and runs: four of them with %i', async (maxSteps, expected) => {
    verifies('behaviour.option.max-steps', 'behaviour.route.halted');
    const { value } = await openBehaviour(
      async (ctx) => {
        ctx.log('no step');
        ctx.now();
        await ctx.gather(['look']);
        await ctx.ask('Well?');
        await ctx.run('inner');
        await ctx.askMany(['Well?']);
        return 'done';
      },
      {
        options: { maxSteps, tools: ['look', 'inner'] },
        others: [behaviour('inner', {}, () => null)],
        replies: ['a', 'b'],
      },
    );
    expect(await value()).toEqual(expected);
  });

  it('end the run for good, whatever is caught', async () => {
    const { value, start } = await openBehaviour(
      async (ctx) => {
        for (;;)
          try {
            await ctx.call('look');
          } catch {
            return 'caught';
          }
      },
      { options: { maxSteps: 2 } },
    );
    expect(await value()).toEqual({ halted: true, reason: 'the limit of 2 steps is reached' });
    expect(bodyOf(await start())).toMatchObject({ halted: true });
  });

  it.each([
    [9_999, 'done'],
    [10_000, 'done'],
    [10_001, tooMany],
  ])('that do not count are bounded all together: %i', async (count, expected) => {
    verifies('behaviour.ctx.uncounted');
    const { value } = await openBehaviour(
      async (ctx) => {
        const ways = [() => ctx.now(), () => ctx.random(), () => ctx.uuid(), () => ctx.log('said')];
        await ctx.context('facts');
        for (let i = 1; i < count; i++) ways[i % ways.length]?.();
        return 'done';
      },
      { options: { context: ['facts'] }, others: [context('facts', { data: 1 })] },
    );
    expect(await value()).toEqual(expected);
  });

  it('that do not count end the run for good, whatever is asked for in an endless loop', async () => {
    verifies('behaviour.ctx.uncounted');
    const asks: readonly ((ctx: BehaviourContext) => unknown)[] = [
      (ctx) => ctx.log('again'),
      (ctx) => ctx.now(),
      (ctx) => ctx.context('facts'),
    ];
    for (const ask of asks)
      for (const waits of [true, false]) {
        let asked = 0;
        const { value } = await openBehaviour(
          async (ctx) => {
            for (; ; asked++)
              if (waits) await ask(ctx);
              else void ask(ctx);
          },
          { options: { context: ['facts'] }, others: [context('facts', { data: 1 })] },
        );
        expect(await value()).toEqual(tooMany);
        expect(asked).toBeGreaterThanOrEqual(10_000);
        expect(asked).toBeLessThanOrEqual(11_001);
      }
  });

  it('end the run for good in an endless loop, too', async () => {
    const { value } = await openBehaviour((ctx) => {
      for (;;) void ctx.call('look');
    });
    expect(await value()).toEqual({ halted: true, reason: 'the limit of 50 steps is reached' });
  });

  it('that a timer asks for after the end count for nothing, and end no process', async () => {
    const late: number[] = [];
    const { value } = await openBehaviour((ctx) => {
      setImmediate(() => {
        for (let i = 0; i < 1_000; i++) late.push(ctx.now());
      });
      for (;;) ctx.random();
    });
    expect(await value()).toEqual(tooMany);
    await expect.poll(() => late.length).toBe(1_000);
  });

  it('are those that the run began with', async () => {
    const { runner, start } = await openBehaviour(
      async (ctx) => {
        await ctx.call('pay', { cents: 1 });
        return ctx.call('look');
      },
      { options: { maxSteps: 2 } },
    );
    await start();
    const later = await openBehaviour(
      async (ctx) => {
        await ctx.call('pay', { cents: 1 });
        return ctx.call('look');
      },
      { options: { maxSteps: 1 } },
    );
    later.runner.journals.set('run1', runner.journal);
    later.runner.answer('pay', 'approved');
    expect(await later.value({}, { resume: { rootId: 'run1' } })).toBe('did look ');
  });
});
