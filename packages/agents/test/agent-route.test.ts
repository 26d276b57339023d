import { defineRoute, HTTPError, type Route } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { ModelError, type ModelReply, type Spend } from '@waymark/contract/models';
import type { RunSpec } from '@waymark/contract/runs';
import { type ScriptedReply, scriptedModel, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { agent } from '../src/index.ts';
import { toUsage } from './desk/journal.ts';
import { ann, bodyOf, openDesk } from './desk/open-desk.ts';
import { openTools, resultsOf } from './desk/tools.ts';

const spend: Spend = {
  ...{ model: 'm', provider: 'p', estimated: false, costMicros: 1_500 },
  ...{ inputTokens: 100, outputTokens: 7, cacheReadTokens: 40, cacheWriteTokens: 20 },
};

/** A reply that stops in its own way. */
function said(text: string, stop: ModelReply['stop'], calls: readonly string[] = []): ModelReply {
  const parts = calls.map((name, i) => ({ type: 'tool_call' as const, id: `c${i}`, name, arguments: {} }));
  return { message: { role: 'assistant', parts: [{ type: 'text', text }, ...parts] }, stop, spend: [spend] };
}

async function openHelper(replies: readonly ScriptedReply[], options = {}) {
  const models = scriptedModel(replies);
  const tools = openTools();
  const given = { tools: ['look', 'write', 'pay'], scopes: ['read', 'write'], ...options };
  return { models, tools, ...(await openDesk([agent('helper', given)], models, tools)) };
}

const anonymous = { id: 'anonymous', rootId: 'anonymous', authenticated: false, scopes: ['read', 'write'] };

describe('the answer of an agent', () => {
  it('has every member of a result', async () => {
    verifies('agent.result.members', 'agent.usage.members', 'agent.route.ok', 'agent.step.members');
    verifies('agent.nested.envelope');
    const { ask } = await openHelper([said('Hm.', 'tool_calls', ['look']), said('Hello.', 'end')]);
    const response = await ask('helper', { input: 'Hi.' });
    expect(response.status).toBe(200);
    expect(bodyOf(response)).toEqual({
      run_id: 'run1',
      agent: 'helper',
      path: ['helper'],
      status: 'completed',
      output: 'Hello.',
      steps: [
        expect.objectContaining({ seq: 1, kind: 'model', agent: 'helper', run_id: 'run1' }) as unknown,
        expect.objectContaining({ seq: 2, kind: 'tool_call', tool: 'look', arguments: {} }) as unknown,
        expect.objectContaining({ seq: 3, kind: 'model' }) as unknown,
      ],
      usage: {
        ...{ input_tokens: 200, output_tokens: 14, cache_read_tokens: 80, cache_write_tokens: 40 },
        ...{ steps: 2, tool_calls: 1, handoffs: 0, compactions: 0, images_dropped: 0 },
        ...{ tree_tokens: 214, cost_usd: 0.003 },
      },
    });
  });

  it('costs null where a model has no price', async () => {
    verifies('agent.usage.members');
    const { run } = await openHelper(['Hello.']);
    expect((await run('helper', 'Hi.')).usage['cost_usd']).toBeNull();
  });

  it('is max_tokens when the model was cut off, and makes none of the calls it may not have finished', async () => {
    verifies('agent.result.statuses');
    const { run, tools } = await openHelper([said('Half a', 'max_tokens', ['write'])]);
    expect(await run('helper', 'Hi.')).toMatchObject({ status: 'max_tokens', output: 'Half a' });
    expect(tools.done).toEqual([]);
  });

  it('goes on when the model pauses', async () => {
    const { run, models } = await openHelper([said('One,', 'pause'), said('two.', 'end')]);
    expect(await run('helper', 'Hi.')).toMatchObject({ status: 'completed', output: 'two.' });
    expect(models.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('is what a model says when it refuses', async () => {
    const { run } = await openHelper([said('I must not.', 'refusal')]);
    expect(await run('helper', 'Hi.')).toMatchObject({ status: 'completed', output: 'I must not.' });
  });

  it('is 502 when a model refuses without a word', async () => {
    const { ask } = await openHelper([said('', 'refusal')]);
    const response = await ask('helper', { input: 'Hi.' });
    expect(response).toMatchObject({
      status: 502,
      body: { detail: 'the model refused to answer', code: 'refusal' },
    });
  });

  it.each([
    [502, new ModelError('provider "p" is down', { reason: 'unavailable', provider: 'p', model: 'm' })],
    [504, new ModelError('provider "p" is slow', { reason: 'timeout', provider: 'p', model: 'm' })],
    [500, new Error('a bug')],
  ])('is a problem with %s and the whole result when the run failed', async (status, error) => {
    verifies('agent.route.failed', 'http.problem.run', 'agent.result.statuses');
    const { ask } = await openHelper([said('Hm.', 'tool_calls', ['look']), error]);
    const response = await ask('helper', { input: 'Hi.', session_id: 's' });
    expect(response.status).toBe(status);
    expect(bodyOf(response)['run']).toMatchObject({
      ...{ run_id: 'run1', status: 'failed', agent: 'helper', path: ['helper'], session_id: 's' },
      usage: { steps: 2, tool_calls: 1 },
      steps: [{ kind: 'model' }, { kind: 'tool_call' }, { kind: 'model' }],
    });
  });

  it('keeps what a failed call of a model cost', async () => {
    const failure = new ModelError('cut', {
      reason: 'unavailable',
      provider: 'p',
      model: 'm',
      spend: [spend],
    });
    const { ask } = await openHelper([failure]);
    const { run } = bodyOf(await ask('helper', { input: 'Hi.' })) as { run: { usage: object } };
    expect(run.usage).toMatchObject({ input_tokens: 100, cost_usd: 0.0015 });
  });

  it('is 202 while a human is asked, and is there after the decision', async () => {
    verifies('agent.result.statuses');
    const calls = [{ name: 'pay', arguments: { cents: 5 } }];
    const { ask, runner, tools } = await openHelper([{ calls, text: 'It was broken.' }, 'Paid.']);
    const response = await ask('helper', { input: 'Hi.' });
    expect(response.status).toBe(202);
    expect(bodyOf(response)).toMatchObject({
      ...{ status: 'awaiting_approval', output: '' },
      pending_approvals: [
        {
          ...{ approval_id: 'approval-run1.1', run_id: 'run1', agent: 'helper', path: ['helper'] },
          ...{ tool: 'pay', arguments: { cents: 5 }, reason: 'It was broken.' },
          ...{ requested_at_ms: 1_000, expires_at_ms: 2_000 },
        },
      ],
    });
    runner.answer('pay', 'approved');
    const later = bodyOf(await ask('helper', { input: 'Hi.' }, { resume: { rootId: 'run1' } }));
    expect(later).toMatchObject({ status: 'completed', output: 'Paid.' });
    expect(tools.done).toEqual(['pay 5']);
  });

  it('is cancelled, with nothing said, when the run was cancelled', async () => {
    verifies('agent.result.statuses');
    const { table, runner } = await openHelper(['Hello.']);
    const usage = toUsage([], { kind: 'agent', name: 'helper', tokenBudget: null } as RunSpec, []);
    const outcome = { runId: 'run1', path: ['helper'], steps: [], usage, status: 'cancelled' } as const;
    const route = table.get('helper')!;
    const context = {
      route,
      input: { input: 'Hi.' },
      principal: ann,
      via: 'http',
      openRun: async () => outcome,
    };
    expect(await route.engine.answer?.(context as never)).toMatchObject({ status: 'cancelled', output: '' });
    expect(runner.journals.size).toBe(0);
  });

  it('names no place to an anonymous caller', async () => {
    const { ask } = await openHelper([{ calls: [{ name: 'pay', arguments: { cents: 5 } }] }]);
    const response = await ask('helper', { input: 'Hi.' }, { principal: anonymous });
    expect(response.status).toBe(202);
    expect(response.headers).not.toHaveProperty('location');
  });

  it('is for inside a run its output alone', async () => {
    verifies('agent.nested.output');
    const models = scriptedModel([
      { calls: [{ name: 'inner', arguments: { input: 'Go.' } }] },
      'Inner.',
      'Outer.',
    ]);
    const desk = await openDesk([agent('outer', { tools: ['inner'] }), agent('inner')], models);
    expect((await desk.run('outer', 'Hi.')).output).toBe('Outer.');
    expect(resultsOf(models.requests[2]!)).toEqual(['Inner.']);
  });

  it('is for an agent inside a run status and output where it did not complete', async () => {
    verifies('agent.nested.agent-reads-status');
    const inner: readonly ScriptedReply[] = [said('Half', 'max_tokens')];
    const models = scriptedModel([
      { calls: [{ name: 'inner', arguments: { input: 'Go.' } }] },
      ...inner,
      'Outer.',
    ]);
    const desk = await openDesk([agent('outer', { tools: ['inner'] }), agent('inner')], models);
    await desk.run('outer', 'Hi.');
    expect(resultsOf(models.requests[2]!)).toEqual(['{"status":"max_tokens","output":"Half"}']);
  });

  it('is for code inside a run an error that names the status', async () => {
    verifies('agent.nested.not-completed');
    const calls = [{ name: 'code', arguments: {} }];
    const models = scriptedModel([{ calls }, said('Half', 'max_tokens'), 'Too bad.']);
    const outer = agent('outer', { tools: ['code'] });
    const desk = await openDesk([outer, agent('inner')], models, { routes: [codeThatCalls('inner')] });
    await desk.run('outer', 'Hi.');
    expect(resultsOf(models.requests[2]!)).toEqual([
      'tool code failed with 502: agent "inner" ended max_tokens',
    ]);
  });

  it('is an error for an agent whose inner agent failed', async () => {
    verifies('agent.nested.not-completed');
    const down = new HTTPError(502, 'provider "p" is down');
    const models = scriptedModel([
      { calls: [{ name: 'inner', arguments: { input: 'Go.' } }] },
      down,
      'Too bad.',
    ]);
    const desk = await openDesk([agent('outer', { tools: ['inner'] }), agent('inner')], models);
    expect((await desk.run('outer', 'Hi.')).output).toBe('Too bad.');
    expect(resultsOf(models.requests[2]!)).toEqual(['tool inner failed with 502: provider "p" is down']);
  });
});

/** A tool that calls an agent in its own step, as a behaviour does. */
function codeThatCalls(name: string): Route {
  const route = defineRoute('POST', '/code', { tool: true, toolName: 'code' }, () => 0);
  const answer = ({ table, dispatcher, principal, requestId, step }: EngineContext) =>
    dispatcher.dispatch({
      ...{ route: table.get(name)!, principal, requestId, via: 'behaviour' },
      input: { by: 'arguments', values: { input: 'Go.' } },
      ...(step && { step }),
    });
  return { ...route, engine: { kind: 'handler', answer } };
}

describe('the input of an agent', () => {
  it('is as its schema says, and nothing else', async () => {
    verifies('endpoint.agent.body');
    const { ask, table } = await openHelper(['1', '2']);
    expect((await ask('helper', { input: 'a', session_id: 's', reset: true })).status).toBe(200);
    for (const wrong of [
      {},
      { input: '' },
      { input: 7 },
      { input: 'a', more: 1 },
      { input: 'a', session_id: '' },
    ])
      expect((await ask('helper', wrong)).status).toBe(422);
    expect(table.get('helper')?.maxBodyBytes).toBe(32 * 1_048_576);
    verifies('http.body.limit-agents');
  });

  it.each([
    ['1 MiB', {}, 1_048_576],
    ['what the agent says', { maxInputBytes: 10 }, 10],
  ])('has a text of at most %s', async (_, options, most) => {
    verifies('agent.input.size');
    const { ask, runner, table } = await openHelper(['Yes.', 'Yes.', 'Yes.'], options);
    const statusOf = async (input: string): Promise<number> => (await ask('helper', { input })).status;
    const wide = '€'.repeat(Math.floor(most / 3));
    expect(await statusOf('a'.repeat(most - 1))).toBe(200);
    expect(await statusOf('a'.repeat(most))).toBe(200);
    expect(await statusOf(wide)).toBe(200);
    const kept = runner.specs.length;
    expect(await statusOf('a'.repeat(most + 1))).toBe(422);
    expect(await ask('helper', { input: `${wide}€` })).toMatchObject({
      status: 422,
      body: { detail: `/input must be at most ${most} bytes` },
    });
    expect(runner.specs).toHaveLength(kept);
    const { inputSchema, facts } = table.get('helper')!;
    for (const schema of [inputSchema, facts.toolInput])
      expect(schema).toHaveProperty('properties.input.maxLength', most);
  });

  it('may be without images, and then takes the body of a text', async () => {
    verifies('http.body.limit-agents', 'agent.option.images');
    const { ask, table } = await openHelper(['Never.'], { images: false, maxInputBytes: 7 });
    expect(table.get('helper')?.maxBodyBytes).toBe(1_048_576 + 7);
    expect(table.get('helper')?.inputSchema).not.toHaveProperty('properties.images');
    const images = [{ media_type: 'image/png', data: png }];
    expect(await ask('helper', { input: 'Hi.', images })).toMatchObject({ status: 422 });
  });

  it('says the type of an image in a few words', async () => {
    const { ask } = await openHelper(['Yes.']);
    const statusOf = async (length: number): Promise<number> =>
      (await ask('helper', { input: 'Hi.', images: [{ media_type: 'x'.repeat(length), data: png }] })).status;
    expect([await statusOf(255), await statusOf(256)]).toEqual([200, 422]);
  });

  it('is one member where it is called as a tool', async () => {
    verifies('agent.tool.input');
    const models = scriptedModel([
      { calls: [{ name: 'inner', arguments: { input: 'Go.', session_id: 's' } }] },
      'Refused.',
    ]);
    const desk = await openDesk([agent('outer', { tools: ['inner'] }), agent('inner')], models);
    await desk.run('outer', 'Hi.');
    const [tool] = models.requests[0]?.tools ?? [];
    expect(tool?.inputSchema).toMatchObject({ required: ['input'], additionalProperties: false });
    expect(tool?.inputSchema).toHaveProperty('properties', {
      input: expect.objectContaining({ type: 'string' }) as unknown,
    });
    expect(resultsOf(models.requests[1]!)).toEqual([
      'tool inner failed with 422: /session_id is not taken inside a run',
    ]);
  });

  it('may have pictures, which stand before the text', async () => {
    verifies('image.input.sniffed');
    const { ask, models } = await openHelper(['A cat.']);
    // Its name is wrong; its bytes tell.
    const images = [{ media_type: 'image/jpeg', data: png }];
    expect((await ask('helper', { input: 'What is it?', images })).status).toBe(200);
    expect(models.requests[0]?.messages).toEqual([
      {
        role: 'user',
        parts: [
          { type: 'image', mediaType: 'image/png', data: png },
          { type: 'text', text: 'What is it?' },
        ],
      },
    ]);
  });

  it.each([
    ['a URL', [{ url: 'https://example.org/cat.png' }], '/images/0'],
    ['no base64', [{ media_type: 'image/png', data: 'no/base64!' }], '/images/0/data must be base64'],
    [
      'no picture',
      [{ media_type: 'image/png', data: 'aGVsbG8gd29ybGQhISEh' }],
      'must be a PNG, JPEG, GIF or WebP',
    ],
  ])('takes no picture that is %s', async (_, images, detail) => {
    verifies('image.input.inline', 'aside.images.no-urls', 'image.input.sniffed');
    const { ask } = await openHelper(['Never.']);
    const response = await ask('helper', { input: 'Hi.', images });
    expect(response).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining(detail) as unknown },
    });
  });

  it.each([
    [16, 200],
    [17, 422],
  ])('with %s pictures is %s', async (count, status) => {
    verifies('image.input.count');
    const { ask } = await openHelper(['Many.']);
    const images = Array(count).fill({ media_type: 'image/png', data: png });
    expect((await ask('helper', { input: 'Hi.', images })).status).toBe(status);
  });

  it.each([
    ['one of 5 MB', [5 * 1_048_576], 200],
    ['one of more than 5 MB', [5 * 1_048_576 + 1], 422],
    ['20 MB together', Array(4).fill(5 * 1_048_576), 200],
    [
      'a byte more than 20 MB together',
      [...(Array(3).fill(5 * 1_048_576) as number[]), 5 * 1_048_576 - 32, 33],
      422,
    ],
  ])('with %s is answered as its size allows', async (_, sizes: readonly number[], status) => {
    verifies('image.input.size');
    const { ask } = await openHelper(['Large.']);
    const images = sizes.map((size) => ({ media_type: 'image/png', data: pngOf(size) }));
    expect((await ask('helper', { input: 'Hi.', images })).status).toBe(status);
  });

  it('tells its text as it comes when it is streamed, and its answer is the same', async () => {
    verifies('agent.sse.deltas');
    const { run, told, table } = await openHelper(['Hello.', 'Hello.']);
    expect((await run('helper', { input: 'Hi.', stream: true })).output).toBe('Hello.');
    expect(told).toEqual([{ event: 'delta', data: { run_id: 'run1', agent: 'helper', text: 'Hello.' } }]);
    await run('helper', { input: 'Hi.' });
    expect(told).toHaveLength(1);
    expect(table.get('helper')?.progress).toBe(true);
  });
});

describe('a session', () => {
  it('remembers what was said, until it is reset', async () => {
    const { run, models } = await openHelper(['I am well.', 'You asked how I am.', 'Who are you?']);
    const first = await run('helper', { input: 'How are you?', session_id: 's' });
    expect(first.session_id).toBe('s');
    await run('helper', { input: 'What did I ask?', session_id: 's' });
    await run('helper', { input: 'Hello?', session_id: 's', reset: true });
    const texts = models.requests.map(({ messages }) =>
      messages.map(({ parts: [part] }) => (part?.type === 'text' ? part.text : '')),
    );
    expect(texts).toEqual([['How are you?'], ['How are you?', 'I am well.', 'What did I ask?'], ['Hello?']]);
  });

  it('keeps calls with their results', async () => {
    const { run, models } = await openHelper([{ calls: [{ name: 'look' }] }, 'Found.', 'Yes.']);
    await run('helper', { input: 'Look.', session_id: 's' });
    await run('helper', { input: 'Sure?', session_id: 's' });
    const kinds = models.requests[2]?.messages.map(({ parts }) => parts.map(({ type }) => type).join());
    expect(kinds).toEqual(['text', 'tool_call', 'tool_result', 'text', 'text']);
  });

  it('drops a call that was never made', async () => {
    const cut = said('I will', 'max_tokens', ['look']);
    const { run, models } = await openHelper([cut, 'Sorry.']);
    await run('helper', { input: 'Look.', session_id: 's' });
    await run('helper', { input: 'And?', session_id: 's' });
    const kinds = models.requests[1]?.messages.map(({ parts }) => parts.map(({ type }) => type).join());
    expect(kinds).toEqual(['text', 'text', 'text']);
  });

  it('belongs to one agent and one root principal, whatever is in their names', async () => {
    verifies('session.key');
    const { run, runner } = await openHelper(['1', '2', '3', '4']);
    const as = (rootId: string) => ({ principal: { ...ann, id: rootId, rootId } });
    await run('helper', { input: 'a', session_id: 'c' }, as('a:b'));
    await run('helper', { input: 'a', session_id: 'b:c' }, as('a'));
    await run('helper', { input: 'a', session_id: 'c' }, as('a%3Ab'));
    await run('helper', { input: 'a', session_id: 'c' }, as('b'));
    const keys = runner.specs.map(({ session }) => session?.key);
    expect(keys).toEqual(['helper:a%3Ab:c', 'helper:a:b%3Ac', 'helper:a%253Ab:c', 'helper:b:c']);
  });

  it('is refused to an anonymous caller', async () => {
    verifies('aside.anonymous.no-sessions');
    const { ask } = await openHelper(['Never.']);
    const response = await ask('helper', { input: 'Hi.', session_id: 's' }, { principal: anonymous });
    expect(response.status).toBe(401);
  });
});

describe('a run that is asked for later', () => {
  it('is read where it was started, by whoever may start it', async () => {
    const { ask, table, told } = await openHelper([]);
    const name = 'get_agents_helper_runs_by_run_id';
    expect(table.get(name)).toMatchObject({ tool: false, scopes: ['read', 'write'], progress: true });
    const response = await ask(name, { run_id: 'r7' });
    expect(response).toMatchObject({ status: 404, body: { detail: 'helper has no run r7' } });
    expect(told).toEqual([]);
  });

  it.each([
    [{ 'last-event-id': '12' }, 12],
    [{ 'last-event-id': 'r7/12' }, 12],
    [{ 'last-event-id': 'r8/12' }, 3],
    [{ 'last-event-id': '12/end' }, 3],
    [{ 'last-event-id': 'x' }, 3],
  ])('tells with %o what happened after %s', async (headers, after) => {
    const { answer, seen, asked } = await following({ accept: 'text/event-stream', ...headers }, [
      { event: 'step', data: 1 },
      { event: 'result', data: 1 },
    ]);
    expect(answer).toBe('read');
    expect(seen).toEqual([{ event: 'step', data: 1 }]);
    expect(asked).toEqual([['r7', 'helper', after]]);
  });

  const begun = { event: 'run', data: { run_id: 'r7' } };
  const ended = { event: 'result', data: 1, id: 'r7/4/end' };

  it('gives the answer of a run that has ended an id of its own, once it was read', async () => {
    const { answer, seen } = await following({ accept: 'text/event-stream' }, [begun, ended]);
    expect(answer).toBe('read');
    expect(seen).toEqual([begun, { event: 'result', data: null, id: 'r7/4/end' }]);
  });

  it('has nothing for whoever was told the end', async () => {
    const headers = { accept: 'text/event-stream', 'last-event-id': 'r7/4/end' };
    const { answer, seen, asked } = await following(headers, [begun, ended]);
    expect([answer, seen]).toEqual([undefined, []]);
    expect(asked).toEqual([['r7', 'helper', 4]]);
  });

  it.each(['step', 'waiting', 'delta'])(
    'tells whoever was told the end what came behind it, when the run went on: %s',
    async (event) => {
      const headers = { accept: 'text/event-stream', 'last-event-id': 'r7/3/end' };
      const told = [begun, { event, data: 1 }, { event: 'step', data: 2 }];
      const { answer, seen } = await following(headers, [...told, ended]);
      expect(answer).toBe('read');
      expect(seen).toEqual([...told, { event: 'result', data: null, id: 'r7/4/end' }]);
    },
  );

  /** Follows a run of which these events are told. */
  async function following(headers: object, events: readonly object[]) {
    const { told, table } = await openHelper([]);
    const route = table.get('get_agents_helper_runs_by_run_id')!;
    const seen: unknown[] = [];
    const asked: unknown[] = [];
    const context = {
      input: { run_id: 'r7', last_seq: 3 },
      request: { headers },
      observe: (event: unknown) => seen.push(event),
      room: () => undefined,
      readRun: async () => 'read',
      async *followRun(...given: readonly unknown[]) {
        asked.push(given);
        yield* events;
      },
    };
    const answer = await route.engine.answer?.(context as never);
    expect(told).toEqual([]);
    return { answer, seen, asked };
  }
});

const head = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1');
const png = head.toString('base64');

function pngOf(bytes: number): string {
  return Buffer.concat([head, Buffer.alloc(Math.max(0, bytes - head.length))]).toString('base64');
}
