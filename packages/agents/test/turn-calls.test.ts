import { type ScriptedReply, scriptedModel, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { agent } from '../src/index.ts';
import { openDesk } from './desk/open-desk.ts';
import { openTools, resultsOf } from './desk/tools.ts';

type Called = readonly [name: string, values?: { readonly [name: string]: string | number }];

/** A turn of these calls, and whatever is said then. */
async function openTurn(calls: readonly Called[], more: readonly ScriptedReply[] = ['Done.']) {
  const turn = { calls: calls.map(([name, values = {}]) => ({ name, arguments: values })) };
  const models = scriptedModel([turn, ...more]);
  const tools = openTools();
  const clerk = agent('clerk', {
    tools: ['look', 'write', 'mail', 'pay', 'fee'],
    scopes: ['read', 'write'],
  });
  const desk = await openDesk([clerk], models, tools);
  const start = () => desk.run('clerk', 'Go.');
  const resume = () => desk.run('clerk', 'Go.', { resume: { rootId: 'run1' } });
  const results = () => resultsOf(models.requests[1]!);
  return { ...desk, models, tools, start, resume, results };
}

const notExecuted = 'not executed: an earlier call of this turn was declined';

describe('the calls of one turn', () => {
  it('asks no human about arguments that are wrong', async () => {
    const { start, runner, results, tools } = await openTurn([
      ['pay', { cents: 0 }],
      ['pay', { cents: 'x' }],
    ]);
    expect((await start()).status).toBe('completed');
    expect(runner.journal.asked).toEqual([]);
    expect(results()).toEqual([
      expect.stringMatching(/^tool pay failed with 422: \/cents /) as unknown,
      expect.stringMatching(/^tool pay failed with 422: \/cents /) as unknown,
    ]);
    expect(tools.done).toEqual([]);
  });

  it('asks humans about all gated calls together, and executes nothing behind the first undecided one', async () => {
    const calls: Called[] = [['write'], ['pay', { cents: 5 }], ['mail'], ['fee', { cents: 6 }], ['look']];
    const { start, runner, tools } = await openTurn(calls);
    const waiting = await start();
    expect(waiting.status).toBe('awaiting_approval');
    expect(waiting.pending_approvals?.map(({ tool }) => tool)).toEqual(['pay', 'fee']);
    expect(runner.journal.asked.map(({ tool }) => tool)).toEqual(['pay', 'fee']);
    expect(tools.done).toEqual(['write ']);
  });

  it.each([
    ['in their order', ['pay', 'fee']],
    ['in the other order', ['fee', 'pay']],
  ])('executes approved calls in the order of the turn, decided %s', async (_, order) => {
    const calls: Called[] = [['write'], ['pay', { cents: 5 }], ['mail'], ['fee', { cents: 6 }], ['look']];
    const { start, resume, runner, tools, results } = await openTurn(calls);
    await start();
    runner.answer(order[0]!, 'approved');
    expect((await resume()).status).toBe('awaiting_approval');
    runner.answer(order[1]!, 'approved');
    expect((await resume()).status).toBe('completed');
    expect(tools.done).toEqual(['write ', 'pay 5', 'mail ', 'fee 6', 'look ']);
    expect(results()).toEqual(['did write ', 'did pay 5', 'did mail ', 'did fee 6', 'did look ']);
  });

  it.each(['declined', 'expired'] as const)(
    'after a call that was %s executes only what reads, and asks no more',
    async (status) => {
      const calls: Called[] = [['pay', { cents: 5 }], ['mail'], ['look'], ['fee', { cents: 6 }]];
      const { start, resume, runner, tools, results } = await openTurn(calls);
      await start();
      runner.answer('pay', status, 'too much');
      const result = await resume();
      expect(result.status).toBe('completed');
      expect(tools.done).toEqual(['look ']);
      const why =
        status === 'declined'
          ? 'a human declined this call: too much. Do not make it again.'
          : 'nobody approved this call in time: too much. Do not make it again.';
      expect(results()).toEqual([why, notExecuted, 'did look ', notExecuted]);
      expect(runner.journal.asked.map((one) => one.status)).toEqual([status, 'withdrawn']);
      const kinds = result.steps
        .filter(({ tool }) => tool !== undefined)
        .map(({ kind, tool }) => [tool, kind]);
      expect(Object.fromEntries(kinds)).toEqual({
        pay: 'tool_refused',
        mail: 'tool_refused',
        look: 'tool_call',
        fee: 'tool_refused',
      });
    },
  );

  it('waits with what reads behind an undecided call, even when a later one was declined', async () => {
    const calls: Called[] = [['pay', { cents: 5 }], ['fee', { cents: 6 }], ['look']];
    const { start, resume, runner, tools } = await openTurn(calls);
    await start();
    runner.answer('fee', 'declined');
    expect((await resume()).status).toBe('awaiting_approval');
    expect(tools.done).toEqual([]);
    runner.answer('pay', 'approved');
    await resume();
    expect(tools.done).toEqual(['pay 5', 'look ']);
  });

  it('goes on after a call that failed', async () => {
    const { start, tools, results } = await openTurn([['write', { text: 7 }], ['mail']]);
    await start();
    expect(tools.done).toEqual(['mail ']);
    expect(results()[0]).toContain('tool write failed with 422');
  });

  it('refuses arguments that are no object, and calls nothing', async () => {
    const calls = [
      { name: 'write', arguments: '{"text": ' },
      { name: 'mail', arguments: ['a'] },
    ];
    const { models, tools, run } = await openWith([{ calls }, 'Sorry.']);
    const result = await run('clerk', 'Go.');
    expect(tools.done).toEqual([]);
    expect(resultsOf(models.requests[1]!)).toEqual([
      'the arguments of "write" are not an object',
      'the arguments of "mail" are not an object',
    ]);
    expect(result.steps.map(({ kind }) => kind)).toEqual(['model', 'tool_refused', 'tool_refused', 'model']);
  });

  it('makes calls that all read at once', async () => {
    const order: string[] = [];
    let release = (): void => {};
    const second = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tools = openTools();
    const [look] = tools.routes;
    const slow = { ...look!, name: 'slow', path: '/slow' };
    const releasing = (): number => {
      release();
      return order.push('second');
    };
    const routes = [
      // The first one ends only when the second has begun.
      { ...slow, engine: { kind: 'handler' as const, answer: () => second.then(() => order.push('first')) } },
      { ...look!, engine: { kind: 'handler' as const, answer: releasing } },
    ];
    const models = scriptedModel([{ calls: [{ name: 'slow' }, { name: 'look' }] }, 'Done.']);
    const clerk = agent('clerk', { tools: ['slow', 'look'], scopes: ['read'] });
    const { run } = await openDesk([clerk], models, { routes });
    expect((await run('clerk', 'Go.')).status).toBe('completed');
    expect(order).toEqual(['second', 'first']);
  });

  it('shows the human what the model said beside its calls', async () => {
    const { run, runner } = await openWith([
      { calls: [{ name: 'pay', arguments: { cents: 5 } }], text: 'The lamp was broken.'.padEnd(2_000, '!') },
    ]);
    await run('clerk', 'Go.');
    expect(runner.journal.asked[0]?.reason).toBe('The lamp was broken.'.padEnd(1_000, '!'));
  });

  it('gives every call one result, in the order of the calls', async () => {
    const { start, models } = await openTurn([['look'], ['nope'], ['look', { text: 'b' }]]);
    await start();
    const [said, told] = models.requests[1]!.messages.slice(-2);
    const ids = said?.parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
    expect(told?.parts.flatMap((part) => (part.type === 'tool_result' ? [part.id] : []))).toEqual(ids);
    expect(told?.parts.map((part) => part.type === 'tool_result' && part.isError)).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('calls tools as the run, with the root principal of whoever started it', async () => {
    verifies('authority.run.root-id', 'auth.principal.root-id', 'authority.run.nested');
    const seen: unknown[] = [];
    const [look] = openTools().routes;
    const routes = [
      {
        ...look!,
        engine: {
          kind: 'handler' as const,
          answer: ({ principal, via, step }: { principal: object; via: string; step?: object | undefined }) =>
            seen.push({ ...principal, via, inStep: step !== undefined }),
        },
      },
    ];
    const inner = agent('inner', { tools: ['look'], scopes: ['read', 'other'] });
    const outer = agent('outer', {
      tools: ['inner'],
      scopes: ['read', 'write', 'other'],
      exposeScopes: ['start'],
    });
    const call = { name: 'inner', arguments: { input: 'Go.' } };
    const models = scriptedModel([{ calls: [call] }, { calls: [{ name: 'look' }] }, 'In.', 'Out.']);
    const { run, told } = await openDesk([outer, inner], models, { routes });
    await run('outer', 'Go.');
    expect(seen).toEqual([
      {
        ...{ id: 'agent:inner', rootId: 'ann', authenticated: true, scopes: ['read', 'other'] },
        ...{ via: 'agent', inStep: true },
      },
    ]);
    expect(told).toEqual([]);
  });
});

async function openWith(replies: readonly ScriptedReply[]) {
  const models = scriptedModel(replies);
  const tools = openTools();
  const clerk = agent('clerk', { tools: ['look', 'write', 'mail', 'pay'], scopes: ['read', 'write'] });
  return { models, tools, ...(await openDesk([clerk], models, tools)) };
}
