import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonResponse } from '@waymark/contract/engine';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { takeConnection } from '../../src/server/hand-over.ts';
import { SlicedSocket } from '../../src/server/sliced-socket.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

const head = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const end = '0\r\n\r\n';

/** Bytes in chunks of a size. */
function chunked(bytes: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from(end)]);
}

function hashOf(...pieces: Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

const routes: readonly FakeRoute[] = [
  {
    method: 'POST',
    path: '/whole',
    answer: async ({ input }) => jsonResponse(hashOf(await input.body.read(10_000_000))),
  },
  {
    method: 'POST',
    path: '/stream',
    answer: async ({ input }) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of input.body.stream()) pieces.push(piece);
      return jsonResponse(hashOf(...pieces));
    },
  },
];

/** Whoever is told of a body keeps what it is told. */
const keepers: Readonly<Record<string, (req: IncomingMessage) => Promise<readonly Buffer[]>>> = {
  'as it comes': (req) =>
    new Promise((resolve) => {
      const pieces: Buffer[] = [];
      req.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => resolve(pieces));
    }),
  'with a pause behind each fifth': (req) =>
    new Promise((resolve) => {
      const pieces: Buffer[] = [];
      req
        .on('data', (piece: Buffer) => {
          if (pieces.push(piece) % 5 > 0) return;
          req.pause();
          setTimeout(() => req.resume(), pieces.length % 2);
        })
        .on('end', () => resolve(pieces));
    }),
  'one after the other': async (req) => {
    const pieces: Buffer[] = [];
    for await (const piece of req) pieces.push(piece as Buffer);
    return pieces;
  },
  late: async (req) => {
    await sleep(50);
    const pieces: Buffer[] = [];
    for await (const piece of req) pieces.push(piece as Buffer);
    return pieces;
  },
};

describe('what was read of a body in chunks', () => {
  it.runIf('transfer' in ArrayBuffer.prototype)('is given back once it is parsed', async () => {
    const { transfer } = ArrayBuffer.prototype;
    let given = 0;
    const spy = vi.spyOn(ArrayBuffer.prototype, 'transfer').mockImplementation(function (
      this: ArrayBuffer,
      length,
    ) {
      // Not the blocks that it is copied to.
      if (this.byteLength <= 65_536) given += this.byteLength;
      return transfer.call(this, length);
    });
    onTestFinished(() => spy.mockRestore());
    const { port } = await openDoor(routes);
    const bytes = randomBytes(8_000_000);
    for (const size of [100, 5_000, 65_536]) {
      given = 0;
      const client = await rawClient(port);
      client.send(head('/whole'));
      client.send(chunked(bytes, size));
      expect(await client.until(/"[0-9a-f]{64}"$/)).toContain(hashOf(bytes));
      expect(given).toBeGreaterThan(0.9 * bytes.length);
    }
  });

  it.each([10, 700, 20_000, 65_536, 400_000])(
    'is left to whoever keeps a piece of it: chunks of %i bytes',
    async (size) => {
      const listener: RequestListener = (req, res) => {
        const keep = keepers[decodeURIComponent(req.url?.slice(1) ?? '')];
        void keep?.(req).then((pieces) => res.end(hashOf(...pieces)));
      };
      const { port } = await openDoor(routes, { listener });
      const bytes = randomBytes(size < 100 ? 100_000 : 2_000_000);
      const paths = ['whole', 'stream', ...Object.keys(keepers)];
      await Promise.all(
        paths.map(async (path) => {
          const door = path in keepers ? port : (await openDoor(routes)).port;
          const client = await rawClient(door);
          client.send(head(`/${encodeURIComponent(path)}`));
          client.send(chunked(bytes, size));
          expect([path, await client.until(/[0-9a-f]{64}"?$/)]).toEqual([
            path,
            expect.stringContaining(hashOf(bytes)),
          ]);
        }),
      );
    },
  );

  // A slice is 4 KiB: the frame lies in the same as the upgrade, begins in it, or behind it.
  it.each([500, 3_500, 4_096])('is left to a socket that begins in the middle of it, at %i', async (at) => {
    const socket: FakeRoute = {
      method: 'GET',
      path: '/socket',
      maxMessageBytes: 100_000,
      accept: (peer) => void peer.onMessage((message) => void sleep(20).then(() => peer.send(message))),
    };
    const { port } = await openDoor([...routes, socket]);
    const client = await rawClient(port);
    const text = 'abcdefgh'.repeat(125);
    const frame = Buffer.concat([
      Buffer.from([0x82, 0xfe, text.length >> 8, text.length & 255, 0, 0, 0, 0]),
      Buffer.from(text),
    ]);
    const upgrade = (pad: string): Buffer =>
      Buffer.from(
        `${end}GET /socket HTTP/1.1\r\nHost: a\r\nX-Pad: ${pad}\r\nUpgrade: websocket\r\nConnection: upgrade\r\n` +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      );
    client.send(head('/whole'));
    await sleep(20);
    client.send(Buffer.concat([upgrade('x'.repeat(at - upgrade('').length)), frame]));
    expect(await client.until(/101 Switching[\s\S]*abcdefgh$/)).toContain(text);
  });

  it('is left to what waits because its client takes no answer', async () => {
    const large: FakeRoute = {
      method: 'POST',
      path: '/large',
      answer: () => jsonResponse('x'.repeat(12_000_000)),
    };
    const { port } = await openDoor([...routes, large]);
    const client = await rawClient(port);
    client.socket.pause();
    client.send(`${head('/large')}${end}`);
    const bytes = randomBytes(3_000);
    for (const part of [head('/whole'), chunked(bytes, 100)]) {
      await sleep(50);
      client.send(part);
    }
    await sleep(50);
    client.socket.resume();
    expect((await client.until(/"[0-9a-f]{64}"$/)).slice(-65, -1)).toBe(hashOf(bytes));
  });

  // Node's parser makes copies.
  it.each([
    ['a part of it', (slice: Buffer) => slice.subarray(1), false],
    ['a copy', (slice: Buffer) => Buffer.from(slice), 'transfer' in ArrayBuffer.prototype],
  ])('is left to pieces, should one be %s', async (_, toPiece, isGiven) => {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [accepted] = (await once(server, 'connection')) as [Socket];
    const handle = takeConnection(accepted, new Uint8Array())?.handle;
    const socket = Object.assign(new SlicedSocket(handle as object, new Uint8Array()), { parser: {} });
    onTestFinished(() => void [client.destroy(), socket.destroy()]);
    const slices: Buffer[] = [];
    let bytes = 0;
    socket.on('data', (slice: Buffer) => {
      slices.push(slice);
      bytes += slice.length;
      socket.tell(toPiece(slice));
    });
    client.write(Buffer.alloc(20_000));
    await expect.poll(() => bytes).toBe(20_000);
    await sleep(50);
    expect(slices.every(({ length }) => length === 0)).toBe(isGiven);
    expect(slices.every(({ length }) => length > 0)).toBe(!isGiven);
  });
});
