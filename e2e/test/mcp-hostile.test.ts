import { createApplication, type RunningApplication, Type } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { error, legacy, type McpAnswer, modern, modernHeaders, post, postModern } from './mcp/messages.ts';
import type { Header } from './wire/connection.ts';

const secret = 'hunter2-of-the-database';
let server: RunningApplication;

beforeAll(async () => {
  const app = createApplication('hostile', { port: 0, env: { LOG_LEVEL: 'silent' } });
  app.get('/files/{name}', { tool: true, toolName: 'read_file' }, ({ name }, request) => ({
    name,
    path: request.path,
    params: { ...request.params },
  }));
  app.get('/private/{id}', { scopes: ['private'], tool: true, toolName: 'private' }, () => secret);
  app.post('/echo', { tool: true, toolName: 'echo', input: { text: Type.String() } }, ({ text }) => text);
  app.post('/open', { tool: true, toolName: 'open', input: { type: 'object' } }, (input) =>
    Object.keys(input),
  );
  app.post('/crash', { tool: true, toolName: 'crash' }, () => {
    throw new Error(`no connection to postgres://root:${secret}@db`);
  });
  server = await app.listen();
});
afterAll(() => server.close());

const echo = (text: string) => legacy('tools/call', { name: 'echo', arguments: { text } });
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const withArguments = (json: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open","arguments":${json}}}`;
const under = (revision: string): readonly Header[] => [['mcp-protocol-version', revision]];

interface Attack {
  readonly what: string;
  readonly message: unknown;
  readonly headers?: readonly Header[];
  readonly status: number;
  /** Of the JSON-RPC error; none where the answer is no JSON-RPC. */
  readonly code?: number;
}

const attacks: readonly Attack[] = [
  { what: 'null', message: 'null', status: 400, code: -32600 },
  { what: 'a list of nulls', message: [null, null], status: 200 },
  { what: 'an empty list', message: [], status: 400, code: -32600 },
  { what: 'a list in a list', message: [[legacy('ping')]], status: 200 },
  { what: 'lists nested 100,000 deep', message: nested(100_000), status: 400 },
  { what: 'arguments nested too deep', message: withArguments(`{"a":${nested(80)}}`), status: 400 },
  {
    what: '100,001 values',
    message: withArguments(`{"a":[${Array(100_001).fill('0').join(',')}]}`),
    status: 413,
    code: -32700,
  },
  {
    what: 'a batch of 1,000',
    message: Array.from({ length: 1000 }, () => legacy('ping')),
    status: 400,
    code: -32600,
  },
  {
    what: 'an id of a megabyte',
    message: legacy('ping', undefined, 'x'.repeat(1_000_000)),
    status: 400,
    code: -32600,
  },
  {
    what: 'an id of a thousand digits',
    message: `{"jsonrpc":"2.0","id":${'9'.repeat(1000)},"method":"ping"}`,
    status: 400,
    code: -32600,
  },
  {
    what: 'an id that is an object',
    message: legacy('ping', undefined, { toString: 'x' }),
    status: 400,
    code: -32600,
  },
  { what: 'a key __proto__', message: withArguments('{"__proto__":{"admin":true}}'), status: 400 },
  {
    what: 'a key __proto__ in the message',
    message: '{"__proto__":{"jsonrpc":"2.0","method":"ping"},"id":1}',
    status: 400,
  },
  {
    what: 'a constructor with a prototype',
    message: withArguments('{"constructor":{"prototype":{}}}'),
    status: 400,
  },
  {
    what: 'bytes that are no UTF-8',
    message: '{"jsonrpc":"2.0","id":1,"method":"\\ud800',
    status: 400,
    code: -32700,
  },
  { what: 'the method __proto__', message: legacy('__proto__'), status: 200, code: -32601 },
  { what: 'the method constructor', message: legacy('constructor'), status: 200, code: -32601 },
  {
    what: 'the tool __proto__',
    message: legacy('tools/call', { name: '__proto__' }),
    status: 200,
    code: -32602,
  },
  {
    what: 'the tool toString',
    message: legacy('tools/call', { name: 'toString' }),
    status: 200,
    code: -32602,
  },
  {
    what: 'a tool name of a megabyte',
    message: legacy('tools/call', { name: 'x'.repeat(1_000_000) }),
    status: 200,
    code: -32602,
  },
  {
    what: 'a cursor of a megabyte',
    message: legacy('tools/list', { cursor: 'x'.repeat(1_000_000) }),
    status: 200,
    code: -32602,
  },
  {
    what: 'a version of a thousand letters',
    message: legacy('ping'),
    headers: under('2026-07-28'.repeat(100)),
    status: 400,
  },
  {
    what: 'a _meta that is a list',
    message: modern('tools/list', { _meta: [] }),
    headers: modernHeaders('tools/list'),
    status: 400,
  },
  {
    what: 'a _meta that is null',
    message: modern('tools/list', { _meta: null }),
    headers: modernHeaders('tools/list'),
    status: 400,
  },
  {
    what: 'capabilities that are text',
    message: modern('tools/list', {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': 'all',
      },
    }),
    headers: modernHeaders('tools/list'),
    status: 400,
    code: -32602,
  },
  {
    what: 'a sentinel that never ends',
    message: modern('tools/call', { name: 'echo', arguments: { text: 'x' } }),
    headers: [...modernHeaders('tools/call'), ['mcp-name', `=?base64?${'QUFB'.repeat(1000)}`]],
    status: 400,
    code: -32020,
  },
];

/** What a message that is refused may say: a code of JSON-RPC or of MCP, and nothing of ours. */
function expectRefused({ body, json }: McpAnswer): void {
  expect(body.length).toBeLessThan(2_000_000);
  expect(body).not.toContain(secret);
  expect(body).not.toMatch(/\bat .+:\d+:\d+|node_modules|\/packages\//);
  expect(json).toBeDefined();
}

describe('hostile input', () => {
  it.each(attacks)(
    '$what is refused, and disturbs nobody',
    async ({ message, headers = [], status, code }) => {
      const [attack, ...others] = await Promise.all([
        post(server, message, headers),
        ...Array.from({ length: 5 }, (_, n) => post(server, echo(`undisturbed ${n}`))),
      ]);
      expect(attack?.status).toBe(status);
      if (attack) expectRefused(attack);
      if (code !== undefined) expect(attack?.json).toMatchObject(error(code));
      expect(others.map(({ json }) => json)).toMatchObject(
        others.map((_, n) => ({ id: 1, result: { content: [{ text: `undisturbed ${n}` }] } })),
      );
    },
  );

  it('answers each member of a list of rubbish on its own', async () => {
    const rubbish = [
      null,
      [],
      [[]],
      'ping',
      1,
      true,
      {},
      { jsonrpc: '2.0' },
      { jsonrpc: '2.0', id: {}, method: 'ping' },
    ];
    const { status, json } = await post(server, [...rubbish, legacy('ping', undefined, 'last')]);
    expect([status, json]).toMatchObject([
      200,
      [...rubbish.map(() => ({ id: null, ...error(-32600) })), { id: 'last', result: {} }],
    ]);
  });

  it.each([
    '../private/1',
    '..%2Fprivate%2F1',
    '%2e%2e/private/1',
    '/private/1',
    'a/../../private/1',
    'x?y=1#z',
    'x\u0000y',
    'x\r\nHost: y',
  ])('never turns the argument %j into another path', async (name) => {
    const { json, body } = await post(
      server,
      legacy('tools/call', { name: 'read_file', arguments: { name } }),
    );
    expect(body).not.toContain(secret);
    const { content, isError } = (json as { result: { content: { text: string }[]; isError: boolean } })
      .result;
    // Either it is refused, or it is what it is: a name.
    if (!isError) expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({ name, params: { name } });
    else expect(content[0]?.text).toMatch(/^tool read_file failed with 4\d\d: /);
  });

  it('shows nothing of a fault of ours, over either wire', async () => {
    for (const answer of [
      await post(server, legacy('tools/call', { name: 'crash' })),
      await postModern(server, 'tools/call', { name: 'crash' }),
    ]) {
      expect(answer.body).not.toContain(secret);
      expect(answer.json).toMatchObject({
        result: { isError: true, content: [{ text: 'tool crash failed with 500: internal error' }] },
      });
    }
  });

  it('leaves no trace in what comes after it', async () => {
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
    const keys = withArguments('{"toString":1,"hasOwnProperty":2,"constructor":3}');
    const { json } = await post(server, keys);
    expect(json).toMatchObject({
      result: { content: [{ text: '["toString","hasOwnProperty","constructor"]' }] },
    });
  });
});
