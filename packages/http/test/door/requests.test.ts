import { Agent, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { HTTPError } from '@waymark/contract';
import { jsonResponse, parseQuery, problemResponse, RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../deferred.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { keys, openDoor } from '../open-door.ts';
import { rawClient, rawExchange } from '../raw-client.ts';

const page: FakeRoute = { method: 'GET', path: '/page', answer: () => jsonResponse({ a: 'ü' }) };

/** A route that gives this answer. */
function gives(response: () => RouteResponse): FakeRoute {
  return { method: 'GET', path: '/', answer: response };
}

function streamOf(...chunks: readonly string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk)));
}

describe('the call', () => {
  it('carries the request as it came: path without query, query as sent, lower-cased headers', async () => {
    const { url, dispatcher } = await openDoor([page]);
    await fetch(`${url}/page?a=1&b=x+y%20z&a=%2525&&c`, {
      headers: { 'X-Thing': 'Yes', 'x-request-id': 'r1' },
    });
    const [call] = dispatcher.calls;
    expect(call).toMatchObject({
      via: 'http',
      requestId: 'r1',
      clientAddress: '127.0.0.1',
      route: { path: '/page' },
    });
    expect(call?.principal.id).toBe('anonymous');
    expect(call?.input).toMatchObject({
      by: 'request',
      method: 'GET',
      path: '/page',
      headers: { 'x-thing': 'Yes' },
      search: 'a=1&b=x+y%20z&a=%2525&&c',
    });
  });

  it('takes path and query from a target in absolute form, whatever host that names', async () => {
    const { port, dispatcher } = await openDoor([page]);
    await rawExchange(
      port,
      'GET http://other.example/page?x=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    expect(dispatcher.calls[0]?.input).toMatchObject({ path: '/page', search: 'x=1' });
  });

  it.each([
    ['http://evil.example/_svc/routes', 'localhost', 403],
    ['HTTP://evil.example:80/_svc/routes', 'localhost', 403],
    ['http://localhost/_svc/routes', 'evil.example', 200],
    ['/_svc/routes', 'evil.example', 403],
  ])('is for the host of its target, where that names one: %s, Host: %s', async (target, host, status) => {
    const routes = { method: 'GET', path: '/_svc/routes', plane: 'control' } as const;
    const { port, dispatcher } = await openDoor([routes], { controlRule: () => undefined });
    const answer = await rawExchange(
      port,
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    if (status === 403) expect(answer).toContain('the host evil.example');
    // What it is handed over with says the same.
    else expect(dispatcher.calls[0]?.input).toMatchObject({ headers: { host: 'localhost' } });
  });

  it.each(['http://[/', 'http://', 'HTTPS://:80/page', 'http://host:99999/page'])(
    'with the target %s, which is no URL, is malformed',
    async (target) => {
      verifies('http.status.400');
      for (const mountPath of ['', '/api']) {
        const { port, dispatcher } = await openDoor([page, { method: 'GET', path: '/' }], { mountPath });
        const answer = await rawExchange(
          port,
          `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
        );
        expect(answer).toMatch(/^HTTP\/1\.1 400 /);
        expect(answer).toContain('the request target is no URL');
        expect(dispatcher.calls).toEqual([]);
      }
    },
  );

  it('tells of a query that is no percent-encoding when that is read: 400, but not to those refused before', async () => {
    verifies('http.status.400', 'http.order.scopes');
    const { url } = await openDoor([
      { method: 'GET', path: '/reads', answer: ({ input }) => jsonResponse(parseQuery(input.search).length) },
      { method: 'GET', path: '/refuses', answer: () => problemResponse(403, 'missing scope') },
    ]);
    const response = await fetch(`${url}/reads?a=%zz`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail: 'the query is not valid percent-encoding' });
    expect((await fetch(`${url}/refuses?a=%zz`)).status).toBe(403);
  });

  it('has a signal that fires when the client goes away before the answer', async () => {
    const reached = deferred<AbortSignal>();
    const { port } = await openDoor(
      [
        {
          method: 'GET',
          path: '/wait',
          answer: ({ signal }) => {
            if (signal) reached.resolve(signal);
            return new Promise(() => {});
          },
        },
      ],
      { shutdownTimeoutMs: 1 },
    );
    const client = await rawClient(port);
    client.send('GET /wait HTTP/1.1\r\nHost: a\r\n\r\n');
    const signal = await reached.promise;
    expect(signal.aborted).toBe(false);
    client.socket.destroy();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(signal.reason).toMatchObject({ name: 'AbortError', message: 'the client went away' });
  });

  it('has a signal that stays silent when the answer is complete', async () => {
    let signal: AbortSignal | undefined;
    const { url, close } = await openDoor([
      {
        method: 'GET',
        path: '/',
        answer: (call) => {
          signal = call.signal;
          return jsonResponse(1);
        },
      },
    ]);
    await (await fetch(url)).text();
    await close();
    expect(signal?.aborted).toBe(false);
  });
});

describe('the answer', () => {
  it('is JSON with its length and the request id', async () => {
    const { url } = await openDoor([page]);
    const response = await fetch(`${url}/page`);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('content-length')).toBe('10');
    expect(response.headers.get('x-request-id')).toBe('id-1');
    expect(await response.text()).toBe('{"a":"ü"}');
  });

  it('is problem+json with every member of RFC 9457 and ours', async () => {
    verifies(
      'http.problem.media-type',
      'http.problem.type',
      'http.problem.title',
      'http.problem.status',
      'http.problem.detail',
      'http.problem.request-id',
      'http.problem.code',
      'http.problem.errors',
    );
    const members = { code: 'nope', errors: [{ path: '/a', message: 'is missing' }], run: { run_id: 'r' } };
    const { url, logs } = await openDoor([gives(() => problemResponse(422, '/a is missing', members))]);
    const response = await fetch(url);
    expect(response.status).toBe(422);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'Unprocessable Entity',
      status: 422,
      detail: '/a is missing',
      request_id: 'id-1',
      code: 'nope',
      errors: [{ path: '/a', message: 'is missing' }],
      run: { run_id: 'r' },
    });
    expect(logs[0]?.fields['request_id']).toBe('id-1');
  });

  it('is bytes as they are', async () => {
    const bytes = new Uint8Array([0, 255, 10, 13]);
    const { url } = await openDoor([
      gives(() => new RouteResponse(200, { kind: 'bytes', bytes, mediaType: 'image/png' })),
    ]);
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('content-length')).toBe('4');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  });

  it('is a stream, chunked when its length is unknown', async () => {
    const { url } = await openDoor([
      gives(
        () => new RouteResponse(200, { kind: 'stream', stream: streamOf('a', 'b'), mediaType: 'text/plain' }),
      ),
    ]);
    const response = await fetch(url);
    expect(response.headers.get('transfer-encoding')).toBe('chunked');
    expect(response.headers.get('content-length')).toBeNull();
    expect(await response.text()).toBe('ab');
  });

  it('is a stream with its length when that is known', async () => {
    const { url } = await openDoor([
      gives(
        () =>
          new RouteResponse(200, {
            kind: 'stream',
            stream: streamOf('ab', 'c'),
            mediaType: 'text/plain',
            length: 3,
          }),
      ),
    ]);
    const response = await fetch(url);
    expect(response.headers.get('content-length')).toBe('3');
    expect(await response.text()).toBe('abc');
  });

  it('breaks the connection when a stream does not keep its length, or fails, and logs why', async () => {
    const failing = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('the source broke')),
    });
    for (const [stream, length] of [
      [streamOf('ab'), 3],
      [streamOf('abcd'), 3],
      [failing, 3],
    ] as const) {
      const { url, logged } = await openDoor([
        gives(() => new RouteResponse(200, { kind: 'stream', stream, mediaType: 'text/plain', length })),
      ]);
      await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
      expect((await logged(({ level }) => level === 'error')).message).toBe('the answer broke off');
      expect((await logged(({ message }) => message === 'request')).fields['aborted']).toBe(true);
    }
  });

  it('does not read a stream faster than the client does', async () => {
    let pulled = 0;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (++pulled === 64) controller.close();
          else controller.enqueue(new Uint8Array(1_048_576));
        },
      },
      { highWaterMark: 0 },
    );
    const { url, port } = await openDoor(
      [page, gives(() => new RouteResponse(200, { kind: 'stream', stream, mediaType: 'a/b' }))],
      { shutdownTimeoutMs: 1 },
    );
    const client = await rawClient(port);
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await client.until(/\r\n\r\n/);
    client.socket.pause();
    // The kernel takes a few of these megabytes on both sides. Whoever does not wait for it has read them all before
    // another request is through.
    await fetch(`${url}/page`);
    expect(pulled).toBeGreaterThan(0);
    expect(pulled).toBeLessThan(64);
  });

  it('cancels a stream when the client goes away', async () => {
    const cancelled = deferred<unknown>();
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('first')),
      cancel: (reason) => cancelled.resolve(reason),
    });
    const { port, logged } = await openDoor([
      gives(() => new RouteResponse(200, { kind: 'stream', stream, mediaType: 'text/plain' })),
    ]);
    const client = await rawClient(port);
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await client.until(/first/);
    client.socket.destroy();
    expect(await cancelled.promise).toMatchObject({ name: 'AbortError' });
    expect((await logged(({ message }) => message === 'request')).fields['aborted']).toBe(true);
  });

  it('has no content at 204 and 304, whatever was given, and length 0 where it is empty', async () => {
    const json = { kind: 'json', text: '{}' } as const;
    const { url } = await openDoor([
      { method: 'GET', path: '/204', answer: () => new RouteResponse(204, json) },
      { method: 'GET', path: '/304', answer: () => new RouteResponse(304, json, { etag: '"1"' }) },
      { method: 'GET', path: '/200', answer: () => new RouteResponse(200, { kind: 'empty' }) },
    ]);
    for (const [status, length] of [
      [204, null],
      [304, null],
      [200, '0'],
    ] as const) {
      const response = await fetch(`${url}/${status}`);
      expect(response.status).toBe(status);
      expect(response.headers.get('content-length')).toBe(length);
      expect(response.headers.get('content-type')).toBeNull();
      expect(await response.text()).toBe('');
    }
  });

  it('to HEAD has the headers of GET and no body, and an unread stream is cancelled', async () => {
    verifies('http.path.head');
    const cancelled = deferred<unknown>();
    const stream = new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve(true) });
    const { url, port, dispatcher } = await openDoor([
      page,
      {
        method: 'GET',
        path: '/stream',
        answer: () => new RouteResponse(200, { kind: 'stream', stream, mediaType: 'a/b' }),
      },
    ]);
    const raw = await rawExchange(port, 'HEAD /page HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(raw).toMatch(/content-length: 10\r\n/);
    expect(raw).toMatch(/content-type: application\/json\r\n/);
    expect(raw.endsWith('\r\n\r\n')).toBe(true);
    expect(dispatcher.calls[0]?.input).toMatchObject({ method: 'HEAD' });
    await fetch(`${url}/stream`, { method: 'HEAD' });
    expect(await cancelled.promise).toBe(true);
  });

  it('lets headers of the response win, except those that belong to the connection', async () => {
    const headers = {
      'Content-Type': 'application/hal+json',
      'x-request-id': 'mine',
      'content-length': '999',
      connection: 'close',
      'transfer-encoding': 'chunked',
      'x-more': '1',
    };
    const { port } = await openDoor([gives(() => jsonResponse(1, 200, headers))]);
    const client = await rawClient(port);
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const head = (await client.until(/\r\n\r\n1$/)).toLowerCase();
    expect(head.match(/content-type: .*/g)).toEqual(['content-type: application/hal+json']);
    expect(head.match(/x-request-id: .*/g)).toEqual(['x-request-id: mine']);
    expect(head.match(/content-length: .*/g)).toEqual(['content-length: 1']);
    expect(head).toContain('connection: keep-alive');
    expect(head).not.toContain('transfer-encoding');
    expect(head).toContain('x-more: 1');
  });

  it('has a line for each cookie of a list, and one line for lists of other headers', async () => {
    const headers = { 'set-cookie': ['a=1', 'b=2'], link: ['</a>; rel="next"', '</b>'] };
    const { url } = await openDoor([gives(() => jsonResponse(1, 200, headers))]);
    const response = await fetch(url);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('link')).toBe('</a>; rel="next", </b>');
  });

  it('is a plain 500 when its headers would split it, and the server goes on', async () => {
    verifies('http.problem.internal', 'http.problem.logged', 'http.status.500');
    const { url, logged } = await openDoor([
      { method: 'GET', path: '/evil', answer: () => jsonResponse(1, 200, { 'x-a': 'b\r\nset-cookie: c=d' }) },
      { method: 'GET', path: '/name', answer: () => jsonResponse(1, 200, { 'x a': 'b' }) },
      { method: 'GET', path: '/status', answer: () => jsonResponse(1, 99) },
    ]);
    for (const path of ['/evil', '/name', '/status']) {
      const response = await fetch(url + path);
      expect(response.status).toBe(500);
      expect(response.headers.get('set-cookie')).toBeNull();
      const problem = (await response.json()) as { detail: string; request_id: string };
      expect(problem.detail).toBe('internal error');
      const line = await logged(({ fields }) => fields['request_id'] === problem.request_id);
      expect(line).toMatchObject({ level: 'error', fields: { error: expect.any(Error) as Error } });
    }
  });

  it('is 500 with the cause in the log when the dispatcher rejects, although it must not', async () => {
    const { url, logs } = await openDoor([
      gives(() => {
        throw new Error('secret: 42');
      }),
    ]);
    const response = await fetch(url);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('42');
    expect(logs.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'the request failed in the door'],
      ['info', 'request'],
    ]);
  });

  it('challenges at 401, and keeps the challenge of the response', async () => {
    verifies('http.status.401');
    const { url } = await openDoor([
      { method: 'GET', path: '/plain', answer: () => problemResponse(401, 'who?') },
      {
        method: 'GET',
        path: '/own',
        answer: () => problemResponse(401, 'who?', {}, { 'www-authenticate': 'Bearer' }),
      },
    ]);
    expect((await fetch(`${url}/plain`)).headers.get('www-authenticate')).toBe('ApiKey realm="waymark"');
    expect((await fetch(`${url}/own`)).headers.get('www-authenticate')).toBe('Bearer');
  });

  it('challenges with what its authentication takes, where that says so', async () => {
    verifies('http.status.401');
    const authenticate = Object.assign(keys.bind(undefined), { challenge: 'Bearer realm="desk"' });
    const { url } = await openDoor(
      [{ method: 'GET', path: '/plain', answer: () => problemResponse(401, 'who?') }],
      { authenticate },
    );
    for (const headers of [{}, { 'x-api-key': 'wrong' }])
      expect((await fetch(`${url}/plain`, { headers })).headers.get('www-authenticate')).toBe(
        'Bearer realm="desk"',
      );
  });

  it('leaves the connection open for the next request', async () => {
    const { port } = await openDoor([page]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ports = new Set<number | undefined>();
    for (let i = 0; i < 3; i++) {
      await new Promise<void>((resolve, reject) => {
        httpRequest({ port, path: i === 1 ? '/missing' : '/page', agent }, (res) => {
          ports.add(res.socket.localPort);
          text(res).then(() => resolve(), reject);
        }).end();
      });
    }
    expect(ports.size).toBe(1);
  });
});

describe('the request id', () => {
  it('is there before anything can go wrong', async () => {
    verifies('http.order.request-id');
    const { port } = await openDoor([page], { hostGuard: 'everywhere' });
    for (const request of [
      'GET /page HTTP/1.1\r\nHost: evil.example',
      'GET /page HTTP/1.1\r\nHost: a\r\nHost: b',
      'POST /page HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site',
      'GET /%zz HTTP/1.1\r\nHost: localhost',
    ]) {
      const raw = await rawExchange(port, `${request}\r\nX-Request-Id: mine\r\nConnection: close\r\n\r\n`);
      expect(raw).toMatch(/^HTTP\/1\.1 40[03] /);
      expect(raw).toContain('\r\nx-request-id: mine\r\n');
      expect(raw).toContain('"request_id":"mine"');
    }
  });

  it.each([
    ['a', true],
    ['A-z_0.9:', true],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['', false],
    ['a b', false],
    ['a/b', false],
    ['ü', false],
  ])('%s is kept: %s', async (id, kept) => {
    const { port } = await openDoor([page]);
    verifies('http.request-id.kept');
    const raw = await rawExchange(
      port,
      `GET /page HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`,
    );
    expect(raw).toContain(`x-request-id: ${kept ? id : 'id-1'}\r\n`);
  });

  it('is on refusals too', async () => {
    const { url } = await openDoor();
    const response = await fetch(`${url}/missing`, { headers: { 'x-request-id': 'mine' } });
    expect(response.headers.get('x-request-id')).toBe('mine');
    expect(await response.json()).toMatchObject({ request_id: 'mine' });
  });
});

describe('the log line', () => {
  it('has the path and never the query', async () => {
    verifies('http.log.members', 'http.log.no-query', 'auth.upgrade.never-logged');
    const { url, logged } = await openDoor([page]);
    await fetch(`${url}/page?access_token=secret`, { headers: { 'x-api-key': 'good' } });
    const line = await logged(({ message }) => message === 'request');
    expect(line).toEqual({
      level: 'info',
      message: 'request',
      fields: {
        request_id: 'id-1',
        method: 'GET',
        path: '/page',
        route: 'get_page',
        status: 200,
        principal: 'alice',
        bytes: 10,
        duration_ms: expect.any(Number) as number,
      },
    });
    expect(JSON.stringify(line)).not.toContain('secret');
  });
});

describe('the bytes in the log line', () => {
  it('are those of the body on the wire: none of HEAD, what was sent of a stream, what a fallback says', async () => {
    const { url, logged } = await openDoor(
      [
        page,
        { method: 'GET', path: '/204', answer: () => new RouteResponse(204, { kind: 'empty' }) },
        {
          method: 'GET',
          path: '/stream',
          answer: () =>
            new RouteResponse(200, { kind: 'stream', stream: streamOf('ab', 'ü'), mediaType: 'a/b' }),
        },
      ],
      {
        fallback: (req, res) => {
          if (req.url === '/told') res.setHeader('content-length', '3');
          res.write('abc');
          res.end();
        },
      },
    );
    await (await fetch(`${url}/page`, { method: 'HEAD', headers: { 'x-request-id': 'head' } })).text();
    for (const path of ['page', '204', 'stream', 'told', 'untold'])
      await (await fetch(`${url}/${path}`, { headers: { 'x-request-id': path } })).text();
    const bytes = async (id: string) =>
      (await logged(({ fields }) => fields['request_id'] === id)).fields['bytes'];
    expect(await bytes('head')).toBe(0);
    expect(await bytes('page')).toBe(10);
    expect(await bytes('204')).toBe(0);
    expect(await bytes('stream')).toBe(4);
    expect(await bytes('told')).toBe(3);
    expect(await bytes('untold')).toBeUndefined();
  });
});

describe('an HTTPError that reaches the door', () => {
  it('keeps its status, message and headers', async () => {
    const { url, logs } = await openDoor([page], {
      authenticate: () => {
        throw new HTTPError(503, 'try later', { headers: { 'retry-after': '7' } });
      },
    });
    const response = await fetch(`${url}/page`);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await response.json()).toMatchObject({ detail: 'try later' });
    expect(logs.map(({ level }) => level)).toEqual(['info']);
  });
});
