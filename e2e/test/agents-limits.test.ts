import { once } from 'node:events';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { callers, type ThinkingApplication, thinking } from './agents-application.ts';

const events = async ({ send }: ThinkingApplication, kind: string) =>
  JSON.parse((await send(`/_svc/audit?kind=${kind}`)).text).events;

describe('the time an agent may take', () => {
  it('is the agent timeout, not the request timeout', async () => {
    verifies('app.option.agent-timeout');
    const { ask, send } = await thinking(
      (app) => {
        app.agent('slow', { scopes: ['read'] });
        app.get('/slow', { scopes: ['read'] }, (_, { signal }) => once(signal, 'abort'));
      },
      { requestTimeout: 0.5, agentTimeout: 30 },
    );
    const [agent, plain] = await Promise.all([ask('slow', '[[latency 900]] [[say Done.]]'), send('/slow')]);
    expect([agent.status, agent.value.output]).toEqual([200, 'Done.']);
    expect(plain.status).toBe(504);
  });

  it('ends its run when it is over: 504, with what was done', async () => {
    verifies('limit.agent-timeout', 'agent.route.failed', 'http.problem.run');
    const app = await thinking(
      (one) => {
        one.get('/look', { tool: true, toolName: 'look', scopes: ['read'], summary: 'Looks.' }, () => 'seen');
        one.agent('slow', { scopes: ['read'], tools: ['look'] });
      },
      { agentTimeout: 0.7 },
    );
    const { status, value } = await app.ask('slow', '[[call look {}]] [[hang]]');
    expect(status).toBe(504);
    expect(value).toMatchObject({
      detail: expect.stringMatching(/^timed out after [\d.]+ s$/) as unknown,
      code: 'timeout',
      run: {
        agent: 'slow',
        status: 'failed',
        steps: [{ kind: 'model' }, { kind: 'tool_call', tool: 'look' }],
      },
    });
    await expect.poll(() => events(app, 'run_finished')).toMatchObject([{ name: 'slow', status: 'failed' }]);
  });
});

describe('a budget', () => {
  it.each([
    [799, []],
    [800, [{ kind: 'budget_warning', tokens: 1_600, token_budget: 2_000 }]],
    [850, [{ kind: 'budget_warning', tokens: 1_700, token_budget: 2_000 }]],
  ])('is warned of once, from four fifths on: two answers of %i tokens', async (tokens, warnings) => {
    verifies('audit.kind.budget-warning');
    const app = await thinking((one) => {
      one.get('/look', { tool: true, toolName: 'look', scopes: ['read'], summary: 'Looks.' }, () => 'seen');
      one.agent('thrifty', { scopes: ['read'], tools: ['look'], tokenBudget: 2_000, maxTokens: 100 });
      one.agent('generous', { scopes: ['read'], tools: ['look'], maxTokens: 100 });
    });
    const input = `[[usage input=${tokens} output=0]] [[call look {}]] [[say Done.]]`;
    expect((await app.ask('thrifty', input)).value).toMatchObject({ status: 'completed', output: 'Done.' });
    // Nothing is warned of where there is no budget.
    expect((await app.ask('generous', input)).value.status).toBe('completed');
    await expect.poll(() => events(app, 'run_finished')).toHaveLength(2);
    expect(await events(app, 'budget_warning')).toMatchObject(warnings);
  });
});

describe('what a run used', () => {
  it('is counted by its own answers, and by the whole tree', async () => {
    verifies('agent.usage.members', 'ledger.micros');
    const app = await thinking((one) => {
      one.get('/look', { tool: true, toolName: 'look', scopes: ['read'], summary: 'Looks.' }, () => 'seen');
      one.agent('outer', {
        scopes: ['read'],
        tools: ['look', 'inner'],
        handoffs: ['last'],
        description: 'Asks.',
      });
      one.agent('inner', { scopes: ['read'], description: 'Answers.' });
      one.agent('last', { scopes: ['read'], description: 'Ends.' });
    });
    const usage = (input: number, output: number, cached: number, written: number): string =>
      `[[usage input=${input} output=${output} cached=${cached} written=${written}]]`;
    const inner = `${usage(10, 1, 0, 0)} [[say Seven.]]`;
    const calls = `[[calls look {}, inner ${JSON.stringify({ input: inner })}]] [[handoff last done]] [[say Done.]]`;
    const { value } = await app.ask('outer', `${usage(1_000, 50, 400, 100)} ${calls}`);
    // At 5 and 25 dollars for a million tokens; those of the cache have no price here.
    expect(value.usage).toEqual({
      ...{ input_tokens: 3_000, output_tokens: 150, cache_read_tokens: 1_200, cache_write_tokens: 300 },
      ...{ steps: 3, tool_calls: 2, handoffs: 1, compactions: 0, images_dropped: 0 },
      ...{ tree_tokens: 3_161, cost_usd: (3 * 500 * 5 + 150 * 25) / 1_000_000 },
    });
  });
});

describe('a run over HTTP', () => {
  it('says how it ended: each status, with what was said until then', async () => {
    verifies('agent.result.statuses', 'agent.route.ok', 'agent.route.waiting', 'agent.route.failed');
    const app = await thinking((one) => {
      one.get('/look', { tool: true, toolName: 'look', scopes: ['read'], summary: 'Looks.' }, () => 'seen');
      one.post(
        '/sell',
        { tool: true, toolName: 'sell', approval: 'required', summary: 'Sells.' },
        () => 'sold',
      );
      const options = { scopes: ['read'], tools: ['look', 'sell'] };
      one.agent('clerk', options);
      one.agent('hasty', { ...options, maxSteps: 1 });
      one.agent('thrifty', { ...options, tokenBudget: 1_000, maxTokens: 300 });
    });
    const look = '[[say Looking.]] & [[call look {}]]';
    const ended = async (agent: string, input: string) => {
      const { status, value } = await app.ask(agent, input);
      return [status, value.status, value.output];
    };
    expect(await ended('clerk', `${look} [[say Done.]]`)).toEqual([200, 'completed', 'Done.']);
    expect(await ended('clerk', `${look} [[stop length]]`)).toEqual([200, 'max_tokens', expect.any(String)]);
    expect(await ended('hasty', `${look} [[say Done.]]`)).toEqual([200, 'step_limit', 'Looking.']);
    const much = '[[usage input=900 output=50]]';
    expect(await ended('thrifty', `${much} ${look} [[say Done.]]`)).toEqual([
      200,
      'budget_exhausted',
      'Looking.',
    ]);
    expect(await ended('clerk', '[[error 400]]')).toEqual([502, 502, undefined]);
    const waiting = await app.ask('clerk', '[[say I sell.]] & [[call sell {}]] [[say Sold.]]');
    expect([waiting.status, waiting.value.status]).toEqual([202, 'awaiting_approval']);
    const { run_id: run } = waiting.value;
    expect((await app.send(`/_svc/runs/${run}/cancel`, {})).status).toBeLessThan(300);
    const { status, value } = await app.send(`/agents/clerk/runs/${run}`);
    expect([status, value.status]).toEqual([200, 'cancelled']);
  });
});

describe('the bytes that the runs of one caller may hold', () => {
  it('leave no room for another run of that caller, and for one of anybody else', async () => {
    verifies('run.kept.bytes');
    const app = await thinking((desk) => void desk.agent('clerk', { scopes: ['read'] }), {
      runs: { keepBytesPerCaller: 20_000 },
    });
    const ask = (key: keyof typeof callers) =>
      fetch(`${app.url}/agents/clerk`, {
        method: 'POST',
        headers: { 'x-api-key': callers[key], 'content-type': 'application/json' },
        body: JSON.stringify({ input: `${'x'.repeat(6_000)} [[say Fine.]]` }),
      });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await ask('ANN_KEY')).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
    const refused = await ask('ANN_KEY');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(await refused.json()).toMatchObject({
      code: 'runs_full',
      detail:
        'your runs hold as many bytes as are kept for one caller; come again when older ones are deleted',
    });
    expect((await ask('BEN_KEY')).status).toBe(200);
  });
});
