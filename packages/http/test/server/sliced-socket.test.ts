import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { jsonResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../deferred.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

const head = (path: string): string => `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const end = '0\r\n\r\n';
/** A body with a byte in each chunk. */
const crumbs = (bytes: number): string => chunk('x').repeat(bytes) + end;
const here = 'GET /here HTTP/1.1\r\nHost: a\r\n\r\n';

const routes: readonly FakeRoute[] = [
  { method: 'GET', path: '/here', answer: () => jsonResponse('here') },
  {
    method: 'POST',
    path: '/length',
    answer: async ({ input }) => jsonResponse((await input.body.read(1_000_000)).length),
  },
  {
    method: 'GET',
    path: '/socket',
    maxMessageBytes: 1_000,
    accept: (peer) => void peer.onMessage((message) => peer.send(`back ${String(message)}`)),
  },
];

describe('a connection whose bodies come in chunks', () => {
  it.each([
    // 512 of them count 1 MiB; the slice that passes that is parsed to its end. Turns as they are counted here may be two.
    ['from the start', '', 700],
    ['behind a large chunk', chunk('x'.repeat(100_000)), 2_731],
  ])(
    'is parsed in slices, as many in a turn of the event loop as others leave: crumbs %s',
    async (_, first, inSlice) => {
      verifies('http.body.slices');
      let [inTurn, most] = [0, 0];
      const listener: RequestListener = (req, res) => {
        let length = 0;
        req
          .on('data', (piece: Buffer) => {
            if (inTurn === 0)
              setImmediate(() => {
                inTurn = 0;
              });
            most = Math.max(most, ++inTurn);
            length += piece.length;
          })
          .on('end', () => res.end(`${length} bytes.`));
      };
      const { port } = await openDoor([], { listener });
      const clients = await Promise.all(Array.from({ length: 8 }, () => rawClient(port)));
      for (const client of clients) client.send(`${head('/')}\r\n${first}${crumbs(20_000)}`);
      for (const client of clients) await client.until(/20000 bytes\./);
      expect(most).toBeGreaterThan(500);
      expect(most).toBeLessThan(4 * (512 + inSlice));
    },
  );

  it('answers what is sent ahead in its order, whoever is slow', async () => {
    const go = deferred<void>();
    const slow: FakeRoute = {
      method: 'GET',
      path: '/slow',
      answer: async () => {
        await go.promise;
        return jsonResponse('slow');
      },
    };
    const { port } = await openDoor([...routes, slow]);
    const client = await rawClient(port);
    const ahead = 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n';
    client.send(`${ahead}${here}${head('/length')}\r\n${crumbs(3_000)}${here}`);
    // What comes meanwhile is parsed behind it.
    await nextTurn();
    client.send(`${head('/length')}\r\n${crumbs(5)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(client.received).toBe('');
    go.resolve();
    await client.until(/\r\n5$/);
    const bodies = client.received.split(/HTTP\/1\.1 200 OK[\s\S]*?\r\n\r\n/).slice(1);
    expect(bodies).toEqual(['"slow"', '"here"', '3000', '"here"', '5']);
  });

  it('goes on, whatever comes behind', async () => {
    const { port } = await openDoor(routes);
    const client = await rawClient(port);
    client.send(`${head('/length')}\r\n${chunk('x'.repeat(300_000))}0\r\nTrailer: here\r\n\r\n`);
    await client.until(/300000$/);
    client.send(
      `POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n${'y'.repeat(200_000)}${here}`,
    );
    await client.until(/200000[\s\S]*"here"$/);
    client.send(`${head('/length')}Expect: 100-continue\r\n\r\n`);
    await client.until(/100 Continue\r\n\r\n$/);
    client.send(crumbs(9));
    await client.until(/\r\n9$/);
    client.send('GET /socket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\n');
    // A message comes with the head.
    const message = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]);
    client.send(
      Buffer.concat([
        Buffer.from('Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'),
        message,
      ]),
    );
    await client.until(/101 Switching Protocols[\s\S]*back hi$/);
  });

  it('ends as its client ends it', async () => {
    const { port } = await openDoor(routes);
    const whole = await rawClient(port);
    whole.socket.end(`${head('/length')}Connection: close\r\n\r\n${crumbs(10_000)}`);
    expect(await whole.closed()).toMatch(/\r\n10000$/);
    const cut = await rawClient(port);
    cut.socket.end(`${head('/length')}\r\n${chunk('x').repeat(10_000)}`);
    expect(await cut.closed()).toMatch(/^(HTTP\/1.1 400 [\s\S]*)?$/);
    const junk = await rawClient(port);
    junk.send(`${head('/length')}\r\n${chunk('x').repeat(10_000)}junk\r\n`);
    expect(await junk.closed()).toMatch(/^(HTTP\/1.1 400 [\s\S]*)?$/);
  });

  it('is read no further than its reader reads', async () => {
    const reached = deferred<void>();
    const read: RequestListener = (req, res) => {
      let length = 0;
      req
        .on('data', (piece: Buffer) => {
          if (length === 0) {
            req.pause();
            reached.resolve();
          }
          length += piece.length;
        })
        .on('end', () => res.end(`${length} bytes.`));
      void go.promise.then(() => req.resume());
    };
    const go = deferred<void>();
    const { port } = await openDoor([], { listener: read });
    const client = await rawClient(port);
    const mebibyte = 1_048_576;
    const body = chunk('x'.repeat(mebibyte)).repeat(64);
    client.send(`${head('/')}\r\n${body}${end}`);
    await reached.promise;
    await new Promise((resolve) => setTimeout(resolve, 100));
    // Kernels hold some megabytes.
    expect(client.socket.writableLength).toBeGreaterThan(32 * mebibyte);
    go.resolve();
    await client.until(new RegExp(`${64 * mebibyte} bytes\\.`));
  });

  it('is parsed no faster where nobody reads its bodies', async () => {
    verifies('http.body.slices');
    const sockets = new Set<Socket>();
    const { port } = await openDoor([], {
      listener: ({ socket }, res) => {
        sockets.add(socket);
        res.end('unread');
      },
    });
    const clients = await Promise.all(Array.from({ length: 8 }, () => rawClient(port)));
    for (const client of clients) client.send(`${head('/')}\r\n`);
    for (const client of clients) await client.until(/unread/);
    const read = (): number => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    let [before, most] = [read(), 0];
    let watch = setImmediate(function look() {
      most = Math.max(most, read() - before);
      before = read();
      watch = setImmediate(look);
    });
    onTestFinished(() => clearImmediate(watch));
    for (const client of clients) client.send(`${crumbs(60_000)}${here}`);
    for (const client of clients) await client.until(/unread[\s\S]*unread/);
    // Each of them at once what node reads at once, and no more before that is parsed.
    expect(most).toBeLessThanOrEqual(clients.length * 65_536);
  });

  it('is no way past the last answer of a connection', async () => {
    const begun: string[] = [];
    const listener: RequestListener = (req, res) => {
      begun.push(req.url ?? '');
      if (req.url === '/last') res.setHeader('connection', 'close');
      setTimeout(() => res.end('answer'), 20);
    };
    const { port } = await openDoor([], { listener });
    const client = await rawClient(port);
    client.send(`GET /last HTTP/1.1\r\nHost: a\r\n\r\n${head('/behind')}\r\n${crumbs(1)}`);
    expect((await client.closed()).match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(begun).toEqual(['/last']);
  });

  it('is no way past a refusal that ends a connection', async () => {
    const small: FakeRoute = {
      method: 'POST',
      path: '/small',
      answer: async ({ input }) => jsonResponse((await input.body.read(10)).length),
    };
    const { port, dispatcher } = await openDoor([...routes, small]);
    const client = await rawClient(port);
    const refused = `POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n${'x'.repeat(20)}`;
    client.send(`${refused}${head('/length')}\r\n${crumbs(1)}`);
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 413 /);
    expect(dispatcher.calls.map(({ route }) => route.path)).not.toContain('/length');
  });

  it('takes nothing while its client takes no answer, whatever it sends then', async () => {
    const { port } = await openDoor([], {
      listener: (req, res) => {
        req.resume();
        if (req.url === '/') res.end(Buffer.alloc(12_000_000));
        if (req.url === '/other') res.end('other');
      },
    });
    const client = await rawClient(port);
    client.socket.pause();
    client.send(`${head('/')}\r\n${crumbs(1)}`);
    const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
    await turn();
    // Node halts it at the request, and a malformed one ends it.
    client.send(`${here}\x01\r\n`);
    await turn();
    client.send('more');
    await turn();
    client.socket.resume();
    // A slow one is cut before it has all of it.
    expect((await client.closed()).slice(0, 12)).toBe('HTTP/1.1 200');
    const other = await rawClient(port);
    other.send(here.replace('/here', '/other'));
    await other.until(/other$/);
  });

  it('is handed over with what was not parsed', async () => {
    const owner = await openDoor(routes);
    const worker = await openDoor([{ ...(routes[1] as FakeRoute), path: '/mine' }], {
      handOver: {
        wants: ({ url }) => url === '/length',
        give: (connection) => void setImmediate(() => owner.adopt(connection)),
      },
    });
    const client = await rawClient(worker.port);
    client.send(`${head('/mine')}\r\n${crumbs(3_000)}`);
    await client.until(/\r\n3000$/);
    client.send(`${head('/length')}\r\n${crumbs(20_000)}${here}`);
    await client.until(/20000[\s\S]*"here"$/);
  });
});

describe('a request in chunks with more than 100 headers', () => {
  it.each([100, 101, 900])(
    'is refused, and what is behind it is no request of its own: %i',
    async (count) => {
      const { port } = await openDoor(routes);
      const client = await rawClient(port);
      const headers = 'a:b\r\n'.repeat(count - 2);
      client.send(`POST /length HTTP/1.1\r\nHost: a\r\n${headers}Transfer-Encoding: chunked\r\n\r\n`);
      client.send(`${chunk(here)}${end}`);
      if (count === 100) {
        await client.until(new RegExp(`200 OK[\\s\\S]*${here.length}$`));
        return;
      }
      const answer = await client.closed();
      expect(answer).toMatch(/^HTTP\/1\.1 431 /);
      expect(answer).toContain('there are more than 100 headers');
      expect(answer).not.toContain('"here"');
    },
  );

  it('leaves what was sent ahead of it its answer', async () => {
    const { port } = await openDoor(routes);
    const client = await rawClient(port);
    client.send(`${here}${head('/length')}${'a:b\r\n'.repeat(200)}\r\n${crumbs(3)}`);
    await once(client.socket, 'data');
    expect(await client.closed()).toMatch(/"here"/);
  });
});
