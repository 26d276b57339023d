import { createRouteTable, HTTPError, type Route, type RouteTable } from '@waymark/contract';
import {
  type BodySource,
  type Call,
  type Dispatcher,
  type EngineContext,
  jsonResponse,
  type RouteResponse,
} from '@waymark/contract/engine';
import { toEnd, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { mcpRoute } from '../src/index.ts';
import { answering, principal, readEvents, standingAlone, tool, valuesOf } from './support.ts';

const info = { name: 'desk', version: '1.2.3' };
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const json = { 'content-type': 'application/json' };

/** What a dispatcher would hand to the engine of the route. */
async function post(
  route: Route,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = json,
  more: Partial<EngineContext> = {},
): Promise<RouteResponse> {
  const table = createRouteTable([tool('ring', { scopes: ['bell:ring'] }), route]);
  const context = {
    table,
    route,
    inTurns: async (pieces: Iterator<void, unknown>) => toEnd(pieces),
    dispatcher: answering((call) => jsonResponse(valuesOf(call))),
    principal: principal('bell:ring'),
    requestId: 'r-1',
    signal: new AbortController().signal,
    charge: () => {},
    input: {},
    body: {},
    request: { headers, body: typeof body === 'string' ? new TextEncoder().encode(body) : body },
    ...more,
    // The engine reads these members and no others.
  } as unknown as EngineContext;
  return (await route.engine.answer?.(context)) as RouteResponse;
}

const textOf = ({ body }: RouteResponse): unknown =>
  body.kind === 'json' ? JSON.parse(body.text) : body.kind;

describe('mcpRoute', () => {
  const route = mcpRoute({ info });

  it('is POST /mcp of the control plane, reads its body as bytes and has no deadline of its own', () => {
    verifies('control.mcp', 'http.timeout.mcp');
    expect(route).toMatchObject({
      method: 'POST',
      path: '/mcp',
      plane: 'control',
      body: 'bytes',
      timeoutMs: Number.POSITIVE_INFINITY,
      tool: false,
      scopes: [],
      engine: { kind: 'control' },
    });
    expect(createRouteTable([route], { controlPrefix: '/_svc' }).freeze().pathOf(route)).toBe('/_svc/mcp');
  });

  it('answers a message with the tools of the table it is mounted in, for its caller', async () => {
    verifies('mcp.transport');
    const listed = await post(route, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(listed.status).toBe(200);
    expect(textOf(listed)).toMatchObject({ id: 1, result: { tools: [{ name: 'ring' }] } });
    const called = await post(
      route,
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ring","arguments":{"n":3}}}',
    );
    expect(textOf(called)).toMatchObject({ id: 2, result: { content: [{ type: 'text', text: '{"n":3}' }] } });
  });

  it('passes on who called, from where, under which id and with which bucket', async () => {
    const dispatcher = answering(() => jsonResponse({}));
    const costs: number[] = [];
    const caller = principal();
    const batch = '[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ring"}}]';
    const more: Partial<EngineContext> = {
      dispatcher: dispatcher as unknown as Dispatcher,
      principal: caller,
      requestId: 'r-5',
      clientAddress: '10.1.1.1',
      charge: (cost) => void costs.push(cost),
    };
    await post(route, batch, json, more);
    expect(dispatcher.calls[0]).toMatchObject({ via: 'mcp', requestId: 'r-5', clientAddress: '10.1.1.1' });
    expect(dispatcher.calls[0]?.principal).toBe(caller);
    expect(costs).toEqual([1]);
  });

  it('answers a notification with 202 and nothing', async () => {
    const answer = await post(route, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect([answer.status, answer.body]).toEqual([202, { kind: 'empty' }]);
  });

  it('never hands out a session', async () => {
    verifies('mcp.stateless');
    const { headers } = await post(route, '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}');
    expect(headers).toEqual({});
  });

  it('reads the protocol version header', async () => {
    expect((await post(route, ping, { ...json, 'mcp-protocol-version': '2025-06-18' })).status).toBe(200);
    expect((await post(route, ping, { ...json, 'mcp-protocol-version': 'x' })).status).toBe(400);
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
    'takes the content type %s',
    async (contentType) => {
      expect((await post(route, ping, { 'content-type': contentType })).status).toBe(200);
    },
  );

  it.each([
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/jsonl' },
    { 'content-type': '' },
    {},
  ])('refuses %j with 415', async (headers) => {
    await expect(post(route, ping, headers as Readonly<Record<string, string>>)).rejects.toThrow(
      new HTTPError(415, 'the content type must be application/json'),
    );
  });

  it.each([
    ['nothing', ''],
    ['half a message', '{"jsonrpc":'],
    ['no JSON', 'ping'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['a __proto__ key', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[{"__proto__":1}]}}'],
    ['an escaped __proto__ key', '{"\\u005f_proto__":{}}'],
    ['a constructor with a prototype', '{"constructor":{"prototype":{}}}'],
    ['a hundred thousand levels', '['.repeat(100_000) + ']'.repeat(100_000)],
  ])('refuses %s with 400 and a parse error', async (_case, body) => {
    const answer = await post(route, body);
    expect(answer.status).toBe(400);
    expect(textOf(answer)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
  });

  it.each([
    [4_096, 0],
    [4_097, 1],
  ])('parses a message of %i bytes in %i turns with others', async (bytes, turns) => {
    verifies('http.body.turns');
    let taken = 0;
    const inTurns = async <T>(pieces: Iterator<void, T>): Promise<T> => {
      taken++;
      return toEnd(pieces);
    };
    const answer = await post(route, ping.padEnd(bytes), json, { inTurns });
    expect([answer.status, taken]).toEqual([200, turns]);
  });

  it.each([
    [63, 200],
    [64, 200],
    [65, 400],
  ])('takes arguments of %i levels with %i, as a body would be', async (levels, status) => {
    const values = `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ring","arguments":${values}}}`;
    expect((await post(route, message)).status).toBe(status);
    expect((await post(route, `[${message}]`)).status).toBe(status);
  });

  it.each([
    [70_000, true, 200],
    [70_000, false, 200],
    [60_000, true, 200],
    [70_000, true, 400],
  ])(
    'gives back a body of %i bytes once it is text, where it has it alone (%s): %i',
    async (size, exclusive, status) => {
      const head = status === 200 ? '{"jsonrpc":"2.0","id":1,"method":"ping"' : '{"jsonrpc"';
      const body = new Uint8Array(size).fill(0x20);
      body.set(new TextEncoder().encode(`${head}}`));
      const answer = await post(route, body, json, { body: { exclusive } as BodySource });
      expect(answer.status).toBe(status);
      // Node 20 has no way to give something back.
      const isGiven = exclusive && size >= 65_536 && 'transfer' in ArrayBuffer.prototype;
      expect(body.length).toBe(isGiven ? 0 : size);
    },
  );

  it('lets an argument be called constructor', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"constructor":"Brunel"}}';
    expect((await post(route, body)).status).toBe(200);
  });

  it('serves two tables apart, though it is one route', async () => {
    const tables = ['knock', 'ring'].map((name) => createRouteTable([tool(name)]));
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const namesOf = async (table: RouteTable) => textOf(await post(route, list, json, { table }));
    for (const _round of [1, 2]) {
      expect(await Promise.all(tables.map(namesOf))).toMatchObject([
        { result: { tools: [{ name: 'knock' }] } },
        { result: { tools: [{ name: 'ring' }] } },
      ]);
    }
  });

  it('serves only the tools that its query names', async () => {
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const shown = async (tools?: string) =>
      textOf(await post(route, list, json, { input: tools === undefined ? {} : { tools } }));
    expect(await shown('knock, ring')).toMatchObject({ result: { tools: [{ name: 'ring' }] } });
    expect(await shown('knock')).toMatchObject({ result: { tools: [] } });
    expect(await shown('')).toMatchObject({ result: { tools: [] } });
    expect(await shown()).toMatchObject({ result: { tools: [{ name: 'ring' }] } });
    expect(route.parameters).toMatchObject([{ name: 'tools', place: 'query', required: false }]);
  });

  it.each([
    undefined,
    '*/*',
    'application/json',
    'application/json, text/event-stream',
    'text/event-stream, */*',
  ])('answers JSON where it may: Accept %s', async (accept) => {
    const headers = { ...json, ...(accept !== undefined && { accept }) };
    expect((await post(route, ping, headers)).body.kind).toBe('json');
  });

  it.each(['text/html', 'application/json;q=0'])('refuses Accept %s with 406', async (accept) => {
    await expect(post(route, ping, { ...json, accept })).rejects.toThrow(
      new HTTPError(406, 'the answer is application/json or text/event-stream'),
    );
  });

  it('answers as events where nothing else is taken, which nobody on the way may keep or hold back', async () => {
    const { status, headers, body } = await post(route, ping, { ...json, accept: 'text/event-stream' });
    expect([status, headers]).toEqual([200, { 'cache-control': 'no-store', 'x-accel-buffering': 'no' }]);
    if (body.kind !== 'stream') throw new Error('not a stream');
    expect(body.mediaType).toBe('text/event-stream');
    expect((await readEvents(body.stream)).messages).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it('reports progress to a client that takes events', async () => {
    const dispatcher = answering((call) => {
      call.observe?.({ event: 'progress', data: { done: 1, total: 2 } });
      return jsonResponse('done');
    }) as unknown as Dispatcher;
    const call =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ring","_meta":{"progressToken":"t"}}}';
    const accept = 'application/json, text/event-stream';
    const { body } = await post(route, call, { ...json, accept }, { dispatcher });
    if (body.kind !== 'stream') throw new Error('not a stream');
    expect((await readEvents(body.stream)).messages).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 't', progress: 1, total: 2 } },
      { id: 1, result: { isError: false } },
    ]);
  });

  it('looks at its signal only for a tool that does', async () => {
    let looked = 0;
    const request = standingAlone('tools/call', { name: 'ring' });
    const engine = (dispatcher: Dispatcher): Partial<EngineContext> => ({
      dispatcher,
      get signal() {
        looked++;
        return new AbortController().signal;
      },
    });
    const send = (answer: (call: Call) => unknown) => {
      const dispatcher = answering(answer) as unknown as Dispatcher;
      // Copied by the helper, the getter would be read there.
      const table = createRouteTable([tool('ring'), route]);
      const body = new TextEncoder().encode(JSON.stringify(request.message));
      const more = {
        table,
        route,
        principal: principal(),
        requestId: 'r',
        input: {},
        charge: () => {},
        log: () => {},
      };
      const context = Object.assign(engine(dispatcher), more, {
        request: { headers: { ...json, ...request.headers }, body },
      });
      return route.engine.answer?.(context as unknown as EngineContext);
    };
    await send(() => jsonResponse({}));
    expect(looked).toBe(0);
    await send(({ signal }) => jsonResponse({ aborted: signal?.aborted }));
    expect(looked).toBe(1);
  });
});
