import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { RouteResponse } from '@waymark/contract/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDoor } from '../../src/index.ts';
import { deferred } from '../deferred.ts';
import { fakeDispatcher } from '../fake-dispatcher.ts';
import { keys } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

/** More than the kernels of both sides hold. */
const size = 32 * 1_048_576;
const mediaType = 'application/octet-stream';

/** A door with a large answer, whole and as a stream, and what became of the stream and the first connection. */
async function serve(clientIdleMs: number) {
  const cancelled = deferred<void>();
  const piece = new Uint8Array(1_048_576);
  const dispatcher = fakeDispatcher([
    {
      method: 'GET',
      path: '/whole',
      answer: () => new RouteResponse(200, { kind: 'bytes', bytes: new Uint8Array(size), mediaType }),
    },
    {
      method: 'GET',
      path: '/stream',
      answer: () => {
        const stream = new ReadableStream<Uint8Array>(
          { pull: (controller) => controller.enqueue(piece), cancel: () => cancelled.resolve() },
          { highWaterMark: 0 },
        );
        return new RouteResponse(200, { kind: 'stream', stream, mediaType });
      },
    },
  ]);
  const door = createDoor({ dispatcher, authenticate: keys, newId: () => 'made', clientIdleMs });
  const server = createServer(door.listener());
  const closed = deferred<void>();
  server.once('connection', (socket: Socket) => socket.once('close', () => closed.resolve()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    closed: closed.promise,
    cancelled: cancelled.promise,
  };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;

describe('a client that takes nothing of its answer', () => {
  it.each(['/whole', '/stream'])('is cut: %s', async (path) => {
    const { port, closed, cancelled } = await serve(200);
    const client = await rawClient(port);
    client.socket.pause();
    client.send(get(path));
    await closed;
    if (path === '/stream') await cancelled;
  });

  it('keeps its connection when it takes some, however long that lasts', async () => {
    const clientIdleMs = 1_000;
    const { port } = await serve(clientIdleMs);
    const { socket, send } = await rawClient(port);
    let taken = 0;
    let goal = 0;
    socket.removeAllListeners('data').on('data', (piece: Buffer) => {
      taken += piece.length;
      if (taken >= goal) socket.pause();
    });
    send(get('/whole'));
    const sinceMs = performance.now();
    while (taken < size) {
      await wait(clientIdleMs / 5);
      goal = Math.min(size, taken + 2_097_152);
      socket.resume();
      while (taken < goal) {
        if (socket.destroyed) throw new Error(`cut after ${taken} bytes`);
        await new Promise(setImmediate);
      }
    }
    expect(performance.now() - sinceMs).toBeGreaterThan(2 * clientIdleMs);
  });

  it('is left alone when it has its answer, and asks again later', async () => {
    // On a busy machine the client, too, comes to nothing for a while.
    const clientIdleMs = 2_000;
    const { port } = await serve(clientIdleMs);
    const client = await rawClient(port);
    client.socket.removeAllListeners('data');
    let received = 0;
    client.socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    client.send(get('/whole'));
    while (received < size) await once(client.socket, 'data');
    await wait(2 * clientIdleMs);
    client.send(get('/whole'));
    while (received < 2 * size) await once(client.socket, 'data');
  });
});
