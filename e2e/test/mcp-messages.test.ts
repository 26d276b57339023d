import { verifies } from '@waymark/contract/testing';
import type { RunningApplication } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixture } from '../conformance/fixture.ts';
import { error, legacy, legacyRevisions, post, postModern } from './mcp/messages.ts';

let server: RunningApplication;

beforeAll(async () => {
  server = await createFixture().listen();
});
afterAll(() => server.close());

const under = (revision: string) => [['mcp-protocol-version', revision] as const];
const call = (text: unknown, id: unknown = 1) =>
  legacy('tools/call', { name: 'echo', arguments: { text } }, id);

describe('the id of a request', () => {
  it.each([0, 1, -1, 2 ** 53 - 1, '', '0', 'a', 'ü\u{1f600}', 'x'.repeat(128), '__proto__'])(
    'comes back as it went: %j',
    async (id) => {
      verifies('mcp.request-object');
      expect(await post(server, legacy('ping', undefined, id))).toMatchObject({ status: 200, json: { id } });
      expect((await post(server, legacy('no/such', undefined, id))).json).toMatchObject({
        id,
        ...error(-32601),
      });
    },
  );

  it.each([null, true, 1.5, 1e300, {}, [], [1], 'x'.repeat(129)])('is refused: %j', async (id) => {
    const answer = await post(server, legacy('ping', undefined, id));
    expect([answer.status, answer.json]).toMatchObject([400, { id: null, ...error(-32600) }]);
  });

  it('is refused beyond the whole numbers that are exact', async () => {
    const answer = await post(server, '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}');
    expect([answer.status, answer.json]).toMatchObject([400, error(-32600)]);
  });
});

describe('a message', () => {
  it.each([
    ['no version', { id: 1, method: 'ping' }],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['a version that is a number', { jsonrpc: 2, id: 1, method: 'ping' }],
    ['no method', { jsonrpc: '2.0', id: 1 }],
    ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 1 }],
    ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
    ['params that are null', { jsonrpc: '2.0', id: 1, method: 'ping', params: null }],
  ])('with %s is refused', async (_what, message) => {
    const answer = await post(server, message);
    expect([answer.status, answer.json]).toMatchObject([400, { id: 1, ...error(-32600) }]);
  });

  it.each([null, true, 1, 'ping'])('that is %j is refused', async (message) => {
    const answer = await post(server, JSON.stringify(message));
    expect([answer.status, answer.json]).toMatchObject([400, { id: null, ...error(-32600) }]);
  });

  it.each(legacyRevisions)('with an unknown method is an error with status 200 on %s', async (revision) => {
    for (const method of ['no/such', 'server/discover', 'resources/list', 'toString', '__proto__']) {
      const answer = await post(server, legacy(method), under(revision));
      expect([method, answer.status, answer.json]).toMatchObject([method, 200, { id: 1, ...error(-32601) }]);
    }
  });

  it.each([
    ['an unknown tool', { name: 'no_such_tool' }],
    ['no name', {}],
    ['a name that is no text', { name: 1 }],
    ['arguments that are a list', { name: 'echo', arguments: [] }],
    ['arguments that are null', { name: 'echo', arguments: null }],
  ])('that calls with %s is an error of its params', async (_what, params) => {
    verifies('mcp.unknown-tool');
    expect((await post(server, legacy('tools/call', params))).json).toMatchObject({
      id: 1,
      ...error(-32602),
    });
    const answer = await postModern(server, 'tools/call', params, [
      ['mcp-name', 'name' in params ? String(params.name) : ''],
    ]);
    expect(answer.json).toMatchObject({ error: { code: expect.any(Number) } });
    expect(answer.json).not.toHaveProperty('result');
  });

  it('that calls a tool with wrong arguments is answered with a result that a model can act on', async () => {
    const answer = await post(server, call(7));
    expect(answer.json).toMatchObject({
      result: {
        isError: true,
        content: [{ type: 'text', text: expect.stringMatching(/^tool echo failed with 422: .*text/) }],
      },
    });
  });

  it('may leave out the arguments of a tool that needs none', async () => {
    expect((await post(server, legacy('tools/call', { name: 'test_simple_text' }))).json).toMatchObject({
      result: { content: [{ type: 'text', text: 'This is a simple text response for testing.' }] },
    });
  });
});

describe('a batch', () => {
  it.each(['', ...legacyRevisions])('is answered in order, with header %j', async (revision) => {
    verifies('mcp.batch', 'mcp.arrays');
    const answer = await post(
      server,
      [call('a', 'first'), legacy('ping', undefined, 2), call('b', 3)],
      revision === '' ? [] : under(revision),
    );
    expect([answer.status, answer.json]).toMatchObject([
      200,
      [
        { id: 'first', result: { content: [{ text: '{"text":"a"}' }] } },
        { id: 2, result: {} },
        { id: 3, result: { content: [{ text: '{"text":"b"}' }] } },
      ],
    ]);
  });

  it('of one is answered with a list of one', async () => {
    expect((await post(server, [legacy('ping')])).json).toMatchObject([{ id: 1, result: {} }]);
  });

  it('leaves out what needs no answer, and is 202 without anything to answer', async () => {
    const silent = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const response = { jsonrpc: '2.0', id: 9, result: {} };
    expect((await post(server, [silent, legacy('ping'), response])).json).toMatchObject([{ id: 1 }]);
    expect(await post(server, [silent, response])).toMatchObject({ status: 202, body: '' });
  });

  it('is not spoilt by one bad member', async () => {
    const members = [
      legacy('ping'),
      null,
      [],
      7,
      { id: 'x' },
      legacy('ping', undefined, null),
      call('last', 2),
    ];
    const { status, json } = await post(server, members);
    expect([status, json]).toMatchObject([
      200,
      [
        { id: 1, result: {} },
        ...[null, null, null, 'x', null].map((id) => ({ id, ...error(-32600) })),
        { id: 2, result: { structuredContent: { text: 'last' } } },
      ],
    ]);
  });

  it('may hold two requests with the same id', async () => {
    const { json } = await post(server, [call('a'), call('b')]);
    expect(json).toMatchObject([
      { id: 1, result: { structuredContent: { text: 'a' } } },
      { id: 1, result: { structuredContent: { text: 'b' } } },
    ]);
  });

  it('holds no initialize', async () => {
    const { json } = await post(server, [legacy('initialize', {}, 'i'), legacy('ping')]);
    expect(json).toMatchObject([
      { id: 'i', ...error(-32600) },
      { id: 1, result: {} },
    ]);
  });

  it('holds 1 to 50 messages', async () => {
    verifies('aside.mcp.batch-cap');
    for (const [size, status] of [
      [0, 400],
      [1, 200],
      [50, 200],
      [51, 400],
    ] as const) {
      const answer = await post(
        server,
        Array.from({ length: size }, (_, id) => legacy('ping', undefined, id)),
      );
      expect([size, answer.status]).toEqual([size, status]);
      if (status === 400) expect(answer.json).toMatchObject({ id: null, ...error(-32600) });
    }
  });

  it('is refused on 2026-07-28', async () => {
    verifies('aside.mcp.batch-refused');
    const answer = await post(server, [legacy('ping')], under('2026-07-28'));
    expect([answer.status, answer.json]).toMatchObject([400, error(-32600)]);
  });
});
