import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { HTTPError } from '@waymark/contract';
import type { OutboundRequest } from '@waymark/contract/http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOutbound, type OutboundOptions } from '../../src/index.ts';
import { deferred } from '../deferred.ts';

async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const upstream = (listener: RequestListener): Promise<string> => listening(createHttpServer(listener));

function client(options?: OutboundOptions) {
  const outbound = createOutbound(options);
  onTestFinished(() => outbound.close());
  return (url: string, more: Partial<OutboundRequest> = {}) =>
    outbound.request({
      method: 'GET',
      url,
      timeoutMs: 5000,
      maxBytes: Number.POSITIVE_INFINITY,
      allow: 'declared',
      signal: new AbortController().signal,
      ...more,
    });
}

const textOf = (body: ReadableStream<Uint8Array>): Promise<string> => new Response(body).text();

/** A body of pieces that come when they are asked for, this many milliseconds apart. */
function slowly(
  pieces: number,
  ms: number,
  onCancel: (reason: unknown) => void = () => {},
): ReadableStream<Uint8Array> {
  let left = pieces;
  return new ReadableStream(
    {
      async pull(controller) {
        if (left-- === 0) return controller.close();
        await new Promise((resolve) => setTimeout(resolve, ms));
        controller.enqueue(Buffer.from('piece;'));
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  );
}

describe('whoever asked', () => {
  /** What is told of an answer whose headers have come. */
  async function toldOf(
    listener: RequestListener,
    end: (body: ReadableStream<Uint8Array>, abort: AbortController) => Promise<unknown>,
  ): Promise<readonly number[]> {
    const told: number[] = [];
    const abort = new AbortController();
    const request = client({ idleTimeoutMs: 50 });
    const onBreak = ({ status }: HTTPError): void => void told.push(status);
    const { body } = await request(await upstream(listener), { signal: abort.signal, onBreak });
    await end(body, abort).catch(() => {});
    return told;
  }
  const half: RequestListener = (_, res) => void res.writeHead(200, { 'content-length': 10 }).write('half');
  const broken: RequestListener = (_, res) => {
    res.writeHead(200, { 'content-length': 10 }).write('half', () => res.destroy());
  };

  it('is told that an answer broke off, or stopped', async () => {
    expect(await toldOf(broken, textOf)).toEqual([502]);
    expect(await toldOf(half, textOf)).toEqual([504]);
  });

  it('is not told of what ended well, or was ended by whoever reads', async () => {
    expect(await toldOf((_, res) => void res.end('whole'), textOf)).toEqual([]);
    expect(await toldOf(half, (body) => body.cancel())).toEqual([]);
    const leave = async (body: ReadableStream<Uint8Array>, abort: AbortController): Promise<void> => {
      abort.abort(new HTTPError(503, 'over'));
      await textOf(body);
    };
    expect(await toldOf(half, leave)).toEqual([]);
  });
});

describe('the time to the headers', () => {
  it('begins anew with each piece of a body', async () => {
    const url = await upstream((req, res) => void req.pipe(res));
    // All pieces together take longer than the time there is, no one of them does.
    const { body } = await client()(url, { method: 'POST', body: slowly(8, 100), timeoutMs: 400 });
    expect(await textOf(body)).toBe('piece;'.repeat(8));
    const deaf = await upstream((req) => void req.resume());
    await expect(
      client()(deaf, { method: 'POST', body: slowly(3, 10), timeoutMs: 200 }),
    ).rejects.toMatchObject({
      status: 504,
    });
  });

  it('goes by while the connection is still being made', async () => {
    // Never calls back: no address is ever found.
    const request = client({ lookup: () => {} });
    await expect(request('http://nowhere.example/', { timeoutMs: 20 })).rejects.toMatchObject({
      status: 504,
      message: 'http://nowhere.example took too long to answer',
    });
  });
});

describe('the time between two pieces of an answer', () => {
  it('is that of the request, where it has one', async () => {
    const url = await upstream((_req, res) => void res.write('part'));
    const { body } = await client({ idleTimeoutMs: 60_000 })(url, { idleTimeoutMs: 20 });
    await expect(textOf(body)).rejects.toMatchObject({ status: 504 });
  });

  it('stands still while nobody reads', async () => {
    const url = await upstream((_req, res) => void res.end(Buffer.alloc(3_000_000)));
    const { body } = await client()(url, { idleTimeoutMs: 50 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await new Response(body).arrayBuffer()).byteLength).toBe(3_000_000);
  });
});

describe('a signal', () => {
  it('ends a request whose connection is still being made', async () => {
    const { signal, abort } = (() => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: () => controller.abort(new Error('enough')) };
    })();
    const pending = client({ lookup: () => {} })('http://nowhere.example/', { signal });
    abort();
    await expect(pending).rejects.toThrow('enough');
  });

  it('ends an answer that drips, and never pauses for long', async () => {
    const dropped = deferred<void>();
    const url = await upstream((_req, res) => {
      const drip = setInterval(() => res.write('.'), 5);
      res.once('close', () => {
        clearInterval(drip);
        dropped.resolve();
      });
    });
    const controller = new AbortController();
    const { body } = await client()(url, { signal: controller.signal, idleTimeoutMs: 10_000 });
    const reader = body.getReader();
    for (let i = 0; i < 5; i++) expect((await reader.read()).done).toBe(false);
    controller.abort(new Error('too late'));
    await expect(reader.closed).rejects.toThrow('too late');
    await dropped.promise;
  });

  it('that has fired already keeps a request from being made', async () => {
    let asked = false;
    const url = await upstream((_req, res) => {
      asked = true;
      res.end();
    });
    await expect(client()(url, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
    expect(asked).toBe(false);
  });
});

describe('a streamed body', () => {
  it('is cancelled when the request fails, and when the answer is complete before it', async () => {
    const cancelled = deferred<void>();
    const reset = await upstream((req) => void req.once('data', () => req.socket.resetAndDestroy()));
    const body = slowly(1000, 1, () => cancelled.resolve());
    await expect(client()(reset, { method: 'POST', body })).rejects.toMatchObject({ status: 502 });
    await cancelled.promise;

    const early = await listening(
      createServer((socket) => {
        socket.once('data', () => socket.write('HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno'));
      }),
    );
    const answered = deferred<void>();
    const endless = slowly(Number.POSITIVE_INFINITY, 1, () => answered.resolve());
    const answer = await client()(early, { method: 'POST', body: endless });
    expect([answer.status, await textOf(answer.body)]).toEqual([413, 'no']);
    await answered.promise;
  });

  it('that fails is why the request fails, and the upstream sees that it is not whole', async () => {
    const cut = deferred<boolean>();
    const url = await upstream((req) => {
      req
        .on('error', () => {})
        .on('close', () => cut.resolve(!req.complete))
        .resume();
    });
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('part')),
      async pull() {
        await new Promise((resolve) => setTimeout(resolve, 50));
        throw new TypeError('no more');
      },
    });
    await expect(client()(url, { method: 'POST', body })).rejects.toMatchObject({
      status: 502,
      cause: { message: 'no more' },
    });
    expect(await cut.promise).toBe(true);
  });

  it('of another length than was told is not sent as if it were whole', async () => {
    const url = await upstream((req, res) => void req.pipe(res));
    for (const length of ['3', '30'])
      await expect(
        client()(url, { method: 'POST', body: slowly(2, 1), headers: { 'content-length': length } }).then(
          ({ body }) => textOf(body),
        ),
      ).rejects.toMatchObject({ status: 502 });
  });
});

describe('an answer', () => {
  it('without content leaves its connection to the next request', async () => {
    let connections = 0;
    const server = createHttpServer((req, res) => void res.writeHead(Number(req.url?.slice(1))).end());
    server.on('connection', () => {
      connections++;
    });
    const url = await listening(server);
    const request = client();
    for (const status of [204, 304, 204]) {
      const { body } = await request(`${url}/${status}`);
      await body.cancel();
      // A connection is lent again in the next turn.
      await setImmediate();
    }
    expect(connections).toBe(1);
  });

  it('is read no faster than somebody takes it', async () => {
    let written = 0;
    const url = await upstream((_req, res) => {
      const piece = Buffer.alloc(65_536);
      const write = (): void => {
        while (written < 300_000_000) {
          written += piece.length;
          if (!res.write(piece)) return void res.once('drain', write);
        }
      };
      write();
    });
    const { body } = await client()(url);
    for (let before = -1; before !== written; ) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(written).toBeLessThan(50_000_000);
    await body.cancel();
  });

  it('is the final one, whatever was said before it', async () => {
    const url = await upstream((_req, res) => {
      res.writeEarlyHints({ link: '</a.css>; rel=preload' });
      res.writeProcessing();
      res.end('final');
    });
    const { status, body } = await client()(url);
    expect([status, await textOf(body)]).toEqual([200, 'final']);
  });
});

describe('an upstream that never comes to its answer', () => {
  /** Writes a beginning, then a piece again and again, as fast as it is taken. */
  async function endless(beginning: string, piece: string) {
    let written = 0;
    const url = await listening(
      createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => {
          socket.write(beginning);
          const write = (): void => {
            let more = !socket.destroyed;
            while (more && written < 50_000_000) {
              written += piece.length;
              more = socket.write(piece);
            }
            if (!socket.destroyed) socket.once('drain', write);
          };
          write();
        });
      }),
    );
    return { url, written: () => written };
  }
  const hint = `HTTP/1.1 103 Early Hints\r\nlink: ${'x'.repeat(8_000)}\r\n\r\n`;

  it.each([
    ['Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['Early Hints', hint],
  ])('but says %s for ever is 502', async (_, piece) => {
    const { url, written } = await endless('', piece);
    await expect(client()(url, { timeoutMs: 60_000 })).rejects.toMatchObject({ status: 502 });
    // Beyond what is passed over, the buffers of two kernels.
    expect(written()).toBeLessThan(50_000_000);
  });

  it('is waited for through 256 KB of interim answers', async () => {
    const url = await listening(
      createServer((socket) => {
        socket.once('data', () => {
          for (let i = 0; i < Math.floor(262_144 / hint.length); i++) socket.write(hint);
          socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        });
      }),
    );
    expect(await textOf((await client()(url)).body)).toBe('ok');
  });

  it('but makes a chunk extension for ever is given up', async () => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;a=';
    const { url } = await endless(head, 'x'.repeat(60_000));
    const { body } = await client()(url, { timeoutMs: 60_000, idleTimeoutMs: 300 });
    await expect(textOf(body)).rejects.toMatchObject({ status: 504 });
  });
});

describe('a connection that the other side closes the moment it is used again', () => {
  /** Answers the first request of each connection, and closes in the face of the second. */
  async function closing(end: (socket: Socket) => void) {
    const lines: string[] = [];
    const url = await listening(
      createServer((socket) => {
        let answered = false;
        socket.on('data', (chunk: Buffer) => {
          lines.push(chunk.toString('latin1').split(' HTTP', 1)[0] ?? '');
          if (answered) end(socket);
          else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
          answered = true;
        });
      }),
    );
    return { url, lines };
  }
  const ends: readonly (readonly [string, (socket: Socket) => void])[] = [
    ['ended', (socket) => void socket.end()],
    ['reset', (socket) => void socket.resetAndDestroy()],
  ];

  it.each(ends)('and which is %s does not matter to a safe request', async (_, end) => {
    const { url, lines } = await closing(end);
    const request = client();
    // Several connections are kept, and none of them will do.
    const first = await Promise.all([request(url), request(url), request(url)]);
    for (const { body } of first) await textOf(body);
    await setImmediate();
    for (const method of ['GET', 'GET', 'HEAD', 'GET']) {
      const { status, body } = await request(url, { method });
      expect([status, await textOf(body)]).toEqual([200, method === 'HEAD' ? '' : 'ok']);
      await setImmediate();
    }
    expect(lines.length).toBeGreaterThan(3 + 4);
  });

  it.each(ends)('and which is %s is 502 to a request that may have done something', async (_, end) => {
    const { url, lines } = await closing(end);
    const request = client();
    await textOf((await request(url)).body);
    // Undici learns a little later than we that the answer is complete, and the connection free.
    await setImmediate();
    await expect(request(url, { method: 'POST' })).rejects.toMatchObject({ status: 502 });
    expect(lines).toEqual(['GET /', 'POST /']);
  });

  it('is tried once more, not for ever, and within the same time', async () => {
    let asked = 0;
    const url = await listening(createServer((socket) => socket.once('data', () => asked++ && socket.end())));
    await expect(client()(url, { timeoutMs: 300 })).rejects.toMatchObject({ status: 504 });
    expect(asked).toBe(1);
    await expect(client()(url)).rejects.toMatchObject({ status: 502 });
    expect(asked).toBe(3);
  });
});

describe('a transfer coding that nobody asked for', () => {
  it('is 502: the bytes would not be those of the answer', async () => {
    const url = await listening(
      createServer((socket) =>
        socket.once('data', () =>
          socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'),
        ),
      ),
    );
    await expect(client()(url)).rejects.toMatchObject({ status: 502 });
  });
});
