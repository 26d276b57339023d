import { Readable } from 'node:stream';
import { HTTPError, media, Reply, reply, Type } from '@waymark/contract';
import { RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { toToolResult } from '@waymark/contract/tools';
import { describe, expect, it } from 'vitest';
import { detailOf, route, serve } from './kit.ts';

/** Serves one answer and gives it with what was logged about it. */
async function answer(
  value: () => unknown,
  output?: object,
): Promise<{ response: RouteResponse; logged: readonly unknown[] }> {
  const logged: unknown[] = [];
  const { tool } = serve([route('GET', '/x', output && { output }, value)], {
    log: (level, message, fields) => logged.push([level, message, fields]),
  });
  return { response: await tool({}), logged };
}

async function textOf({ body }: RouteResponse): Promise<string> {
  if (body.kind === 'json') return body.text;
  if (body.kind === 'bytes') return new TextDecoder().decode(body.bytes);
  if (body.kind === 'stream') return new Response(body.stream).text();
  return body.kind;
}

describe('what a handler returns', () => {
  it.each([
    [{ a: [1, null] }, '{"a":[1,null]}'],
    ['text', '"text"'],
    [null, 'null'],
    [0, '0'],
    [false, 'false'],
    ['', '""'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ])('is JSON with 200: %j', async (value, text) => {
    verifies('face.result.json');
    for (const returned of [value, Promise.resolve(value)]) {
      const { response } = await answer(() => returned);
      expect(response).toEqual(new RouteResponse(200, { kind: 'json', text }));
    }
  });

  it('is 204 when it is nothing', async () => {
    verifies('face.result.undefined');
    expect((await answer(() => undefined)).response).toEqual(new RouteResponse(204, { kind: 'empty' }));
    expect((await answer(async () => {})).response).toEqual(new RouteResponse(204, { kind: 'empty' }));
  });

  it('is bytes as they are', async () => {
    verifies('face.result.bytes');
    const bytes = Uint8Array.of(0, 255);
    for (const value of [bytes, Buffer.from(bytes), bytes.buffer]) {
      const { response } = await answer(() => value);
      expect(response.body).toMatchObject({ kind: 'bytes', mediaType: 'application/octet-stream' });
      expect([...(response.body as { bytes: Uint8Array }).bytes]).toEqual([0, 255]);
    }
  });

  it('is sent as the type that the route declares', async () => {
    const page = await answer(() => '<p>ü</p>', { 200: media('text/html') });
    expect(page.response.body).toMatchObject({ kind: 'bytes', mediaType: 'text/html; charset=utf-8' });
    expect(await textOf(page.response)).toBe('<p>ü</p>');
    const csv = await answer(() => 'a', { 200: media('text/csv; charset=latin1') });
    expect(csv.response.body).toMatchObject({ mediaType: 'text/csv; charset=latin1' });
    const image = await answer(() => Uint8Array.of(1), { 200: media('image/png') });
    expect(image.response.body).toMatchObject({ kind: 'bytes', mediaType: 'image/png' });
  });

  it('is a stream, of either kind', async () => {
    const web = await answer(() => new Blob(['web']).stream(), { 200: media('text/plain') });
    expect(web.response.body).toMatchObject({ kind: 'stream', mediaType: 'text/plain' });
    expect(await textOf(web.response)).toBe('web');
    const node = await answer(() => Readable.from([Buffer.from('no'), Buffer.from('de')]));
    expect(node.response.body).toMatchObject({ kind: 'stream', mediaType: 'application/octet-stream' });
    expect(await textOf(node.response)).toBe('node');
  });

  it('is a Reply: body, status, headers and content type', async () => {
    verifies('response.positions', 'face.result.reply-class');
    const { response } = await answer(() => new Reply('a,b', 201, { 'x-rows': '1' }, 'text/csv'));
    expect(response).toEqual(
      new RouteResponse(
        201,
        { kind: 'bytes', bytes: new TextEncoder().encode('a,b'), mediaType: 'text/csv; charset=utf-8' },
        { 'x-rows': '1' },
      ),
    );
  });

  it('is a Reply of 200 and JSON, without headers, where it does not say', async () => {
    verifies('response.status.default', 'response.headers.default', 'response.content-type.default');
    expect((await answer(() => new Reply({ a: 1 }))).response).toEqual(
      new RouteResponse(200, { kind: 'json', text: '{"a":1}' }),
    );
    expect((await answer(() => new Reply('a'))).response.body).toEqual({ kind: 'json', text: '"a"' });
  });

  it('is a typed reply', async () => {
    verifies('face.result.reply-function');
    const { response } = await answer(() => reply(404, { title: 'no such ticket' }, { 'x-a': 'b' }), {
      404: Type.Object({ title: Type.String() }),
    });
    expect(response).toEqual(
      new RouteResponse(404, { kind: 'json', text: '{"title":"no such ticket"}' }, { 'x-a': 'b' }),
    );
  });

  it.each([204, 304])('has no body with %i', async (status) => {
    expect((await answer(() => new Reply('a', status))).response).toEqual(
      new RouteResponse(status, { kind: 'empty' }),
    );
  });

  it.each([
    'application/problem+json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'model/gltf+json',
  ])('is JSON of its own type: %s', async (contentType) => {
    const { response } = await answer(() => new Reply({ a: 1 }, 200, {}, contentType));
    expect(response).toEqual(
      new RouteResponse(200, { kind: 'json', text: '{"a":1}' }, { 'content-type': contentType }),
    );
  });

  it.each(['application/json-seq', 'application/json5', 'application/jsonl'])(
    'is text of a type that only looks like JSON: %s',
    async (contentType) => {
      const { response } = await answer(() => new Reply('{"a":1}', 200, {}, contentType));
      expect(response.body).toMatchObject({ kind: 'bytes', mediaType: contentType });
      expect(await textOf(response)).toBe('{"a":1}');
    },
  );

  it('is JSON bytes that somebody else wrote', async () => {
    const { response } = await answer(() => new Reply(Buffer.from('{"a":1}')));
    expect(await toToolResult(response)).toEqual({ ok: true, status: 200, value: { a: 1 } });
  });

  it('is a web Response', async () => {
    const { response } = await answer(
      () => new Response('hello', { status: 202, headers: { 'x-a': 'b', 'content-type': 'text/plain' } }),
    );
    expect(response).toMatchObject({
      status: 202,
      headers: { 'x-a': 'b' },
      body: { kind: 'stream', mediaType: 'text/plain' },
    });
    expect(await textOf(response)).toBe('hello');
    expect((await answer(() => new Response(null, { status: 204 }))).response).toMatchObject({
      status: 204,
      body: { kind: 'empty' },
    });
  });

  it('is a web Response with several cookies, which stay several', async () => {
    const { response } = await answer(() => {
      const headers = new Headers({ 'x-a': 'b' });
      headers.append('set-cookie', 'a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT');
      headers.append('set-cookie', 'b=2');
      return new Response(null, { headers });
    });
    expect(response.headers).toEqual({
      'x-a': 'b',
      'set-cookie': ['a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT', 'b=2'],
    });
  });

  it('is a RouteResponse handed through, but not an object that only looks like one', async () => {
    const ready = new RouteResponse(418, { kind: 'empty' });
    expect((await answer(() => ready)).response).toBe(ready);
    const lookalike = { status: 500, headers: {}, body: { kind: 'empty' } };
    expect(await textOf((await answer(() => lookalike)).response)).toBe(JSON.stringify(lookalike));
  });

  it('is awaited when it is no promise but can be, as the queries of SQL libraries', async () => {
    // biome-ignore lint/suspicious/noThenProperty: that is the point
    const query = { sql: 'select 1', then: (resolve: (rows: unknown) => void) => resolve([{ a: 1 }]) };
    expect(await textOf((await answer(() => query)).response)).toBe('[{"a":1}]');
    const failing = {
      // biome-ignore lint/suspicious/noThenProperty: that is the point
      then: (_: unknown, reject: (error: unknown) => void) => reject(new HTTPError(409, 'taken')),
    };
    expect((await answer(() => failing)).response.status).toBe(409);
  });

  it('is the last value of a generator, also when the route does not declare progress', async () => {
    async function* rows(): AsyncGenerator<{ event: string; data: unknown }, unknown> {
      yield { event: 'progress', data: 1 };
      return { rows: 1 };
    }
    expect(await textOf((await answer(() => rows())).response)).toBe('{"rows":1}');
  });

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  it.each([
    ['a BigInt', 10n],
    ['an object with one', { id: 10n }],
    ['a cycle', cycle],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    [
      'an object that cannot be written',
      {
        toJSON: () => {
          throw new Error('secret');
        },
      },
    ],
    ['an object in a text reply', new Reply({ a: 1 }, 200, {}, 'text/plain')],
    ['a status of none', new Reply('a', 0)],
    ['a status that announces another', new Reply('a', 101)],
    ['a status beyond all', new Reply('a', 600)],
    ['a status that is no number', new Reply('a', 'no' as never)],
    ['half a status', new Reply('a', 200.5)],
    ['the web Response of an error', Response.error()],
  ])('is 500 and logged when it is %s', async (_, value) => {
    verifies('http.status.500');
    for (const returned of [() => value, async () => value]) {
      const { response, logged } = await answer(returned);
      expect(response.status).toBe(500);
      expect(detailOf(response)).toBe('internal error');
      expect(logged).toEqual([
        ['error', 'route failed', { request_id: 'r1', route: 'get_x', error: expect.any(Error) }],
      ]);
    }
  });
});

describe('what a handler throws', () => {
  it('is answered as it says when it is an HTTPError', async () => {
    verifies(
      'response.http-error',
      'error.http-error.status',
      'error.http-error.message',
      'face.result.http-error',
      'http.problem.code',
    );
    const error = new HTTPError(409, 'taken', {
      code: 'taken',
      headers: { 'retry-after': '5' },
      errors: [{ path: '/a', message: 'is taken' }],
    });
    const { response, logged } = await answer(() => {
      throw error;
    });
    expect(response).toEqual(
      new RouteResponse(
        409,
        { kind: 'problem', detail: 'taken', code: 'taken', errors: [{ path: '/a', message: 'is taken' }] },
        { 'retry-after': '5' },
      ),
    );
    expect(logged).toEqual([]);
  });

  it('is answered as it says in all of 400 to 599, and logged when it hides a bug', async () => {
    for (const status of [400, 599])
      expect((await answer(() => Promise.reject(new HTTPError(status, 'x')))).response.status).toBe(status);
    const { response, logged } = await answer(() => Promise.reject(new HTTPError(500, 'out of paper')));
    expect(detailOf(response)).toBe('out of paper');
    expect(logged).toHaveLength(1);
  });

  it.each([
    ['an error', new TypeError('secret')],
    ['a text', 'secret'],
    ['nothing', undefined],
    ['null', null],
    ['a number', 404],
    ['an object that looks like an HTTPError', { status: 404, message: 'secret', members: {}, headers: {} }],
    ['an HTTPError of success', new HTTPError(200, 'secret')],
    ['an HTTPError of no status', new HTTPError(700, 'secret')],
    ['an HTTPError of half a status', new HTTPError(404.5, 'secret')],
    ['an HTTPError whose status is text', new HTTPError('404' as never, 'secret')],
    ['an HTTPError of NaN', new HTTPError(Number.NaN, 'secret')],
  ])('is a bare internal error, and logged under the request id, when it is %s', async (_, thrown) => {
    verifies(
      'error.exception.bare',
      'error.exception.logged',
      'http.problem.internal',
      'http.problem.logged',
      'http.problem.nothing-leaks',
      'http.status.500',
    );
    const throwing = () => {
      // oxlint-disable-next-line typescript/only-throw-error -- whatever a handler throws
      throw thrown;
    };
    for (const fail of [throwing, async () => throwing()]) {
      const { response, logged } = await answer(fail);
      expect(response).toEqual(new RouteResponse(500, { kind: 'problem', detail: 'internal error' }));
      expect(logged).toEqual([
        ['error', 'route failed', { request_id: 'r1', route: 'get_x', error: thrown }],
      ]);
    }
  });
});
