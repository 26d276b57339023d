import { toTool } from '@waymark/contract';
import type { ModelClient, ModelReply, ModelRequest } from '@waymark/contract/models';
import { type ScriptedReply, scriptedModel, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type AgentOptions, type AgentsDeclaration, agent, context } from '../src/index.ts';
import { ann, openDesk } from './desk/open-desk.ts';
import { openTools, resultsOf } from './desk/tools.ts';

/** One run of an agent with these options. */
async function runOnce(
  options: AgentOptions,
  replies: readonly ScriptedReply[] = ['Done.'],
  others: readonly AgentsDeclaration[] = [],
) {
  const models = scriptedModel(replies);
  const tools = openTools();
  const desk = await openDesk([agent('helper', options), ...others], models, tools);
  const result = await desk.run('helper', 'Help me.');
  const [first] = models.requests as [ModelRequest];
  return { ...desk, models, tools, result, first };
}

const endless = (name: string): ScriptedReply => ({ calls: [{ name }], text: 'Still looking.' });

describe('an agent', () => {
  it('thinks with the model that it names', async () => {
    verifies('agent.option.model');
    expect((await runOnce({ model: 'smart' })).first.model).toBe('smart');
  });

  it('thinks with the alias default', async () => {
    verifies('agent.option.model.default');
    expect((await runOnce({})).first.model).toBe('default');
  });

  it('begins every conversation with its system prompt', async () => {
    verifies('agent.option.system');
    expect((await runOnce({ system: 'Be kind.' })).first.messages).toEqual([
      { role: 'system', parts: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Help me.' }] },
    ]);
  });

  it('says nothing first without one', async () => {
    verifies('agent.option.system.default');
    expect((await runOnce({})).first.messages.map(({ role }) => role)).toEqual(['user']);
  });

  it('is described by its description, as a tool and in listings', async () => {
    verifies('agent.option.description');
    const { table, ask } = await runOnce({ description: 'Helps with tickets.' });
    expect(toTool(table.get('helper')!).description).toBe('Helps with tickets.');
    const listing = await ask('get_svc_agents', {});
    expect(listing.body).toMatchObject({ text: expect.stringContaining('Helps with tickets.') as unknown });
  });

  it('has an empty description by default, and still one as a tool', async () => {
    verifies('agent.option.description.default');
    const { table, ask } = await runOnce({});
    expect(toTool(table.get('helper')!).description).toBe('POST /agents/helper');
    const listing = await ask('get_svc_agents', {});
    expect(listing.body).toMatchObject({ text: expect.stringContaining('"description":""') as unknown });
  });

  it('is offered the tools that it names, and uses them', async () => {
    verifies('agent.option.tools');
    const { first, tools, result } = await runOnce({ tools: ['look'], scopes: ['read'] }, [
      { calls: [{ name: 'look', arguments: { text: 'up' } }] },
      'Found it.',
    ]);
    expect(first.tools).toEqual([
      {
        name: 'look',
        description: 'GET /look',
        inputSchema: expect.objectContaining({ type: 'object', required: [] }) as unknown,
      },
    ]);
    expect(tools.done).toEqual(['look up']);
    expect(result).toMatchObject({ status: 'completed', output: 'Found it.' });
  });

  it('is refused tools that it does not name, and goes on', async () => {
    verifies('agent.option.tools');
    const { tools, result, models } = await runOnce({ tools: ['look'], scopes: ['read', 'write'] }, [
      { calls: [{ name: 'write' }, { name: 'no_such_tool' }] },
      'I cannot.',
    ]);
    expect(tools.done).toEqual([]);
    expect(resultsOf(models.requests[1]!)).toEqual([
      '"write" is not a tool of agent "helper"',
      '"no_such_tool" is not a tool of agent "helper"',
    ]);
    expect(result.output).toBe('I cannot.');
    expect(result.steps.map(({ kind }) => kind)).toEqual(['model', 'tool_refused', 'tool_refused', 'model']);
  });

  it('has no tools by default', async () => {
    verifies('agent.option.tools.default');
    expect((await runOnce({})).first.tools).toBeUndefined();
  });

  it('hands over to nobody by default', async () => {
    verifies('agent.option.handoffs.default');
    const { models, result } = await runOnce(
      {},
      [{ calls: [{ name: 'transfer_to_boss', arguments: { reason: 'hard' } }] }, 'Then not.'],
      [agent('boss')],
    );
    expect(resultsOf(models.requests[1]!)).toEqual(['"transfer_to_boss" is not a tool of agent "helper"']);
    expect(result.path).toEqual(['helper']);
  });

  it('is given no context by default', async () => {
    verifies('agent.option.context.default');
    const { models, runner } = await runOnce({}, ['Done.'], [context('today', { data: 'Friday' })]);
    expect(JSON.stringify(models.requests)).not.toContain('Friday');
    expect(runner.journal.rows.map(({ kind }) => kind)).toEqual(['model']);
  });

  it('has 12 steps by default, and ends with what was said when they are used up', async () => {
    verifies('agent.option.max-steps', 'agent.option.max-steps.default', 'limit.max-steps.agent');
    const look = { tools: ['look'], scopes: ['read'] };
    const { models, result } = await runOnce(look, Array<ScriptedReply>(13).fill(endless('look')));
    expect(models.requests).toHaveLength(12);
    expect(result).toMatchObject({ status: 'step_limit', output: 'Still looking.', usage: { steps: 12 } });
  });

  it('ends with what was said last, not with the silence after it', async () => {
    verifies('agent.option.max-steps');
    const silent: ScriptedReply = { calls: [{ name: 'look' }] };
    const look = { tools: ['look'], scopes: ['read'], maxSteps: 2 };
    const { result } = await runOnce(look, [endless('look'), silent]);
    expect(result).toMatchObject({ status: 'step_limit', output: 'Still looking.' });
  });

  it.each([
    { steps: 2, status: 'step_limit' },
    { steps: 3, status: 'completed' },
    { steps: 4, status: 'completed' },
  ])('that needs 3 steps ends $status with $steps', async ({ steps, status }) => {
    verifies('agent.option.max-steps');
    const replies = [endless('look'), endless('look'), 'Found.'];
    const { result } = await runOnce({ tools: ['look'], scopes: ['read'], maxSteps: steps }, replies);
    expect(result.status).toBe(status);
  });

  it('has no token budget by default', async () => {
    verifies('agent.option.token-budget.default');
    const { runner, first } = await runOnce({});
    expect(runner.specs[0]?.tokenBudget).toBeNull();
    expect(first.maxTokens).toBe(16_000);
  });

  it('stops with what it said when its budget is used up', async () => {
    const options = { tools: ['look'], scopes: ['read'], tokenBudget: 160, maxTokens: 100 };
    const { result, models } = await runOnce(options, Array<ScriptedReply>(9).fill(endless('look')));
    expect(result).toMatchObject({ status: 'budget_exhausted', output: 'Still looking.' });
    expect(models.requests.length).toBeGreaterThan(0);
    expect(result.usage['tree_tokens']).toBeLessThanOrEqual(160);
  });

  it('asks for no more tokens than its budget has left', async () => {
    const { first, runner } = await runOnce({ tokenBudget: 1_000 });
    expect(first.maxTokens).toBeLessThan(1_000);
    expect(first.maxTokens).toBeGreaterThan(500);
    expect(runner.specs[0]?.tokenBudget).toBe(1_000);
  });

  it.each([
    [{ tokenBudget: 5_000, maxTokens: 100 }, 100],
    [{ maxTokens: 100 }, undefined],
  ])('with %o lets all attempts at an answer use no more than was reserved', async (options, room) => {
    const scripted = scriptedModel(['Done.']);
    const budgets: (number | undefined)[] = [];
    const models: ModelClient = {
      ...scripted,
      complete(request, given) {
        budgets.push(given.tokenBudget && given.tokenBudget - scripted.estimateTokens(request));
        return scripted.complete(request, given);
      },
    };
    const desk = await openDesk([agent('helper', options)], models);
    await desk.run('helper', 'Hi.');
    expect(budgets).toEqual([room]);
  });

  it('pays from its budget for the agents it calls', async () => {
    verifies('agent.option.token-budget', 'limit.token-budget');
    const expensive: ScriptedReply = (request): ModelReply => ({
      message: { role: 'assistant', parts: [{ type: 'text', text: 'A long story.' }] },
      stop: 'end',
      spend: [{ ...free, model: request.model, inputTokens: 10, outputTokens: 2_000 }],
    });
    const { result } = await runOnce(
      { tools: ['writer'], tokenBudget: 2_100, maxTokens: 500 },
      [{ calls: [{ name: 'writer', arguments: { input: 'Tell.' } }], text: 'I ask.' }, expensive, 'Told.'],
      [agent('writer', { maxTokens: 500 })],
    );
    expect(result).toMatchObject({ status: 'budget_exhausted', output: 'I ask.' });
    expect(result.usage['tree_tokens']).toBe(2_025);
  });

  it.each([
    [{}, true],
    [{ cache: false }, false],
  ])('with %o marks its prompt for the cache: %s', async (options, cache) => {
    verifies('agent.option.cache', 'agent.option.cache.default');
    expect((await runOnce(options)).first.cache).toBe(cache);
  });

  it.each([
    [{}, undefined],
    [{ temperature: 0 }, 0],
    [{ temperature: 0.5 }, 0.5],
  ])('with %o sends the temperature %s', async (options, temperature) => {
    verifies('agent.option.temperature', 'agent.option.temperature.default');
    const { first } = await runOnce(options);
    expect(first.temperature).toBe(temperature);
    expect('temperature' in first).toBe(temperature !== undefined);
  });

  it.each([
    [{}, 16_000],
    [{ maxTokens: 50 }, 50],
  ])('with %o asks for %s tokens at most', async (options, maxTokens) => {
    verifies('agent.option.max-tokens', 'agent.option.max-tokens.default', 'limit.max-tokens');
    expect((await runOnce(options)).first.maxTokens).toBe(maxTokens);
  });

  it('answers below /agents/ with hyphens, or where it is told to', async () => {
    verifies('agent.option.expose-at', 'agent.option.expose-at.default', 'endpoint.agent.path');
    verifies('agent.route.post');
    const { table } = await runOnce(
      {},
      ['Done.'],
      [agent('front_desk'), agent('other', { exposeAt: '/ask/other' })],
    );
    const places = ['front_desk', 'other'].map((name) => {
      const { method, path, engine, name: tool } = table.get(name)!;
      return [tool, method, path, engine.kind];
    });
    expect(places).toEqual([
      ['front_desk', 'POST', '/agents/front-desk', 'agent'],
      ['other', 'POST', '/ask/other', 'agent'],
    ]);
  });

  it('says that it starts a run, and takes its input alone from a caller inside of one', async () => {
    const { table } = await runOnce({}, ['Done.']);
    const { facts } = table.get('helper')!;
    expect(facts).toMatchObject({ startsRun: 'agent', describedBy: 'write a description' });
    expect(facts.toolInput).toMatchObject({ required: ['input'], additionalProperties: false });
  });

  it('is a tool unless it says otherwise', async () => {
    verifies('agent.option.tool', 'agent.option.tool.default');
    const { table } = await runOnce({}, ['Done.'], [agent('shy', { tool: false })]);
    expect(table.tools().map(({ name }) => name)).toContain('helper');
    expect(table.tool('shy')).toBeUndefined();
  });

  it('is started by whoever has its exposeScopes, which are its scopes where it says nothing', async () => {
    verifies('agent.option.expose-scopes', 'agent.option.expose-scopes.default');
    verifies('auth.agent.expose-scopes');
    const { ask } = await runOnce(
      {},
      ['1', '2', '3', '4'],
      [agent('narrow', { scopes: ['read'] }), agent('open', { scopes: ['read'], exposeScopes: ['start'] })],
    );
    const status = async (name: string, scopes: readonly string[]) =>
      (await ask(name, { input: 'Go.' }, { principal: { ...ann, scopes } })).status;
    expect(await status('narrow', ['start'])).toBe(403);
    expect(await status('narrow', ['read'])).toBe(200);
    expect(await status('open', ['read'])).toBe(403);
    expect(await status('open', ['start'])).toBe(200);
  });

  it('may do what both it and its caller may do', async () => {
    verifies('agent.option.scopes', 'auth.agent.intersection', 'authority.run.intersection');
    const models = scriptedModel([{ calls: [{ name: 'look' }, { name: 'write' }] }, 'One of two.']);
    const tools = openTools();
    const helper = agent('helper', { tools: ['look', 'write'], scopes: ['read', 'write'], exposeScopes: [] });
    const desk = await openDesk([helper], models, tools);
    await desk.run('helper', 'Go.', { principal: { ...ann, scopes: ['read', 'other'] } });
    expect(tools.done).toEqual(['look ']);
    expect(resultsOf(models.requests[1]!)).toEqual([
      'did look ',
      'tool write failed with 403: missing scope "write"; this run has the scopes read: those that its agent and its caller share',
    ]);
  });

  it('may do nothing without scopes, and says why', async () => {
    verifies('agent.option.scopes.default', 'authority.run.empty');
    const { models, tools } = await runOnce({ tools: ['look'] }, [{ calls: [{ name: 'look' }] }, 'No.']);
    expect(tools.done).toEqual([]);
    expect(resultsOf(models.requests[1]!)).toEqual([
      'tool look failed with 403: missing scope "read"; this run has no scopes at all: those that its agent and its caller share',
    ]);
  });

  it('has the four tools of the memory that it names', async () => {
    verifies('agent.option.memory', 'memory.agent');
    const models = scriptedModel(['Done.']);
    const desk = await openDesk([agent('helper', { memory: 'look' })], models, {
      routes: ['remember', 'recall', 'search', 'forget'].map((verb) => ({
        ...openTools().routes[0]!,
        name: `look_${verb}`,
        path: `/look/${verb}`,
      })),
    });
    await desk.run('helper', 'Go.');
    const names = ['look_remember', 'look_recall', 'look_search', 'look_forget'];
    expect(models.requests[0]?.tools?.map(({ name }) => name)).toEqual(names);
  });

  it('has no memory by default', async () => {
    verifies('agent.option.memory.default');
    expect((await runOnce({ tools: ['look'], scopes: ['read'] })).first.tools).toHaveLength(1);
  });
});

const free = {
  ...{ model: '', provider: 'scripted', inputTokens: 0, outputTokens: 0, estimated: false },
  ...{ cacheReadTokens: 0, cacheWriteTokens: 0, costMicros: null },
};
