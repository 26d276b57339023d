import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { jsonResponse } from '@waymark/contract/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { listenForOthers } from '../../src/index.ts';
import { deferred } from '../deferred.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { type OpenDoor, openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

/** Says who answers, and what body it was sent. */
function routes(name: string): readonly FakeRoute[] {
  return [
    { method: 'GET', path: '/here', answer: () => jsonResponse(name) },
    {
      method: 'POST',
      path: '/frames',
      answer: async ({ input }) =>
        jsonResponse([name, Buffer.from(await input.body.read(1_000_000)).toString('latin1')]),
    },
    {
      method: 'GET',
      path: '/socket',
      maxMessageBytes: 1_000,
      accept: (peer) => void peer.onMessage((message) => peer.send(`${name} ${String(message)}`)),
    },
  ];
}

/** A worker that hands frames and sockets over, and the owner that goes on with them. */
async function pair(): Promise<{ readonly worker: OpenDoor; readonly given: () => number }> {
  const owner = await openDoor(routes('owner'));
  let given = 0;
  const worker = await openDoor(routes('worker'), {
    handOver: {
      wants: ({ url }) => url === '/frames' || url === '/socket',
      give: (connection) => {
        given++;
        // As from another process.
        setImmediate(() => owner.adopt(connection));
      },
    },
  });
  return { worker, given: () => given };
}

const here = 'GET /here HTTP/1.1\r\nHost: a\r\n\r\n';
const head = 'POST /frames HTTP/1.1\r\nHost: a\r\n';

describe('a connection that is handed over', () => {
  it.each([
    ['a whole body', [`${head}Content-Length: 4\r\n\r\nbody`]],
    ['a body in pieces', [`${head}Content-Length: 4\r\n\r\nbo`, 'dy']],
    ['a body that comes later', [`${head}Content-Length: 4\r\n\r\n`, 'body']],
    ['chunks', [`${head}Transfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r`, '\ndy\r\n0\r\n\r\n']],
    ['a head in pieces', ['POST /fra', `mes HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody`]],
  ])('is gone on with where it was left off: %s', async (_, pieces) => {
    const { worker, given } = await pair();
    const client = await rawClient(worker.port);
    for (const piece of pieces) {
      client.send(piece);
      await new Promise(setImmediate);
    }
    await client.until(/\["owner","body"\]/);
    // It stays there.
    client.send(here);
    await client.until(/"owner"$/);
    expect(given()).toBe(1);
  });

  it('answers what was sent ahead in its order', async () => {
    const { worker } = await pair();
    const client = await rawClient(worker.port);
    client.send(`${head}Content-Length: 4\r\n\r\nbody${here}${head}Content-Length: 1\r\n\r\n!`);
    expect(await client.until(/"!"\]$/)).toMatch(
      /\["owner","body"\][\s\S]*\r\n"owner"[\s\S]*\["owner","!"\]/,
    );
  });

  it('waits for no invitation twice', async () => {
    const { worker } = await pair();
    const client = await rawClient(worker.port);
    client.send(`${head}Expect: 100-continue\r\nContent-Length: 4\r\n\r\n`);
    expect(await client.until(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.send('body');
    await client.until(/\["owner","body"\]/);
  });

  it('is handed over between two requests, and not while an answer is under way', async () => {
    const { worker, given } = await pair();
    const client = await rawClient(worker.port);
    client.send(here);
    await client.until(/"worker"$/);
    client.send(`${here}${head}Content-Length: 4\r\n\r\nbody`);
    await client.until(/"body"\]$/);
    client.send(`${head}Content-Length: 4\r\n\r\nmore`);
    await client.until(/\["owner","more"\]$/);
    expect(given()).toBe(1);
  });

  it('opens its socket there, with the messages that came at once', async () => {
    const { worker } = await pair();
    const socket = new WebSocket(`ws://127.0.0.1:${worker.port}/socket`);
    await once(socket, 'open');
    socket.send('hello');
    const [message] = (await once(socket, 'message')) as [Buffer];
    expect(String(message)).toBe('owner hello');
    socket.close();
    await once(socket, 'close');
  });
});

/** A server that another process listens for, and where that does. */
async function held(options: Parameters<typeof openDoor>[1] = {}): Promise<OpenDoor> {
  let door: OpenDoor | undefined;
  const heldAt = await listenForOthers('127.0.0.1', 0, (connection) => door?.adopt(connection));
  onTestFinished(() => heldAt.close());
  door = await openDoor(routes('held'), { ...options, heldAt });
  return door;
}

describe('a server that another process listens for', () => {
  it('answers 408 to headers that do not come', async () => {
    const { port } = await held({ requestTimeoutMs: 1 });
    const client = await rawClient(port);
    client.send('GET /here HTTP/1.1\r\n');
    expect(await client.until(/\}$/)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('hands over connections that are kept, when it retires', async () => {
    const next = await openDoor(routes('next'));
    const old = await held();
    const client = await rawClient(old.port);
    client.send(here);
    await client.until(/"held"$/);
    await old.retire((connection) => setImmediate(() => next.adopt(connection)), 5_000);
    client.send(here);
    await client.until(/"next"$/);
  });

  it('is closed when all are answered, whoever answers them', async () => {
    const reached = deferred<void>();
    const go = deferred<void>();
    // Middleware, of which the door knows nothing.
    const listener: RequestListener = (_, res) => {
      reached.resolve();
      void go.promise.then(() => res.end('late'));
    };
    const { port, close } = await held({ listener });
    const client = await rawClient(port);
    client.send('GET /elsewhere HTTP/1.1\r\nHost: a\r\n\r\n');
    await reached.promise;
    let answered = false;
    const closed = close().then(() => expect(answered).toBe(true));
    // It is quiet by then.
    setTimeout(() => {
      answered = true;
      go.resolve();
    }, 400);
    await closed;
    expect(await client.closed()).toMatch(/late/);
  });
});

describe('a server that retires', () => {
  it.each([
    ['whole', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['in slices', `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ])('keeps who has not taken an answer, with what was sent behind it: parsed %s', async (_, request) => {
    const length = 12_000_000;
    const listener: RequestListener = (req, res) =>
      void res.end(req.url === '/' ? Buffer.alloc(length, '.') : 'behind');
    const old = await openDoor([], { listener });
    const next = await openDoor([], { listener });
    const client = await rawClient(old.port);
    client.socket.pause();
    client.send(request);
    await new Promise((resolve) => setTimeout(resolve, 50));
    // Two, since node halts a connection behind the first.
    for (const _ of [1, 2]) {
      client.send('GET /behind HTTP/1.1\r\nHost: a\r\n\r\n');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const retired = old.retire((connection) => setImmediate(() => next.adopt(connection)), 5_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    client.socket.resume();
    await expect
      .poll(() => client.received.slice(-500), { timeout: 4_000 })
      .toMatch(/behindHTTP\/1\.1 200 OK[^.]*behind$/);
    expect(client.received.length).toBeGreaterThan(length);
    await retired;
  });

  it.each([
    ['whole', 'Content-Length: 2\r\n\r\n{}'],
    ['in slices', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
  ])('answers what came with a connection of another process: parsed %s', async (_, rest) => {
    const go = deferred<void>();
    const reached = deferred<void>();
    const old = await openDoor([
      {
        method: 'POST',
        path: '/slow',
        answer: async ({ input }) => {
          await input.body.read(10);
          reached.resolve();
          await go.promise;
          return jsonResponse('slow');
        },
      },
    ]);
    const first = await openDoor([], {
      handOver: {
        wants: () => true,
        give: (connection) => {
          // In its own process a handle has read nothing yet.
          Object.defineProperty(connection.handle, 'bytesRead', { value: 0 });
          setImmediate(() => old.adopt(connection));
        },
      },
    });
    const client = await rawClient(first.port);
    client.send(`POST /slow HTTP/1.1\r\nHost: a\r\n${rest}`);
    await reached.promise;
    let given = 0;
    const retired = old.retire(() => given++, 200);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(given).toBe(0);
    go.resolve();
    await client.until(/"slow"$/);
    await retired;
  });

  it('keeps what its client sends behind the last answer', async () => {
    const go = deferred<void>();
    const old = await openDoor([
      {
        method: 'GET',
        path: '/slow',
        answer: async () => {
          await go.promise;
          return jsonResponse('slow');
        },
      },
    ]);
    const socket = connect({ port: old.port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.resume().write('GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    let given = 0;
    const retired = old.retire(() => given++, 200);
    go.resolve();
    await once(socket, 'end');
    socket.write(here);
    await retired;
    expect(given).toBe(0);
  });

  it('hands over what is at rest, answers what is under way, and loses no request', async () => {
    const reached = deferred<void>();
    const go = deferred<void>();
    const next = await openDoor(routes('next'));
    const old = await openDoor([
      ...routes('old'),
      {
        method: 'GET',
        path: '/slow',
        answer: async () => {
          reached.resolve();
          await go.promise;
          return jsonResponse('slow');
        },
      },
    ]);
    const [kept, silent, partly, slow] = await Promise.all([1, 2, 3, 4].map(() => rawClient(old.port)));
    if (!kept || !silent || !partly || !slow) throw new Error('no clients');
    for (const client of [kept, partly]) {
      client.send(here);
      await client.until(/"old"$/);
    }
    partly.send('GET /he');
    slow.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await reached.promise;
    const retired = old.retire((connection) => setImmediate(() => next.adopt(connection)), 5_000);
    await expect(rawClient(old.port)).rejects.toThrow();
    kept.send(here);
    silent.send(here);
    await kept.until(/"next"$/);
    await silent.until(/"next"$/);
    // What is partly read is read to its end where it was begun.
    partly.send('re HTTP/1.1\r\nHost: a\r\n\r\n');
    await partly.until(/"old"[\s\S]*"old"$/);
    partly.send(here);
    await partly.until(/"next"$/);
    go.resolve();
    await slow.until(/"slow"$/);
    // Whatever comes before the connection is handed over is answered here, and the next one is not.
    slow.send(here);
    await slow.until(/"slow"[\s\S]*"(?:old|next)"$/);
    slow.send(here);
    await slow.until(/"next"$/);
    await retired;
    await old.close();
  });
});
