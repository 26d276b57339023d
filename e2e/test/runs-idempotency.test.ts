import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type Caller, type Envelope, thinking } from './agents-application.ts';

it('an idempotency key stands for one run and for what it was started with', async () => {
  verifies('run.idempotency');
  const desk = await thinking((app) =>
    app.agent('desk', { scopes: ['read'], description: 'Answers.' }).agent('other', {
      ...{ scopes: ['read'], description: 'Answers, too.' },
    }),
  );
  const ask = (input: object, { agent = 'desk', caller }: { agent?: string; caller?: Caller } = {}) =>
    desk.send(`/agents/${agent}`, input, caller, { 'idempotency-key': 'k' });

  const first = await ask({ input: '[[say Yes.]]' });
  expect(first.value).toMatchObject({ status: 'completed', output: 'Yes.' });
  expect((await ask({ input: '[[say Yes.]]' })).value.run_id).toBe(first.value.run_id);
  const changed = await ask({ input: '[[say No.]]' });
  expect([changed.status, changed.value.detail]).toEqual([
    422,
    'this idempotency-key was used before, with another input',
  ]);
  for (const elsewhere of [{ agent: 'other' }, { caller: 'BEN_KEY' }] as const)
    expect((await ask({ input: '[[say No.]]' }, elsewhere)).value.output).toBe('No.');
  expect(desk.simulator.requests).toHaveLength(3);
});

describe('a call over MCP', () => {
  it('is named in its params, and by no header', async () => {
    verifies('mcp.idempotency', 'run.idempotency');
    const { desk, call } = await served();
    const first = runOf(await call('k'));
    expect(first.output).toBe('Yes.');
    expect(runOf(await call('k'))).toEqual(first);
    const { value } = await desk.send('/agents/desk', yes, undefined, { 'idempotency-key': 'k' });
    expect(value.run_id).toBe(first.run_id);
    expect((await call('k', { values: { input: '[[say No.]]' } })).result).toMatchObject({
      content: [
        { text: 'tool desk failed with 422: this idempotency-key was used before, with another input' },
      ],
      isError: true,
    });
    expect(runOf(await call('k', { caller: 'BEN_KEY' })).run_id).not.toBe(first.run_id);
    for (const name of ['work', 'chain']) {
      const [one, again, other] = [
        await call('k', { name, values: {} }),
        await call('k', { name, values: {} }),
        await call('other', { name, values: {} }),
      ];
      expect(one.result?.isError).toBe(false);
      expect(again).toEqual(one);
      expect(other).not.toEqual(one);
    }
    expect(runOf(await call(undefined)).run_id).not.toBe(runOf(await call(undefined)).run_id);
    // Where no run is started nothing is named.
    const hours = [
      await call('k', { name: 'hour', values: {} }),
      await call('k', { name: 'hour', values: {} }),
    ];
    expect(hours.map(({ result }) => result?.content[0]?.text)).toEqual(['5', '6']);
  });

  it.each([
    ['', false],
    ['k', true],
    ['k'.repeat(255), true],
    ['k'.repeat(256), false],
    [7, false],
    [null, false],
  ])('with the key %j', async (key, fits) => {
    verifies('mcp.idempotency');
    const { call } = await served();
    const { result, error } = await call(key);
    if (fits) expect(result?.isError).toBe(false);
    else
      expect(error).toEqual({
        code: -32602,
        message: '_meta["waymark/idempotency-key"] must be a string of 1 to 255 characters',
      });
  });
});

const yes = { input: '[[say Yes.]]' };

interface McpAnswer {
  readonly result?: { readonly isError: boolean; readonly content: readonly { readonly text: string }[] };
  readonly error?: object;
}

async function served() {
  let hours = 0;
  const desk = await thinking((app) => {
    app.get(
      '/hour',
      { tool: true, toolName: 'hour', scopes: ['read'], summary: 'Tells the hour.' },
      () => ++hours,
    );
    app.behaviour('work', { tools: ['hour'], scopes: ['read'], description: 'Works.' }, (ctx) =>
      ctx.call('hour'),
    );
    app.flow('chain', { pipeline: [{ tool: 'hour', input: {} }], scopes: ['read'], description: 'Chains.' });
    app.agent('desk', { scopes: ['read'], description: 'Answers.' });
  });
  const call = async (
    key: unknown,
    { name = 'desk', values = yes, caller }: { name?: string; values?: object; caller?: Caller } = {},
  ) => {
    const meta = key === undefined ? {} : { _meta: { 'waymark/idempotency-key': key } };
    const params = { name, arguments: values, ...meta };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const { text } = await desk.send('/_svc/mcp', message, caller, {
      ...{ accept: 'application/json, text/event-stream', 'idempotency-key': 'of-the-connection' },
    });
    return JSON.parse(text) as McpAnswer;
  };
  return { desk, call };
}

function runOf({ result }: McpAnswer) {
  return JSON.parse(result?.content[0]?.text ?? '') as Envelope;
}

it.each([
  ['is empty', '', 422],
  ['has one character', 'k', 200],
  ['has 255 characters', 'k'.repeat(255), 200],
  ['has 256 characters', 'k'.repeat(256), 422],
])('an idempotency key that %s', async (_, key, status) => {
  const desk = await thinking((app) => app.agent('desk', { scopes: ['read'], description: 'Answers.' }));
  const answer = await desk.send('/agents/desk', { input: '[[say Yes.]]' }, undefined, {
    'idempotency-key': key,
  });
  expect(answer.status).toBe(status);
  if (status === 422) expect(answer.value.detail).toBe('an idempotency key must have 1 to 255 characters');
});
