/** Flows on the engine of runs, over a real store: what they survive, whom they wait for, what they go on with. */
import { type AgentsDeclaration, agent, createAgents } from '@waymark/agents';
import { defineRoute, HTTPError, type Json, type Progress, type Route } from '@waymark/contract';
import type { RouteResponse } from '@waymark/contract/engine';
import type { ModelClient } from '@waymark/contract/models';
import { type ScriptedReply, scriptedModel, testHost, verifies } from '@waymark/contract/testing';
import { createFlows, type FlowDeclaration, flow } from '@waymark/flows';
import { afterEach, describe, expect, it } from 'vitest';
import { boss, desk, type Engine, type EngineOptions, json, openState, startEngine } from './runs/engine.ts';
import { type Policy, simulate } from './runs/simulate.ts';

type State = Awaited<ReturnType<typeof openState>>;

/** A result as it was sent. */
type Sent = {
  readonly flow: string;
  readonly run_id: string;
  readonly status: string;
  readonly output: Json;
  readonly steps: readonly { readonly tool: string; readonly ok: boolean; readonly error?: string }[];
  readonly usage: { readonly [name: string]: number | null };
  readonly pending_approvals?: readonly { readonly approval_id: string; readonly tool: string }[];
};

const engines: Engine[] = [];

afterEach(async () => {
  for (const engine of engines.splice(0)) {
    // What is dead gives nothing back.
    if (!engine.life.dead) await engine.stop();
    engine.life.kill();
  }
});

/** What is declared beside the tools of the engine. */
interface Declared {
  readonly models?: ModelClient;
  readonly agents?: readonly AgentsDeclaration[];
  readonly routes?: readonly Route[];
}

const scopes = ['use'];
const broken = defineRoute('POST', '/broken', { tool: true, toolName: 'broken' }, () => {
  throw new HTTPError(409, 'it is broken', { code: 'refused' });
});

function toRoutes(
  flows: readonly FlowDeclaration[],
  { models = scriptedModel([]), agents = [], routes = [broken] }: Declared = {},
): readonly Route[] {
  const plugins = [createFlows(flows), createAgents(agents)];
  for (const plugin of plugins) void plugin.start?.(testHost({ models }));
  return [...routes, ...plugins.flatMap((plugin) => plugin.routes)];
}

async function start(
  { database }: State,
  flows: readonly FlowDeclaration[],
  declared: Declared & EngineOptions = {},
): Promise<Engine> {
  const { models: _, agents: __, routes: ___, ...options } = declared;
  const engine = await startEngine(database, () => toRoutes(flows, declared), options);
  engines.push(engine);
  return engine;
}

/** Decides what was asked about a tool. */
async function decide(
  engine: Engine,
  { store }: State,
  tool: string,
  approve = true,
): Promise<RouteResponse> {
  const pending = await store.approvals({ status: 'pending', limit: 10 });
  const found = pending.find((one) => one.tool === tool);
  if (!found) throw new Error(`nobody was asked about ${tool}`);
  return engine.runner.decide(found.approvalId, { approve, note: 'not today', by: boss });
}

const withoutTimes = ({ steps, ...rest }: Sent) => ({
  ...rest,
  steps: steps.map((step) => ({ ...step, duration_ms: 0 })),
});

const toolsOf = ({ steps }: Sent) => steps.map(({ tool }) => tool);

describe('a flow that waits for a human', () => {
  const chain = flow('chain', {
    pipeline: [
      { tool: 'look', input: { n: '$input.n' } },
      { tool: 'refund', input: { n: '$.seen' } },
      { tool: 'row', input: { n: '$input.n' } },
    ],
    scopes,
  });

  it('is answered 202 at once and the rest later, with every step, from another process', async () => {
    verifies('flow.route.waiting', 'flow.result.members', 'flow.result.steps');
    const state = await openState();
    const first = await start(state, [chain]);
    const waits = await first.call('chain', { n: 5 });
    expect(waits.status).toBe(202);
    const waiting = json<Sent>(waits);
    expect(waits.headers['location']).toMatch(new RegExp(`/runs/${waiting.run_id}$`));
    expect(waiting).toMatchObject({ flow: 'chain', status: 'awaiting_approval', output: null });
    expect(waiting.pending_approvals).toMatchObject([
      { tool: 'refund', arguments: { n: 5 }, path: ['chain'] },
    ]);
    expect(toolsOf(waiting)).toEqual(['look']);
    first.life.kill();
    const next = await start(state, [chain], { world: first.world });
    const result = json<Sent>(await decide(next, state, 'refund'));
    expect(result).toMatchObject({ status: 'completed', run_id: waiting.run_id });
    expect(toolsOf(result)).toEqual(['look', 'refund', 'row']);
    expect(result.usage).toMatchObject({ steps: 3, tool_calls: 3 });
    expect(next.world.count('look')).toBe(1);
    const later = await next.call('get_flows_chain_runs_by_run_id', { run_id: waiting.run_id });
    expect(withoutTimes(json<Sent>(later))).toEqual(withoutTimes(result));
    const stranger = { ...desk, id: 'eve', rootId: 'eve' };
    const refused = await next.call(
      'get_flows_chain_runs_by_run_id',
      { run_id: waiting.run_id },
      { principal: stranger },
    );
    expect(refused.status).toBe(404);
  });

  it('fails with what the human said when that is no', async () => {
    verifies('flow.route.failed');
    const state = await openState();
    const engine = await start(state, [chain]);
    await engine.call('chain', { n: 1 });
    const answer = await decide(engine, state, 'refund', false);
    expect(answer).toMatchObject({
      status: 502,
      body: {
        ...{ detail: 'tool refund failed with 403: not today', code: 'declined' },
        run: {
          status: 'failed',
          steps: [
            { tool: 'look', ok: true },
            { tool: 'refund', ok: false, error: 'not today' },
          ],
        },
      },
    });
    expect([...engine.world.effects.keys()]).toEqual(['look']);
  });

  it('answers what it is when somebody ends it', async () => {
    const state = await openState();
    const engine = await start(state, [chain]);
    const { run_id: runId } = json<Sent>(await engine.call('chain', { n: 1 }));
    await engine.runner.cancel(runId, boss);
    const later = await engine.call('get_flows_chain_runs_by_run_id', { run_id: runId });
    expect(later.status).toBe(200);
    expect(json<Sent>(later)).toMatchObject({ status: 'cancelled', output: null, steps: [{ tool: 'look' }] });
  });

  it('waits in each branch, and goes on when all are decided', async () => {
    const wide = flow('wide', { parallel: ['look', 'refund', 'deep'], merge: 'merge', scopes });
    const deep = flow('deep', { pipeline: ['sign', { tool: 'look', input: {} }], scopes });
    const state = await openState();
    const engine = await start(state, [wide, deep]);
    const waiting = json<Sent>(await engine.call('wide'));
    expect(waiting.pending_approvals?.map(({ tool }) => tool).sort()).toEqual(['refund', 'sign']);
    expect((await decide(engine, state, 'sign')).status).toBe(202);
    const result = json<Sent>(await decide(engine, state, 'refund'));
    expect(result).toMatchObject({ status: 'completed', output: { done: 'refund', seen: 0, at: 2 } });
    expect(toolsOf(result).sort()).toEqual(['deep', 'look', 'refund']);
  });
});

describe('a parallel flow with a branch that fails', () => {
  const wide = flow('wide', { parallel: ['refund', 'row', 'broken', 'deep'], scopes });
  const deep = flow('deep', { pipeline: ['look', { tool: 'sign', input: {} }], scopes });

  it('waits for those that work, and takes back what humans are asked', async () => {
    verifies('flow.route.failed', 'flow.option.parallel');
    const state = await openState();
    const engine = await start(state, [wide, deep]);
    const answer = await engine.call('wide');
    expect(answer).toMatchObject({
      status: 502,
      body: {
        ...{ detail: 'tool broken failed with 409: it is broken', code: 'refused' },
        run: { status: 'failed', output: null },
      },
    });
    expect(engine.world.count('look')).toBe(1);
    expect(await state.database.many('select key from effect', [])).toHaveLength(1);
    const approvals = await state.store.approvals({ limit: 10 });
    expect(approvals.map(({ tool, status }) => `${tool} ${status}`).sort()).toEqual([
      'refund withdrawn',
      'sign withdrawn',
    ]);
  });

  it('waits for a branch that works longer than the one that failed', async () => {
    let finish = (): void => {};
    const working = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const slow = defineRoute('POST', '/slow', { tool: true, toolName: 'slow' }, async () => {
      await working;
      return 'slow and done';
    });
    const state = await openState();
    const mixed = flow('mixed', { parallel: ['broken', 'slow'] });
    const engine = await start(state, [mixed], { routes: [broken, slow] });
    let answered = false;
    const answer = engine.call('mixed').finally(() => {
      answered = true;
    });
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(answered).toBe(false);
    finish();
    expect(await answer).toMatchObject({
      status: 502,
      body: {
        run: {
          steps: [
            { tool: 'broken', ok: false },
            { tool: 'slow', ok: true },
          ],
        },
      },
    });
  });
});

/** Another label each time it is asked, so that a choice that is made again shows. It costs nothing. */
function fickleModel(): ModelClient {
  let asked = 0;
  return {
    ...scriptedModel([]),
    async complete() {
      const label = asked++ % 2 === 0 ? 'refund' : 'sign';
      const call = { type: 'tool_call', id: 'c', name: 'choose', arguments: { label } } as const;
      return { message: { role: 'assistant', parts: [call] }, stop: 'tool_calls', spend: [] };
    },
  };
}

describe.each([
  {
    name: 'a pipeline',
    start: 'chain',
    gated: 1,
    flows: [
      flow('chain', {
        pipeline: ['look', { tool: 'inner', input: { n: '$.seen' } }, { tool: 'row', input: {} }],
        scopes,
      }),
      flow('inner', {
        pipeline: [
          { tool: 'keyed', input: { n: '$input.n' } },
          { tool: 'refund', input: {} },
        ],
        scopes,
      }),
    ],
  },
  {
    name: 'a parallel flow with two gates and a branch that fails',
    start: 'wide',
    gated: 0,
    flows: [
      flow('wide', { parallel: ['refund', 'row', 'deep', 'broken'], scopes }),
      flow('deep', {
        pipeline: [
          { tool: 'keyed', input: {} },
          { tool: 'sign', input: {} },
        ],
        scopes,
      }),
    ],
  },
  {
    name: 'a flow that routes',
    start: 'triage',
    gated: 1,
    flows: [flow('triage', { route: { refund: 'refund', sign: 'sign' }, scopes })],
  },
])('a process that dies during $name', ({ name, start: first, gated, flows }) => {
  const models = fickleModel();
  const shape = { name, start: first, routes: () => toRoutes(flows, { models }) };

  it.each<Policy>(['approve', 'deny'])('leaves it to the next one (%s)', async (policy) => {
    verifies('run.survives');
    const { points, status } = await simulate({ shape, policy, deaths: [] });
    expect(status).toBe(policy === 'approve' && gated > 0 ? 'completed' : 'failed');
    expect(points).toBeGreaterThan(8);
    // The model may choose another tool the next time, whose call is two points shorter.
    for (let at = 1; at <= points - 2; at += 4) {
      const outcome = await simulate({ shape, policy, deaths: [at] });
      expect(outcome).toMatchObject({ engines: 2, status });
      const done = [...outcome.world.effects.keys()].filter((effect) => /^(?:refund|sign) /.test(effect));
      expect(done).toHaveLength(policy === 'approve' ? gated : 0);
    }
  });
});

describe('a label', () => {
  it('is chosen once, whatever the model says in the next process', async () => {
    verifies('flow.router.forced', 'flow.option.route');
    const triage = flow('triage', { route: { pay: 'refund', other: 'row' }, scopes });
    const choose = (label: string): ScriptedReply => ({ calls: [{ name: 'choose', arguments: { label } }] });
    const state = await openState();
    const models = scriptedModel([choose('pay')]);
    const first = await start(state, [triage], { models });
    const waiting = json<Sent>(await first.call('triage'));
    expect(waiting).toMatchObject({ steps: [{ tool: 'classify', ok: true, label: 'pay' }] });
    first.life.kill();
    const others = scriptedModel([choose('other')]);
    const next = await start(state, [triage], { models: others, world: first.world });
    const result = json<Sent>(await decide(next, state, 'refund'));
    expect(result).toMatchObject({ status: 'completed', output: { done: 'refund' } });
    expect([models.requests.length, others.requests.length]).toEqual([1, 0]);
    expect(result.usage).toMatchObject({ steps: 2, tool_calls: 1, input_tokens: 10, output_tokens: 5 });
    expect(await state.database.many('select input_tokens from svc__spend', [])).toHaveLength(1);
  });
});

describe('a flow that was edited while it waited', () => {
  const before = flow('chain', {
    pipeline: ['look', { tool: 'refund', input: {} }, { tool: 'row', input: {} }],
    scopes,
  });

  /** Parks in one process; is decided on in the next one, with these declarations. */
  async function across(after: readonly FlowDeclaration[], tools?: readonly Route[], parked = before) {
    const state = await openState();
    const writer = defineRoute('POST', '/writer', { tool: true, toolName: 'writer' }, () => ({
      status: 'completed',
      output: 'written',
    }));
    const asAgent = { ...writer, engine: { ...writer.engine, kind: 'agent' as const }, strict: false };
    const open = { ...asAgent, inputSchema: { type: 'object' } };
    const first = await start(state, [parked], { routes: [open] });
    expect((await first.call('chain', {})).status).toBe(202);
    first.life.kill();
    const options = { world: first.world, ...(tools && { routes: tools, tools: false }) };
    const next = await start(state, after, options);
    return { answer: await decide(next, state, 'refund'), world: next.world };
  }

  it('goes on by the plan it was started with', async () => {
    const after = flow('chain', { pipeline: ['sign', { tool: 'look', input: { n: 1 } }], scopes });
    const { answer } = await across([after]);
    const result = json<Sent>(answer);
    expect(result).toMatchObject({ status: 'completed', output: { row: expect.any(String) as unknown } });
    expect(toolsOf(result)).toEqual(['look', 'refund', 'row']);
  });

  it('goes on by its plan as a flow of another kind', async () => {
    const { answer } = await across([flow('chain', { route: { a: 'look' }, scopes })]);
    expect(toolsOf(json<Sent>(answer))).toEqual(['look', 'refund', 'row']);
  });

  /** Tools of the second process alone. */
  const done = (name: string) =>
    defineRoute('POST', `/${name}`, { tool: true, toolName: name, approval: 'never' }, () => ({
      done: name,
    }));
  const refund = defineRoute(
    'POST',
    '/refund',
    { tool: true, toolName: 'refund', approval: 'required', input: { type: 'object' } },
    () => ({ done: 'refund' }),
  );

  it('goes on without a tool that has answered already, and that was told as an agent is', async () => {
    const parked = flow('chain', { pipeline: ['writer', { tool: 'refund', input: {} }], scopes });
    const { answer } = await across([parked], [refund], parked);
    const result = json<Sent>(answer);
    expect(result).toMatchObject({ status: 'completed', output: { done: 'refund' } });
    expect(toolsOf(result)).toEqual(['writer', 'refund']);
  });

  it('fails where a tool is gone that it still needs', async () => {
    const { answer } = await across([before], [refund, done('look')]);
    expect(answer).toMatchObject({
      status: 502,
      body: {
        ...{ detail: 'tool row failed with 404: there is no such tool any more', code: 'tool_gone' },
        run: { steps: [{ tool: 'look' }, { tool: 'refund' }, { tool: 'row', ok: false }] },
      },
    });
  });

  it('fails where it is gone itself', async () => {
    const { answer } = await across([]);
    expect(answer).toMatchObject({ status: 500, body: { code: 'declaration_gone' } });
  });
});

describe('the budget of a flow', () => {
  const spent = (text: string, outputTokens: number): ScriptedReply => ({
    message: { role: 'assistant', parts: [{ type: 'text', text }] },
    stop: 'end',
    spend: [
      {
        ...{ model: 'm', provider: 'scripted', inputTokens: 10, outputTokens, cacheReadTokens: 0 },
        ...{ cacheWriteTokens: 0, costMicros: null, estimated: false },
      },
    ],
  });
  const writer = agent('writer', { maxTokens: 500 });

  it('covers all of its steps together', async () => {
    verifies('flow.option.token-budget', 'flow.step.early-end', 'agent.nested.output');
    const state = await openState();
    const twice = flow('twice', { pipeline: ['writer', 'writer', 'look'], tokenBudget: 2_000, scopes });
    const models = scriptedModel([spent('A long story.', 1_950), 'Never told.']);
    const engine = await start(state, [twice], { models, agents: [writer] });
    const response = await engine.call('twice', { input: 'Tell.' });
    expect(response.status).toBe(200);
    const result = json<Sent>(response);
    expect(result).toMatchObject({ status: 'budget_exhausted', output: '' });
    expect(toolsOf(result)).toEqual(['writer', 'writer']);
    expect(models.requests).toHaveLength(1);
    expect(engine.world.count('look')).toBe(0);
  });

  it('gives the text of one agent to the next', async () => {
    verifies('flow.step.agent-input', 'flow.step.unwrapped', 'agent.nested.output');
    const state = await openState();
    const twice = flow('twice', { pipeline: ['writer', 'writer'], tokenBudget: 20_000 });
    const models = scriptedModel(['A story.', 'A better story.']);
    const engine = await start(state, [twice], { models, agents: [writer] });
    const result = json<Sent>(await engine.call('twice', { input: 'Tell.' }));
    expect(result).toMatchObject({ status: 'completed', output: 'A better story.' });
    const said = models.requests.map(({ messages }) => messages.at(-1)?.parts[0]);
    expect(said).toEqual([
      { type: 'text', text: 'Tell.' },
      { type: 'text', text: 'A story.' },
    ]);
  });

  it('ends it before a choice that nothing is left for', async () => {
    const state = await openState();
    const triage = flow('triage', { route: { a: 'look' }, tokenBudget: 50, scopes });
    const engine = await start(state, [triage]);
    const result = json<Sent>(await engine.call('triage', { input: 'x'.repeat(400) }));
    expect(result).toMatchObject({
      status: 'budget_exhausted',
      output: null,
      steps: [{ tool: 'classify', ok: false }],
    });
  });

  it('pays for a choice that it cut off', async () => {
    const state = await openState();
    const triage = flow('triage', { route: { a: 'look' }, tokenBudget: 800, scopes });
    const cut = (): ScriptedReply => ({ ...(spent('', 600) as object), stop: 'max_tokens' }) as ScriptedReply;
    const engine = await start(state, [triage], { models: scriptedModel([cut()]) });
    const result = json<Sent>(await engine.call('triage', {}));
    expect(result).toMatchObject({ status: 'budget_exhausted', output: null });
    expect(result.usage).toMatchObject({ output_tokens: 600 });
  });
});

describe('flows in flows', () => {
  it('are refused where they are nested too deeply', async () => {
    const flows = Array.from({ length: 9 }, (_, i) =>
      flow(`level_${i}`, { pipeline: [i < 8 ? `level_${i + 1}` : 'look'], scopes }),
    );
    const engine = await start(await openState(), flows);
    expect((await engine.call('level_1')).status).toBe(200);
    const { status, body } = await engine.call('level_0');
    expect(status).toBe(502);
    expect(JSON.stringify(body)).toContain('tool level_8 failed with 508: runs are nested 8 deep at most');
  });

  it('tell their steps as they happen, with the names of their runs', async () => {
    const flows = [
      flow('outer', { pipeline: ['look', { tool: 'inner', input: {} }], scopes }),
      flow('inner', { pipeline: ['row'], scopes }),
    ];
    const engine = await start(await openState(), flows);
    const told: Progress[] = [];
    await engine.call('outer', {}, { observe: (progress) => void told.push(progress) });
    const steps = told
      .filter(({ event }) => event === 'step')
      .map(({ data }) => data as { [name: string]: Json });
    expect(steps.map(({ agent: name, tool, kind }) => [name, tool, kind])).toEqual([
      ['outer', 'look', 'tool_call'],
      ['inner', 'row', 'tool_call'],
      ['outer', 'inner', 'tool_call'],
    ]);
  });
});
