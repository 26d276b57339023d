import { type Json, Type, toTool } from '@waymark/contract';
import { validateValue } from '@waymark/contract/schema';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type FlowOptions, flow } from '../src/index.ts';
import { ann, bodyOf, openDesk } from './desk/open-desk.ts';
import { toolBench } from './desk/tools.ts';

/** A desk with one flow of these options, over three tools. */
async function openFlow(options: object = {}) {
  const bench = toolBench({ one: { answer: { a: 1 } }, two: { answer: { b: 2 } }, three: { answer: 3 } });
  // Tests pass one option at a time.
  const given = { pipeline: ['one'], ...options } as FlowOptions;
  const desk = await openDesk([flow('my_flow', given)], { routes: bench.routes });
  return { ...desk, asked: bench.asked, route: desk.table.get('my_flow')! };
}

describe('a flow', () => {
  it('gives each step of a pipeline what the one before it answered', async () => {
    verifies('flow.option.pipeline', 'flow.result.members');
    const { run, asked, route } = await openFlow({ pipeline: ['one', 'two', 'three'] });
    const result = await run('my_flow', { input: 'Go.' });
    expect(asked).toEqual([
      ['one', { input: 'Go.' }],
      ['two', { a: 1 }],
      ['three', { b: 2 }],
    ]);
    expect(result).toEqual({
      ...{ flow: 'my_flow', run_id: 'run1', status: 'completed', output: 3 },
      steps: ['one', 'two', 'three'].map((tool) => ({ tool, duration_ms: 0, ok: true })),
      usage: expect.objectContaining({ tree_tokens: 0, cost_usd: 0 }) as unknown,
    });
    expect(validateValue(route.output[200]!, result)).toEqual([]);
  });

  it('gives every step of parallel its input, at once', async () => {
    verifies('flow.option.parallel');
    let release = (): void => {};
    const bothAsked = new Promise<Json>((resolve) => {
      release = () => resolve('both');
    });
    const bench = toolBench({
      slow: { answer: () => bothAsked },
      quick: {
        answer() {
          release();
          return 'quick';
        },
      },
    });
    const desk = await openDesk([flow('wide', { parallel: ['slow', 'quick'] })], { routes: bench.routes });
    expect(await desk.run('wide', { input: 'Go.' })).toMatchObject({ output: ['both', 'quick'] });
    expect(bench.asked).toEqual([
      ['slow', { input: 'Go.' }],
      ['quick', { input: 'Go.' }],
    ]);
  });

  it('collects what parallel steps answer, in the order of the steps', async () => {
    verifies('flow.option.merge.default', 'flow.option.merge');
    const parallel = { pipeline: undefined, parallel: ['one', 'three', 'two'] };
    const collected = [{ a: 1 }, 3, { b: 2 }];
    expect((await (await openFlow(parallel)).run('my_flow')).output).toEqual(collected);
    const named = await openFlow({ ...parallel, merge: 'collect' });
    expect((await named.run('my_flow')).output).toEqual(collected);
  });

  it('merges what parallel steps answer into one object', async () => {
    verifies('flow.option.merge', 'flow.merge.folds');
    const { run } = await openFlow({
      ...{ pipeline: undefined, parallel: ['one', 'three', 'two'], merge: 'merge' },
    });
    expect((await run('my_flow')).output).toEqual({ a: 1, b: 2, three: 3 });
  });

  it('ends as the first parallel step that ended early, with what all of them answered', async () => {
    verifies('flow.step.early-end');
    const bench = toolBench({
      whole: { answer: 1 },
      cut: { kind: 'agent', ends: 'max_tokens', answer: 'a' },
      stopped: { kind: 'agent', ends: 'step_limit', answer: 'b' },
    });
    const parallel = ['whole', 'cut', 'stopped'];
    const desk = await openDesk([flow('wide', { parallel })], { routes: bench.routes });
    expect(await desk.run('wide')).toMatchObject({ status: 'max_tokens', output: [1, 'a', 'b'] });
  });

  it('is described by its description, as a tool and in listings', async () => {
    const { route } = await openFlow({ description: 'Sorts tickets.' });
    expect(toTool(route).description).toBe('Sorts tickets.');
  });

  it('has an empty description by default, and still one as a tool', async () => {
    verifies('flow.option.description.default');
    const { route, ask } = await openFlow();
    expect(toTool(route).description).toBe('POST /flows/my-flow');
    const listing = bodyOf(await ask('get_svc_flows')) as { readonly flows: readonly Json[] };
    expect(listing.flows[0]).toMatchObject({ description: '' });
  });

  it('is started by POST below /flows/ with hyphens, or where it is told to', async () => {
    verifies('flow.route.post', 'flow.option.expose-at', 'flow.option.expose-at.default');
    verifies('endpoint.flow.path');
    const { method, path, engine, facts } = (await openFlow()).route;
    expect([method, path, engine.kind, engine.durability]).toEqual(['POST', '/flows/my-flow', 'flow', 'run']);
    expect(facts).toMatchObject({ startsRun: 'flow', describedBy: 'write a description' });
    const { route, table } = await openFlow({ exposeAt: '/sort' });
    expect([route.method, route.path]).toEqual(['POST', '/sort']);
    expect([...table].map((one) => `${one.method} ${one.path}`)).toContain('GET /sort/runs/{run_id}');
  });

  it('is a tool unless it says otherwise', async () => {
    verifies('flow.option.tool', 'flow.option.tool.default');
    expect((await openFlow()).table.tool('my_flow')).toBeDefined();
    expect((await openFlow({ tool: false })).table.tool('my_flow')).toBeUndefined();
  });

  it('is started by whoever has its exposeScopes, which are its scopes where it says nothing', async () => {
    verifies('flow.option.expose-scopes', 'flow.option.expose-scopes.default');
    const status = async (options: object, scopes: readonly string[]) => {
      const { ask } = await openFlow(options);
      return (await ask('my_flow', {}, { principal: { ...ann, scopes } })).status;
    };
    const narrow = { scopes: ['read'] };
    expect(await status(narrow, ['start'])).toBe(403);
    expect(await status(narrow, ['read'])).toBe(200);
    const open = { scopes: ['read'], exposeScopes: ['start'] };
    expect(await status(open, ['read'])).toBe(403);
    expect(await status(open, ['start'])).toBe(200);
  });

  it('may do what both it and its caller may do', async () => {
    verifies('flow.option.scopes');
    const bench = toolBench({
      look: { scopes: ['read'], answer: 1 },
      write: { scopes: ['write'], answer: 2 },
    });
    const { ask } = await openDesk(
      [
        flow('reads', { pipeline: ['look'], scopes: ['read'], exposeScopes: [] }),
        flow('writes', { pipeline: ['write'], scopes: ['read'], exposeScopes: [] }),
      ],
      { routes: bench.routes },
    );
    const principal = { ...ann, scopes: ['write', 'read'] };
    expect((await ask('reads', {}, { principal })).status).toBe(200);
    expect((await ask('writes', {}, { principal })).status).toBe(502);
    const poor = { ...ann, scopes: ['write'] };
    expect((await ask('reads', {}, { principal: poor })).status).toBe(502);
    expect(bench.asked.map(([tool]) => tool)).toEqual(['look']);
  });

  it('may do nothing without scopes', async () => {
    verifies('flow.option.scopes.default');
    const bench = toolBench({ look: { scopes: ['read'], answer: 1 } });
    const { ask } = await openDesk([flow('reads', { pipeline: ['look'] })], { routes: bench.routes });
    expect(bodyOf(await ask('reads'))).toMatchObject({
      detail: 'tool look failed with 403: missing scope "read"',
    });
  });

  it('has no token budget by default, and the one it names', async () => {
    verifies('flow.option.token-budget.default');
    const plain = await openFlow();
    await plain.run('my_flow');
    expect(plain.runner.specs[0]).toMatchObject({ tokenBudget: null, maxSteps: null });
    const thrifty = await openFlow({ tokenBudget: 5_000 });
    await thrifty.run('my_flow');
    expect(thrifty.runner.specs[0]?.tokenBudget).toBe(5_000);
  });

  it('takes an object with a text input, if any, and anything else', async () => {
    verifies('flow.input.default', 'flow.option.input-schema.default', 'aside.flow.open-input');
    const { ask, asked } = await openFlow();
    expect((await ask('my_flow', { input: 'Go.', id: 7, more: { deep: [1] } })).status).toBe(200);
    expect((await ask('my_flow', {})).status).toBe(200);
    expect((await ask('my_flow', { input: 7 })).status).toBe(422);
    expect(asked.map(([, values]) => values)).toEqual([{ input: 'Go.', id: 7, more: { deep: [1] } }, {}]);
  });

  it.each([
    ['a schema for each member', { id: Type.Integer(), note: Type.Optional(Type.String()) }],
    [
      'one JSON Schema',
      {
        ...{ type: 'object', properties: { id: { type: 'integer' }, note: { type: 'string' } } },
        ...{ required: ['id'], additionalProperties: false },
      },
    ],
  ])('checks its input against %s', async (_, inputSchema) => {
    verifies('flow.option.input-schema');
    const { ask, asked, route } = await openFlow({ inputSchema });
    expect(toTool(route).inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    const statuses = await Promise.all(
      [{ id: 7 }, { id: 'x' }, {}, { id: 7, other: 1 }].map(
        async (values) => (await ask('my_flow', values)).status,
      ),
    );
    expect(statuses).toEqual([200, 422, 422, 422]);
    expect(asked).toEqual([['one', { id: 7 }]]);
  });

  it('is started with its plan, which names what each tool is', async () => {
    const { run, runner } = await openFlow({ pipeline: ['one', { tool: 'two', input: { n: '$.a' } }] });
    await run('my_flow');
    expect(runner.specs[0]).toMatchObject({ kind: 'flow', name: 'my_flow' });
    expect(runner.specs[0]?.definition).toEqual({
      kind: 'pipeline',
      steps: [
        { tool: 'one', engine: 'handler' },
        { tool: 'two', input: { n: '$.a' }, engine: 'handler' },
      ],
    });
  });

  it('has another version when its steps change', async () => {
    const versionOf = async (options: object) => {
      const { run, runner } = await openFlow(options);
      await run('my_flow');
      return runner.specs[0]?.codeVersion;
    };
    const first = await versionOf({ pipeline: ['one'] });
    expect(first).toMatch(/^[\w-]{16}$/);
    expect(await versionOf({ pipeline: ['one'] })).toBe(first);
    expect(await versionOf({ pipeline: ['one', 'two'] })).not.toBe(first);
  });
});
