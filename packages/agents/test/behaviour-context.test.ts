import { defineRoute, HTTPError, type Json } from '@waymark/contract';
import { narrow } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { agent, type BehaviourContext, behaviour, context, ToolError } from '../src/index.ts';
import { openBehaviour } from './behaviour-desk.ts';
import { ann, openDesk } from './desk/open-desk.ts';

/** What a step fails with. */
const failureOf = async (step: Promise<unknown>): Promise<ToolError> => {
  const error: unknown = await step.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ToolError)) throw new Error(`no ToolError: ${String(error)}`);
  return error;
};

const plain = ({ tool, status, code, message, note }: ToolError) => ({ tool, status, code, message, note });

describe('ctx.call', () => {
  it('runs a tool with named arguments and gives its value', async () => {
    verifies('behaviour.ctx.call');
    const { value, tools } = await openBehaviour(async (ctx) => [
      await ctx.call('look', { text: 'up' }),
      await ctx.call('write'),
    ]);
    expect(await value()).toEqual(['did look up', 'did write ']);
    expect(tools.done).toEqual(['look up', 'write ']);
  });

  it('returns a promise, as all that reaches out does', async () => {
    verifies('behaviour.ctx.promises');
    const { value } = await openBehaviour(
      async (ctx) => {
        const steps = [
          ctx.call('look'),
          ctx.run('helper', { input: 'Hi.' }),
          ctx.gather(['look']),
          ctx.ask('Well?'),
          ctx.askMany(['Well?']),
          ctx.context('facts'),
        ];
        const promises = steps.map((one) => one instanceof Promise);
        await Promise.all(steps);
        return promises;
      },
      {
        options: { tools: ['look', 'helper'], context: ['facts'] },
        others: [agent('helper'), context('facts', { data: 1 })],
        replies: ['a', 'b', 'c'],
      },
    );
    expect(await value()).toEqual([true, true, true, true, true, true]);
  });

  it('takes the arguments as they were at the call', async () => {
    const { value, tools } = await openBehaviour(async (ctx) => {
      const args = { text: 'before', left: undefined };
      const step = ctx.call('mail', args);
      args.text = 'after';
      return step;
    });
    expect(await value()).toBe('did mail before');
    expect(tools.done).toEqual(['mail before']);
  });

  it.each([[5], ['text'], [[1]]])('refuses arguments that are no object: %o', async (args) => {
    const { value, tools } = await openBehaviour(async (ctx) => {
      try {
        return await ctx.call('look', args as never);
      } catch (error) {
        return String(error);
      }
    });
    expect(await value()).toBe('TypeError: the arguments of "look" are not an object');
    expect(tools.done).toEqual([]);
  });

  it('reaches the tools that are declared and no others, and says which was probably meant', async () => {
    verifies('behaviour.option.tools', 'behaviour.ctx.declared-only');
    const { value, tools } = await openBehaviour(
      async (ctx) => [
        plain(await failureOf(ctx.call('write'))),
        plain(await failureOf(ctx.call('lok'))),
        await ctx.call('look'),
      ],
      { options: { tools: ['look'] } },
    );
    expect(await value()).toEqual([
      {
        tool: 'write',
        status: 403,
        code: 'tool_refused',
        message: '"write" is not a tool of behaviour "tidy"',
      },
      {
        ...{ tool: 'lok', status: 403, code: 'tool_refused' },
        message: '"lok" is not a tool of behaviour "tidy" (did you mean "look"?)',
      },
      'did look ',
    ]);
    expect(tools.done).toEqual(['look ']);
  });

  it('fails as the tool does, with its status, code and words', async () => {
    const gone = defineRoute('GET', '/gone', { tool: true, toolName: 'gone' }, () => {
      throw new HTTPError(410, 'it is gone', { code: 'gone' });
    });
    const desk = await openDesk(
      [
        behaviour('tidy', { tools: ['gone', 'pay'] }, async (ctx) => [
          plain(await failureOf(ctx.call('gone'))),
          plain(await failureOf(ctx.call('pay', { cents: 0 }))),
          await failureOf(ctx.call('gone')).then((error) => error instanceof HTTPError),
        ]),
      ],
      { ...(await openBehaviour(() => null)).models },
      { routes: [gone, ...(await openBehaviour(() => null)).tools.routes] },
    );
    expect(await desk.run('tidy', {})).toEqual([
      { tool: 'gone', status: 410, code: 'gone', message: 'it is gone' },
      expect.objectContaining({ tool: 'pay', status: 422 }) as unknown,
      true,
    ]);
  });

  it('has no scopes but those that the behaviour and its caller share', async () => {
    verifies('behaviour.option.scopes');
    const body = async (ctx: BehaviourContext) => [
      await failureOf(ctx.call('look'))
        .catch(() => null)
        .then((error) => error?.status),
      await failureOf(ctx.call('write'))
        .catch(() => null)
        .then((error) => error?.status),
    ];
    const { value } = await openBehaviour(body, { options: { scopes: ['read'] } });
    expect(await value()).toEqual([null, 403]);
    expect(await value({}, { principal: { ...ann, scopes: ['write'] } })).toEqual([403, 403]);
  });

  it.each([
    ['declined' as const, 'not today', 'not today'],
    ['declined' as const, '', 'the call was declined'],
    ['expired' as const, 'too late', 'too late'],
  ])('that a human %s with %o fails with the note', async (status, note, message) => {
    const { start, value, runner } = await openBehaviour(async (ctx) =>
      plain(await failureOf(ctx.call('pay', { cents: 5 }))),
    );
    expect((await start()).status).toBe(202);
    runner.answer('pay', status, note);
    expect(await value({}, { resume: { rootId: 'run1' } })).toEqual({
      ...{ tool: 'pay', status: 403, code: status, note: message, message },
    });
  });
});

describe('a failure that nobody looks at', () => {
  it('is no business of the process', async () => {
    const seen: unknown[] = [];
    const note = (reason: unknown): void => void seen.push(reason);
    process.on('unhandledRejection', note);
    const { value } = await openBehaviour(async (ctx) => {
      void ctx.call('nope');
      void ctx.context('nope');
      void ctx.gather(['nope']);
      void ctx.askMany(['Well?']);
      for (let i = 0; i < 5; i++) await ctx.call('look');
      return 'done';
    });
    expect(await value()).toBe('done');
    process.off('unhandledRejection', note);
    expect(seen).toEqual([]);
  });
});

describe('ctx.run', () => {
  it('runs an agent or another behaviour as a child and gives its output', async () => {
    verifies('behaviour.ctx.run', 'behaviour.ctx.run-child');
    const { value, runner } = await openBehaviour(
      async (ctx) => [await ctx.run('helper', { input: 'Hi.' }), await ctx.run('inner', { n: 2 })],
      {
        options: { tools: ['helper', 'inner'] },
        others: [
          agent('helper'),
          behaviour('inner', {}, async (ctx, { n }) => ({ n: n as Json, run: ctx.runId, depth: ctx.depth })),
        ],
        replies: ['Hello.'],
      },
    );
    expect(await value()).toEqual(['Hello.', { n: 2, run: 'run1.1', depth: 1 }]);
    expect(runner.journal.rows.map(({ runId, name }) => `${runId} ${name}`)).toEqual([
      'run1.0 default',
      'run1 helper',
      'run1 inner',
    ]);
  });

  it('runs nothing that is not among the tools, and nothing that is no run', async () => {
    verifies('behaviour.ctx.run-in-tools');
    const { value, models, tools } = await openBehaviour(
      async (ctx) => [
        (await failureOf(ctx.run('helper', { input: 'Hi.' }))).message,
        (await failureOf(ctx.run('look'))).message,
      ],
      { others: [agent('helper')] },
    );
    expect(await value()).toEqual([
      '"helper" is not a tool of behaviour "tidy"',
      '"look" is no agent, behaviour or flow: call it',
    ]);
    expect(models.requests).toEqual([]);
    expect(tools.done).toEqual([]);
  });

  it.each([
    [
      'step_limit',
      behaviour('inner', { maxSteps: 1, tools: ['look'], scopes: ['read'] }, async (ctx) => {
        await ctx.call('look');
        await ctx.call('look');
      }),
    ],
    ['halted', behaviour('inner', {}, (ctx) => ctx.halt('enough'))],
    ['budget_exhausted', behaviour('inner', { tokenBudget: 1 }, (ctx) => ctx.ask('Well?'))],
  ] as const)('fails with %s where the run ended so', async (status, inner) => {
    const { value } = await openBehaviour(async (ctx) => plain(await failureOf(ctx.run('inner'))), {
      options: { tools: ['inner'] },
      others: [inner],
    });
    expect(await value()).toEqual({
      ...{ tool: 'inner', status: 502, code: status, message: `behaviour "inner" ended ${status}` },
    });
  });
});

describe('ctx.context', () => {
  it('reads a declared context and refuses any other', async () => {
    verifies('behaviour.ctx.context', 'behaviour.option.context', 'behaviour.ctx.declared-only');
    const { value } = await openBehaviour(
      async (ctx) => [
        await ctx.context('hours'),
        plain(await failureOf(ctx.context('huors'))),
        (await failureOf(ctx.context('secret'))).message,
      ],
      {
        options: { context: ['hours'] },
        others: [
          context('hours', (request) => `open for ${String(request.get('who'))}`),
          context('secret', { data: 'never' }),
        ],
      },
    );
    expect(await value({ who: 'Ann' })).toEqual([
      'open for Ann',
      {
        ...{ tool: 'huors', status: 403, code: 'tool_refused' },
        message: '"huors" is not a context of behaviour "tidy" (did you mean "hours"?)',
      },
      '"secret" is not a context of behaviour "tidy"',
    ]);
  });

  it('fails as the context does', async () => {
    const { value } = await openBehaviour(
      (ctx) => ctx.context('broken').catch((error: unknown) => (error as Error).message),
      {
        options: { context: ['broken'] },
        others: [
          context('broken', () => {
            throw new Error('a bug');
          }),
        ],
      },
    );
    expect(await value()).toBe('context "broken" failed');
  });

  it('counts as no step', async () => {
    const { value } = await openBehaviour(
      async (ctx) => {
        await ctx.context('hours');
        await ctx.context('hours');
        return ctx.call('look');
      },
      { options: { context: ['hours'], maxSteps: 1 }, others: [context('hours', { data: 1 })] },
    );
    expect(await value()).toBe('did look ');
  });
});

describe('ctx.halt', () => {
  it('ends the run with its reason; nothing after it is executed', async () => {
    verifies('behaviour.ctx.halt');
    const { value, tools } = await openBehaviour(async (ctx) => {
      ctx.halt('nothing to do');
      await ctx.call('write');
    });
    expect(await value()).toEqual({ halted: true, reason: 'nothing to do' });
    expect(tools.done).toEqual([]);
  });

  it('cannot be caught: what is asked afterwards is not done, and what is returned does not count', async () => {
    const after: string[] = [];
    const { value, tools, runner } = await openBehaviour(async (ctx) => {
      try {
        ctx.halt('enough');
      } catch {
        after.push('caught');
      } finally {
        after.push('finally');
      }
      ctx.log('no');
      after.push(typeof ctx.now(), typeof ctx.random(), typeof ctx.uuid(), `${ctx.trace.length} told`);
      void ctx.call('write').finally(() => after.push('never'));
      void ctx.gather(['write']).finally(() => after.push('never'));
      return 'something else';
    });
    expect(await value()).toEqual({ halted: true, reason: 'enough' });
    expect(after).toEqual(['caught', 'finally', 'number', 'number', 'string', '0 told']);
    expect(tools.done).toEqual([]);
    expect(runner.journal.rows).toEqual([]);
  });

  it('ends what runs beside it: neither a value nor a failure comes any more', async () => {
    const given: string[] = [];
    const { value, tools } = await openBehaviour(async (ctx) => {
      const halting = async (): Promise<void> => {
        await ctx.call('nope').catch(() => null);
        ctx.halt('one is enough');
      };
      const beside = async (text: string, tool: string): Promise<void> => {
        await ctx.call(tool, { text }).then(
          () => given.push(`${text} came`),
          () => given.push(`${text} failed`),
        );
      };
      await Promise.allSettled([halting(), beside('second', 'mail'), beside('third', 'nope')]);
      return 'all';
    });
    expect(await value()).toEqual({ halted: true, reason: 'one is enough' });
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(tools.done).toEqual(['mail second']);
    expect(given).toEqual([]);
  });
});

describe('ctx.log and ctx.trace', () => {
  it('tell what the run has done so far, in the order in which it was told', async () => {
    verifies('behaviour.ctx.log', 'behaviour.ctx.trace');
    const { value } = await openBehaviour(
      async (ctx) => {
        ctx.log('begins');
        await ctx.call('look');
        const running = ctx.call('write');
        const before = ctx.trace.length;
        await running;
        await ctx.context('hours');
        await ctx.ask('Well?');
        await ctx.ask('Well?', { model: 'fast' });
        await ctx.run('inner');
        await ctx.call('nope').catch(() => null);
        return { before, trace: ctx.trace };
      },
      {
        options: { tools: ['look', 'write', 'inner'], context: ['hours'] },
        others: [context('hours', { data: 1 }), behaviour('inner', {}, () => null)],
        replies: ['Yes.', 'No.'],
      },
    );
    expect(await value()).toEqual({
      before: 2,
      trace: [
        { kind: 'log', message: 'begins' },
        { kind: 'call', name: 'look', ok: true },
        { kind: 'call', name: 'write', ok: true },
        { kind: 'context', name: 'hours', ok: true },
        { kind: 'ask', name: '', ok: true },
        { kind: 'ask', name: 'fast', ok: true },
        { kind: 'run', name: 'inner', ok: true },
        { kind: 'call', name: 'nope', ok: false, error: '"nope" is not a tool of behaviour "tidy"' },
      ],
    });
  });

  it('keep the newest 1,000 entries, and 4,000 characters of a message', async () => {
    const { value } = await openBehaviour(async (ctx) => {
      for (let i = 0; i < 1_001; i++) ctx.log(`m${i}`);
      const [first] = ctx.trace;
      ctx.log('x'.repeat(4_001));
      return [ctx.trace.length, first, ctx.trace.at(-1)];
    });
    expect(await value()).toEqual([
      1_000,
      { kind: 'log', message: 'm1' },
      {
        kind: 'log',
        message: `${'x'.repeat(4_000)}\n[cut: the first 4000 of 4001 characters are shown]`,
      },
    ]);
  });
});

describe('ctx', () => {
  it('lists the declared tools and contexts', async () => {
    verifies('behaviour.ctx.tools', 'behaviour.ctx.contexts');
    const { value } = await openBehaviour((ctx) => [ctx.tools, ctx.contexts], {
      options: { tools: ['look', 'look', 'pay'], context: ['hours'] },
      others: [context('hours', { data: 1 })],
    });
    expect(await value()).toEqual([['look', 'pay'], ['hours']]);
  });

  it('lists none by default', async () => {
    verifies('behaviour.option.tools.default', 'behaviour.option.context.default');
    const { models } = await openBehaviour(() => null);
    const desk = await openDesk([behaviour('bare', {}, (ctx) => [ctx.tools, ctx.contexts])], models);
    expect(await desk.run('bare', {})).toEqual([[], []]);
  });

  it('says whom it works for, with the scopes that the run has', async () => {
    verifies('behaviour.ctx.user');
    const { value } = await openBehaviour((ctx) => ctx.user, { options: { scopes: ['read', 'rule'] } });
    expect(await value()).toEqual({
      ...{ id: 'behaviour:tidy', root_id: 'ann', authenticated: true, scopes: ['read'] },
    });
    const nobody = { id: 'anonymous', rootId: 'anonymous', authenticated: false, scopes: ['read'] };
    expect(await value({}, { principal: narrow(nobody, 'agent:front', ['read']) })).toEqual({
      ...{ id: 'behaviour:tidy', root_id: 'anonymous', authenticated: false, scopes: ['read'] },
    });
  });

  it('says what was used, in the nine members of the table', async () => {
    verifies('behaviour.ctx.usage');
    const { value } = await openBehaviour(
      async (ctx) => {
        const before = ctx.usage;
        await ctx.call('look');
        await ctx.ask('Well?');
        return [before, ctx.usage];
      },
      {
        options: { tokenBudget: 90_000 },
        replies: [
          ({ model }) => ({
            message: { role: 'assistant', parts: [{ type: 'text', text: 'Yes.' }] },
            stop: 'end',
            spend: [
              {
                ...{ model, provider: 'p', inputTokens: 40, outputTokens: 5, cacheReadTokens: 20 },
                ...{ cacheWriteTokens: 3, costMicros: null, estimated: false },
              },
            ],
          }),
        ],
      },
    );
    const budgets = { max_steps: 50, token_budget: 90_000, tree_budget: 90_000, depth: 0 };
    expect(await value()).toEqual([
      { ...budgets, steps: 0, input_tokens: 0, output_tokens: 0, cache_tokens: 0, tree_tokens: 0 },
      { ...budgets, steps: 2, input_tokens: 40, output_tokens: 5, cache_tokens: 23, tree_tokens: 45 },
    ]);
  });

  it('knows its run and how deep that is nested', async () => {
    verifies('behaviour.ctx.run-id', 'behaviour.ctx.depth');
    const { value } = await openBehaviour(async (ctx) => [ctx.runId, ctx.depth, await ctx.run('inner')], {
      options: { tools: ['inner'] },
      others: [behaviour('inner', {}, (ctx) => [ctx.runId, ctx.depth, ctx.usage.depth])],
    });
    expect(await value()).toEqual(['run1', 0, ['run1.0', 1, 1]]);
  });

  it('has a clock, chance, ids and a signal, and records the first three', async () => {
    verifies('behaviour.ctx.extensions');
    const signals: AbortSignal[] = [];
    const { start, value, runner, host } = await openBehaviour(async (ctx) => {
      signals.push(ctx.signal);
      const values = [ctx.now(), ctx.random(), ctx.uuid()] as const;
      await ctx.call('pay', { cents: 5 });
      return values;
    });
    const stop = new AbortController();
    expect((await start({}, { signal: stop.signal })).status).toBe(202);
    runner.answer('pay', 'approved');
    const { rows } = runner.journal;
    const recorded = rows.filter(({ kind }) => kind === 'value').map(({ text }) => JSON.parse(text) as Json);
    const [now, random, uuid] = recorded as [number, number, string];
    expect(now).toBe(host.now());
    expect(random).toBeGreaterThanOrEqual(0);
    expect(random).toBeLessThan(1);
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(await value({}, { resume: { rootId: 'run1' } })).toEqual(recorded);
    stop.abort();
    expect(signals[0]?.aborted).toBe(true);
  });

  it('can be taken apart', async () => {
    const { value } = await openBehaviour(async ({ call, log, now }) => {
      log('still works');
      return [typeof now(), await call('look')];
    });
    expect(await value()).toEqual(['number', 'did look ']);
  });
});
