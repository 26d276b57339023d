import { from, HTTPError, Type } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { Step } from '@waymark/contract/runs';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { answerOf, bytesBody, caller, detailOf, jsonBody, route, serve } from './kit.ts';

const input = {
  id: Type.Integer(),
  tag: from('query', Type.Array(Type.String(), { default: [] })),
  title: Type.String(),
};

/** Serves one route that answers with what it reads of its request. */
function reads(read: (request: EngineContext['request']) => unknown) {
  return serve([route('PUT', '/tickets/{id}', { input }, ({ request }) => read(request))]);
}

/** What `read` gives over HTTP, and what it gives for the same call by arguments. */
async function both(
  read: (request: EngineContext['request']) => unknown,
): Promise<readonly [http: unknown, tool: unknown]> {
  const { request, tool } = reads(read);
  const http = await request('PUT', '/tickets/5', {
    query: 'tag=a&tag=b&utm=c',
    headers: { 'x-trace': 't' },
    body: jsonBody({ title: 'Lamp' }),
    call: { principal: caller('read') },
  });
  const called = await tool({ id: 5, tag: ['a', 'b'], title: 'Lamp' }, { principal: caller('read') });
  return [answerOf(http), answerOf(called)];
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b;
}

describe('the request object', () => {
  it('has method, path, id and the caller, by both doors', async () => {
    verifies(
      'request.method',
      'request.path',
      'request.user',
      'request.scopes',
      'face.signature.request',
      'auth.principal',
    );
    const [http, tool] = await both(({ id, method, path, user, scopes }) => ({
      id,
      method,
      path,
      user,
      scopes,
    }));
    const expected = {
      id: 'r1',
      method: 'PUT',
      path: '/tickets/5',
      user: { id: 'ada', root_id: 'ada', authenticated: true, scopes: ['read'] },
      scopes: ['read'],
    };
    expect(http).toEqual(expected);
    expect(tool).toEqual(expected);
  });

  it('has path parameters as text, by both doors', async () => {
    verifies('request.params');
    expect(await both(({ params }) => params)).toEqual([{ id: '5' }, { id: '5' }]);
  });

  it('has the query, a repeated name as a list, by both doors', async () => {
    verifies('request.query');
    expect(await both(({ query }) => query)).toEqual([{ tag: ['a', 'b'], utm: 'c' }, { tag: ['a', 'b'] }]);
  });

  it('has parameters and a query that inherit nothing', async () => {
    verifies('http.path.null-prototype');
    const read = ({ params, query }: EngineContext['request']) => [
      'constructor' in params,
      'constructor' in query,
      '__proto__' in query,
    ];
    expect(await both(read)).toEqual([
      [false, false, false],
      [false, false, false],
    ]);
  });

  it('has the headers, and inside a run the key of the step', async () => {
    verifies('request.headers');
    expect(await both(({ headers }) => headers)).toEqual([{ 'x-trace': 't' }, {}]);
    const step = { key: 'run.1', begin: async () => {}, onDrop: () => {} } as unknown as Step;
    const answer = await reads(({ headers }) => headers).tool({ id: 5, title: 'a' }, { step });
    expect(answerOf(answer)).toEqual({ 'idempotency-key': 'run.1' });
  });

  it('has the body as bytes and parsed, as it was sent', async () => {
    verifies('request.body', 'request.json');
    const [http, tool] = await both((request) => [
      Buffer.from(request.body).toString(),
      request.json(),
      isSame(request.json(), request.json()),
    ]);
    expect(http).toEqual(['{"title":"Lamp"}', { title: 'Lamp' }, true]);
    const values = { id: 5, tag: ['a', 'b'], title: 'Lamp' };
    expect(tool).toEqual([JSON.stringify(values), values, true]);
  });

  it('parses a raw body when asked, once, and answers 400 when it is not JSON', async () => {
    verifies('request.json', 'http.status.400');
    const { request } = serve([
      route('POST', '/raw', {}, ({ request: raw }) => [raw.json(), isSame(raw.json(), raw.json())]),
    ]);
    expect(answerOf(await request('POST', '/raw', { body: bytesBody('{"a":1}', 'text/plain') }))).toEqual([
      { a: 1 },
      true,
    ]);
    for (const text of ['', '{', '{"__proto__":1}'])
      expect((await request('POST', '/raw', { body: bytesBody(text) })).status).toBe(400);
    expect(detailOf(await request('POST', '/raw', { body: bytesBody('{') }))).toBe(
      'the body is not JSON: it ends too early, at line 1, column 2',
    );
  });

  it('looks in path, then query, then body', async () => {
    verifies('request.get.order', 'face.source.get');
    const { request } = serve([
      route('POST', '/x/{a}', { strict: false }, ({ request: own }) => [
        own.get('a'),
        own.get('b'),
        own.get('c'),
      ]),
    ]);
    const content = { body: jsonBody({ a: 'body', b: 'body', c: { d: 1 } }) };
    expect(answerOf(await request('POST', '/x/path', { query: 'a=query&b=query', ...content }))).toEqual([
      'path',
      'query',
      { d: 1 },
    ]);
    const get = serve([route('GET', '/x/{a}', {}, ({ request: own }) => [own.get('a'), own.get('b')])]);
    expect(answerOf(await get.request('GET', '/x/path', { query: 'a=query&b=1&b=2' }))).toEqual([
      'path',
      ['1', '2'],
    ]);
    expect(await both((own) => [own.get('id'), own.get('tag'), own.get('title')])).toEqual([
      ['5', ['a', 'b'], 'Lamp'],
      ['5', ['a', 'b'], 'Lamp'],
    ]);
  });

  it('falls back on the second argument, and on nothing', async () => {
    verifies('request.get.default');
    const read = (own: EngineContext['request']) => [
      own.get('no'),
      own.get('no', 7),
      own.get('constructor'),
      own.get('__proto__', 'none'),
      own.get('length'),
    ];
    expect(await both(read)).toEqual([
      [null, 7, null, 'none', null],
      [null, 7, null, 'none', null],
    ]);
    const raw = serve([route('POST', '/raw', {}, ({ request: own }) => read(own))]);
    for (const text of ['{', '', 'null', '"text"', '[1,2]'])
      expect(answerOf(await raw.request('POST', '/raw', { body: bytesBody(text) })), text).toEqual([
        null,
        7,
        null,
        'none',
        null,
      ]);
  });

  it('has the whole path of control routes and encoded values, by both doors', async () => {
    const options = { plane: 'control', input: { name: Type.String() } } as const;
    const { request, tool } = serve(
      [route('GET', '/things/{name}/{rest*}', options, ({ request: own }) => own.path)],
      { controlRule: () => undefined },
    );
    expect(answerOf(await request('GET', '/_svc/things/a%20b/c/d'))).toBe('/_svc/things/a%20b/c/d');
    expect(answerOf(await tool({ name: 'a b', rest: 'c/d' }))).toBe('/_svc/things/a%20b/c/d');
    expect(answerOf(await tool({ name: '\ud800/$&', rest: '' }))).toBe('/_svc/things/%EF%BF%BD%2F%24%26/');
  });

  it('reports progress to whoever listens', async () => {
    const seen: unknown[] = [];
    const { tool } = reads((own) => {
      own.progress(1);
      own.progress(2, 3, 'half');
      return null;
    });
    await tool({ id: 5, title: 'a' }, { observe: (progress) => seen.push(progress) });
    expect((await tool({ id: 5, title: 'a' })).status).toBe(200);
    expect(seen).toEqual([
      { event: 'progress', data: { done: 1 } },
      { event: 'progress', data: { done: 2, total: 3, message: 'half' } },
    ]);
  });

  it('is the same one however often an engine asks', async () => {
    const { tool } = serve([
      route(
        'GET',
        '/x',
        {},
        (context) =>
          isSame(context.request, context.request) && isSame(context.signal, context.request.signal),
      ),
    ]);
    expect(answerOf(await tool({}))).toBe(true);
  });

  it('lets the rest of the context through', async () => {
    const charged: number[] = [];
    const served = serve([
      route('GET', '/x', {}, (context) => {
        void context.charge(3);
        return [
          context.clientAddress,
          context.via,
          context.requestId,
          context.principal.id,
          context.route.name,
          context.table === served.table,
          context.dispatcher === served.dispatcher,
          context.body.contentLength,
        ];
      }),
    ]);
    const answer = await served.tool({}, { clientAddress: '::1', charge: (cost) => void charged.push(cost) });
    expect(answerOf(answer)).toEqual(['::1', 'mcp', 'r1', 'ada', 'get_x', true, true, 0]);
    expect(charged).toEqual([3]);
    const refusing = await served.tool(
      {},
      {
        charge: () => {
          throw new HTTPError(429, 'slow down');
        },
      },
    );
    expect(refusing.status).toBe(429);
  });
});
