import { HTTPError } from '@waymark/contract';
import {
  type Call,
  jsonResponse,
  problemResponse,
  type RequestInput,
  type RouteResponse,
} from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { deferred } from '../deferred.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

const limit = 1000;
const never = new AbortController().signal;

/** What a dispatcher makes of a refusal. */
function toProblem(error: unknown): RouteResponse {
  if (!(error instanceof HTTPError)) return problemResponse(500, String(error));
  return problemResponse(error.status, error.message);
}

/** Reads the body and tells its length. */
const counts: FakeRoute = {
  method: 'POST',
  path: '/count',
  answer: ({ input }) =>
    input.body.read(limit, never).then((bytes) => jsonResponse({ bytes: bytes.length }), toProblem),
};
/** Does not look at the body. */
const ignores: FakeRoute = { method: 'POST', path: '/ignore', answer: () => jsonResponse('done') };

/** Reads one JSON answer, and does not wait for the connection to close. */
async function answerTo(port: number, request: string): Promise<string> {
  const client = await rawClient(port);
  client.send(request);
  return client.until(/\r\n\r\n.*["}]$/);
}

const post = (path: string, ...headers: string[]) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`;

describe('read', () => {
  it.each([
    [limit - 1, 200],
    [limit, 200],
    [limit + 1, 413],
  ])('%i declared bytes against a limit of 1000: %i', async (bytes, status) => {
    const { url } = await openDoor([counts]);
    const response = await fetch(`${url}/count`, { method: 'POST', body: 'x'.repeat(bytes) });
    expect(response.status).toBe(status);
    if (status === 200) expect(await response.json()).toEqual({ bytes });
  });

  it.each([
    [limit - 1, 200],
    [limit, 200],
    [limit + 1, 413],
  ])('%i undeclared bytes against a limit of 1000: %i', async (bytes, status) => {
    const { port } = await openDoor([counts]);
    const half = 'x'.repeat(bytes >> 1);
    const rest = 'x'.repeat(bytes - half.length);
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const client = await rawClient(port);
    client.send(`${post('/count', 'Transfer-Encoding: chunked')}${chunk(half)}${chunk(rest)}0\r\n\r\n`);
    expect(await client.until(/\r\n\r\n.+/s)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('refuses a declared length before a byte of it came, and closes', async () => {
    verifies('http.body.limit-declared', 'http.status.413');
    const { port } = await openDoor([counts]);
    const raw = await answerTo(port, post('/count', 'Content-Length: 68719476736'));
    expect(raw).toMatch(/^HTTP\/1\.1 413 /);
    expect(raw).toContain('connection: close\r\n');
    expect(raw).toContain('"detail":"the body is larger than 1000 bytes"');
  });

  it('refuses an undeclared body as soon as it passed the limit, although it never ends', async () => {
    verifies('http.body.limit-while-reading');
    const { port } = await openDoor([counts]);
    const client = await rawClient(port);
    client.send(`${post('/count', 'Transfer-Encoding: chunked')}800\r\n${'x'.repeat(2048)}\r\n`);
    const raw = await client.until(/\}$/);
    expect(raw).toMatch(/^HTTP\/1\.1 413 /);
    expect(raw).toContain('connection: close\r\n');
  });

  it('lets a client that sends much before it reads have its 413', async () => {
    const { url, port } = await openDoor([counts]);
    const client = await rawClient(port);
    client.socket.pause();
    client.send(post('/count', 'Content-Length: 68719476736'));
    for (let i = 0; i < 8; i++) {
      client.send(Buffer.alloc(65_536));
      // Meanwhile the server meets it: a connection ended at once would be reset by this, and the answer lost.
      await fetch(`${url}/missing`);
    }
    client.socket.resume();
    expect(await client.until(/\}$/)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('cuts a client that never stops', async () => {
    verifies('http.body.cut');
    const { port } = await openDoor([counts]);
    const client = await rawClient(port);
    client.send(post('/count', 'Content-Length: 68719476736'));
    const piece = Buffer.alloc(1_048_576);
    let sent = 0;
    const flood = (): void => {
      do sent += piece.length;
      while (client.socket.writable && client.socket.write(piece));
    };
    client.socket.on('drain', flood);
    flood();
    await client.closed();
    // One megabyte is taken while the connection lingers; the kernels hold a few more.
    expect(sent).toBeLessThan(64 * 1_048_576);
  });

  it('refuses content encodings: 415', async () => {
    verifies('http.body.encoding');
    const { url } = await openDoor([counts]);
    const send = (encoding: string) =>
      fetch(`${url}/count`, { method: 'POST', body: 'x', headers: { 'content-encoding': encoding } });
    expect((await send('gzip')).status).toBe(415);
    expect((await send('Identity')).status).toBe(200);
  });

  it('refuses transfer codings besides chunks: 415, and closes', async () => {
    const { port } = await openDoor([counts]);
    const raw = await answerTo(port, `${post('/count', 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`);
    expect(raw).toMatch(/^HTTP\/1\.1 415 /);
  });

  it('closes after a 413, however little of the body is left', async () => {
    const { port } = await openDoor([counts]);
    const client = await rawClient(port);
    client.send(`${post('/count', 'Content-Length: 1001')}${'x'.repeat(1001)}`);
    const raw = await client.closed();
    expect(raw).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close\r\n/);
  });

  it('is not waited for after a 408, however little of it is left', async () => {
    const { port } = await openDoor([
      { method: 'POST', path: '/slow', answer: () => problemResponse(408, 'too slow') },
    ]);
    const client = await rawClient(port);
    client.send(`${post('/slow', 'Content-Length: 2')}x`);
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close\r\n/);
  });

  it('gives an empty body where none was sent', async () => {
    const { port } = await openDoor([counts]);
    const client = await rawClient(port);
    client.send(post('/count'));
    expect(await client.until(/bytes/)).toContain('{"bytes":0}');
  });

  it('rejects when its signal fires, and the answer still goes out', async () => {
    const { port } = await openDoor([
      {
        method: 'POST',
        path: '/late',
        answer: ({ input }) => {
          const deadline = new AbortController();
          const read = input.body.read(limit, deadline.signal);
          deadline.abort(new HTTPError(504, 'timed out'));
          return read.then(() => jsonResponse('read'), toProblem);
        },
      },
    ]);
    const client = await rawClient(port);
    client.send(`${post('/late', 'Content-Length: 10')}abc`);
    expect(await client.until(/timed out/)).toMatch(/^HTTP\/1\.1 504 /);
  });

  it('rejects when the client goes away in the middle', async () => {
    const outcome = deferred<unknown>();
    const reached = deferred<void>();
    const { port } = await openDoor([
      {
        method: 'POST',
        path: '/cut',
        answer: async ({ input }) => {
          const read = input.body.read(limit, never);
          reached.resolve();
          await read.catch(outcome.resolve);
          return jsonResponse(0);
        },
      },
    ]);
    const client = await rawClient(port);
    client.send(`${post('/cut', 'Content-Length: 10')}abc`);
    await reached.promise;
    client.socket.destroy();
    expect(await outcome.promise).toMatchObject({ status: 400, message: 'the body was cut off' });
  });

  it('happens at most once', async () => {
    const second = deferred<unknown>();
    const { url } = await openDoor([
      {
        method: 'POST',
        path: '/twice',
        answer: async ({ input }) => {
          await input.body.read(limit, never);
          await input.body.read(limit, never).catch(second.resolve);
          return jsonResponse(0);
        },
      },
    ]);
    await fetch(`${url}/twice`, { method: 'POST', body: 'x' });
    expect(await second.promise).toMatchObject({
      message: 'a body is read at most once, and not after the answer',
    });
  });

  it('tells content type and length before it is read', async () => {
    const { url, dispatcher } = await openDoor([counts]);
    await fetch(`${url}/count`, { method: 'POST', body: 'abc', headers: { 'content-type': 'text/plain' } });
    await fetch(`${url}/count`, { method: 'POST', headers: { 'content-type': 'text/html' } });
    expect(dispatcher.calls.map(({ input }) => (input as RequestInput).body)).toMatchObject([
      { contentType: 'text/plain', contentLength: 3 },
      { contentType: 'text/html', contentLength: 0 },
    ]);
  });
});

describe('Expect: 100-continue', () => {
  it('is answered when the body is first read, once', async () => {
    const { port } = await openDoor([counts]);
    const client = await rawClient(port);
    client.send(post('/count', 'Expect: 100-continue', 'Content-Length: 3'));
    expect(await client.until(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.send('abc');
    expect(await client.until(/\{/)).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 [\s\S]*\{"bytes":3\}$/,
    );
  });

  it('is not answered when the body is refused unread', async () => {
    const { port } = await openDoor([counts]);
    const raw = await answerTo(port, post('/count', 'Expect: 100-continue', 'Content-Length: 5000'));
    expect(raw).toMatch(/^HTTP\/1\.1 413 /);
    expect(raw).not.toContain('100 Continue');
  });
});

describe('a body nobody read', () => {
  it('that is small is taken off the wire, and the connection goes on', async () => {
    const { port } = await openDoor([ignores, counts]);
    const client = await rawClient(port);
    client.send(`${post('/ignore', 'Content-Length: 5')}ab`);
    await client.until(/"done"/);
    client.send(`cde${post('/count', 'Content-Length: 2')}xy`);
    const raw = await client.until(/bytes/);
    expect(raw).toContain('Connection: keep-alive');
    expect(raw).toContain('{"bytes":2}');
  });

  it('that somebody began to read is taken off the wire too, and the reader is told', async () => {
    const outcome = deferred<unknown>();
    const { port } = await openDoor([
      counts,
      {
        method: 'POST',
        path: '/half',
        answer: ({ input }) => {
          input.body.read(100_000, never).catch(outcome.resolve);
          return jsonResponse('done');
        },
      },
    ]);
    const client = await rawClient(port);
    client.send(post('/half', 'Content-Length: 65536'));
    await client.until(/"done"/);
    expect(await outcome.promise).toMatchObject({ message: 'the request was answered' });
    client.send(`${'c'.repeat(65_536)}${post('/count', 'Content-Length: 2')}xy`);
    expect(await client.until(/bytes/)).toContain('{"bytes":2}');
  });

  it.each([
    ['is large', post('/ignore', 'Content-Length: 65537')],
    ['has no known end', post('/ignore', 'Transfer-Encoding: chunked')],
    ['belongs to a path that is not there', post('/missing', 'Content-Length: 65537')],
  ])('that %s closes the connection', async (_name, request) => {
    const { port } = await openDoor([ignores]);
    expect(await answerTo(port, request)).toContain('connection: close\r\n');
  });

  it('of 65536 bytes is the largest that is small', async () => {
    const { port } = await openDoor([ignores]);
    const client = await rawClient(port);
    client.send(post('/ignore', 'Content-Length: 65536'));
    expect(await client.until(/"done"/)).toContain('Connection: keep-alive');
  });
});

describe('stream', () => {
  const echo = async ({ input }: Call & { readonly input: RequestInput }): Promise<RouteResponse> => {
    let text = '';
    for await (const chunk of input.body.stream()) text += Buffer.from(chunk).toString('latin1');
    return jsonResponse(text);
  };

  it('gives the body as it comes', async () => {
    const { port } = await openDoor([{ method: 'POST', path: '/echo', answer: echo }]);
    const client = await rawClient(port);
    client.send(`${post('/echo', 'Transfer-Encoding: chunked')}2\r\nab\r\n`);
    client.send('1\r\nc\r\n0\r\n\r\n');
    expect(await client.until(/"abc"/)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('holds the client back while nobody reads it', async () => {
    const reached = deferred<void>();
    const go = deferred<void>();
    const { url, port } = await openDoor([
      counts,
      {
        method: 'POST',
        path: '/slow',
        answer: async ({ input }) => {
          const stream = input.body.stream();
          reached.resolve();
          await go.promise;
          let bytes = 0;
          for await (const chunk of stream) bytes += chunk.length;
          return jsonResponse({ read: bytes });
        },
      },
    ]);
    const client = await rawClient(port);
    const bytes = 32 * 1_048_576;
    client.send(post('/slow', `Content-Length: ${bytes}`));
    client.send(new Uint8Array(bytes));
    await reached.promise;
    // Time enough for a server that reads on to have it all: it reads 64 KiB in a turn of its loop.
    for (let i = 0; i < 600; i++) await (await fetch(`${url}/count`, { method: 'POST' })).text();
    expect(client.socket.writableLength).toBeGreaterThan(0);
    go.resolve();
    expect(await client.until(/read/)).toContain(`{"read":${bytes}}`);
  });

  it('may be given up: the rest is dropped and the connection goes on', async () => {
    const { port } = await openDoor([
      counts,
      {
        method: 'POST',
        path: '/first',
        answer: async ({ input }) => {
          const reader = input.body.stream().getReader();
          const { value } = await reader.read();
          await reader.cancel();
          return jsonResponse(Buffer.from(value ?? []).toString());
        },
      },
    ]);
    const client = await rawClient(port);
    client.send(`${post('/first', 'Content-Length: 5')}ab`);
    await client.until(/"ab"/);
    client.send(`cde${post('/count', 'Content-Length: 2')}xy`);
    expect(await client.until(/bytes/)).toContain('{"bytes":2}');
  });

  it('errors when the client goes away', async () => {
    const outcome = deferred<unknown>();
    const first = deferred<void>();
    const { port } = await openDoor([
      {
        method: 'POST',
        path: '/cut',
        answer: async ({ input }) => {
          const reader = input.body.stream().getReader();
          await reader.read();
          first.resolve();
          await reader.read().catch(outcome.resolve);
          return jsonResponse(0);
        },
      },
    ]);
    const client = await rawClient(port);
    client.send(`${post('/cut', 'Content-Length: 10')}abc`);
    await first.promise;
    client.socket.destroy();
    expect(await outcome.promise).toMatchObject({ status: 400 });
  });

  it('is empty for a request without a body, and refuses encodings', async () => {
    const { url } = await openDoor([
      { method: 'POST', path: '/echo', answer: (call) => echo(call).catch(toProblem) },
    ]);
    expect(await (await fetch(`${url}/echo`, { method: 'POST' })).json()).toBe('');
    const headers = { 'content-encoding': 'br' };
    expect((await fetch(`${url}/echo`, { method: 'POST', body: 'x', headers })).status).toBe(415);
  });
});
