import { verifies } from '@waymark/contract/testing';
import { camera } from '@waymark/device-hub';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveHub as serveDoor } from './hub-door.ts';
import { picture } from './hub-pictures.ts';
import { type HubReader, openReader } from './hub-reader.ts';
import { type ServedHub, serveHub } from './hub-served.ts';
import { openSocket } from './hub-socket.ts';
import { openRaw, wsFrame } from './hub-wire.ts';
import { ask, Connection, handshake, toBytes } from './wire/connection.ts';

const stream = '/devices/door/stream';
const scene = { bytes: 200_000, fps: 20 } as const;

async function served(): Promise<ServedHub> {
  const hub = await serveHub();
  onTestFinished(() => hub.close());
  return hub;
}

async function watching({ port }: ServedHub): Promise<HubReader> {
  const reader = openReader({ port, target: stream });
  onTestFinished(() => reader.vanish());
  await reader.until(({ hello }) => hello !== undefined);
  return reader;
}

/** The pong of a receipt: they are numbered from 0. */
function receipt(number: number): Buffer {
  const payload = Buffer.alloc(6);
  payload.writeUIntBE(number, 0, 6);
  return wsFrame(0xa, payload);
}

/** Sends something for as long as a film lasts. */
async function during(film: Promise<void>, send: () => void): Promise<void> {
  let over = false;
  const end = film.finally(() => {
    over = true;
  });
  while (!over) {
    send();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await end;
}

/** Whatever others do, a healthy reader is sent nearly everything, and told of the rest. @param share of all, at least */
function expectUndisturbed(reader: HubReader, published: number, share = 0.9): void {
  expect(reader.frames.length + reader.told).toBe(published);
  expect(reader.frames.length).toBeGreaterThan(share * published);
}

describe('a reader that confirms what it has not read', () => {
  it('gains nothing: one frame waits for it in memory, and others see theirs', async () => {
    verifies('event.stream.never-buffered');
    const hub = await served();
    const healthy = await watching(hub);
    const liars = await Promise.all(Array.from({ length: 5 }, () => openRaw(hub.port, stream, [])));
    for (const { socket } of liars) socket.pause();
    let next = 0;
    await during(hub.film({ ...scene, seconds: 6 }), () => {
      // Early, late, twice, far in the future, and of the wrong length.
      const numbers = [next, next + 1, next + 2, next - 20, 2 ** 48 - 1].filter((number) => number >= 0);
      const forged = Buffer.concat([
        ...numbers.map(receipt),
        wsFrame(0xa, Buffer.alloc(5)),
        wsFrame(0xa, Buffer.alloc(125, 0xff)),
      ]);
      for (const liar of liars) liar.send(forged);
      next = (next + 1) % 100;
    });
    await healthy.until(({ frames }) => frames.at(-1)?.seq === hub.published);
    expectUndisturbed(healthy, hub.published);
    expect(hub.mostHeldBack / scene.bytes).toBeLessThan(1.1);
    for (const liar of liars) liar.close();
  });

  it('and floods the hub with pongs, or with words, does not hold anybody up', async () => {
    const hub = await served();
    const healthy = await watching(hub);
    const [pongs, words] = [await openRaw(hub.port, stream, []), await openRaw(hub.port, stream, [])];
    const floods: readonly (readonly [Connection, Buffer])[] = [
      [pongs, Buffer.concat(Array.from({ length: 500 }, (_, i) => receipt(i)))],
      [words, Buffer.concat(Array.from({ length: 500 }, () => wsFrame(0x1, Buffer.from('hello?'))))],
    ];
    await during(hub.film({ ...scene, seconds: 3 }), () => {
      for (const [connection, bytes] of floods)
        if (connection.socket.writableLength < 1_000_000) connection.send(bytes);
    });
    await healthy.until(({ frames }) => frames.at(-1)?.seq === hub.published);
    // The floods are made in this process, too: on a busy machine three times as much is lost to that.
    expectUndisturbed(healthy, hub.published, 0.7);
    for (const [connection] of floods) connection.close();
  });
});

describe('readers that storm', () => {
  it('in and out leave nothing behind, and disturb nobody who stays', async () => {
    const hub = await served();
    const healthy = await watching(hub);
    const film = hub.film({ bytes: 50_000, fps: 20, seconds: 3 });
    for (let wave = 0; wave < 10; wave++) {
      const readers = Array.from({ length: 50 }, () => openReader({ port: hub.port, target: stream }));
      // Some are gone before they were let in.
      for (const reader of readers.slice(25)) reader.vanish();
      await Promise.all(
        readers.slice(0, 25).map((reader) => reader.until(({ hello }) => hello !== undefined)),
      );
      for (const reader of readers) reader.vanish();
    }
    await film;
    await healthy.until(({ frames }) => frames.at(-1)?.seq === hub.published);
    expect(healthy.frames.length + healthy.told).toBe(hub.published);
    await expect.poll(() => hub.sockets).toBe(1);
  });

  it('the last places get them, not one too many, and free them again', async () => {
    const { url, port, listing, send } = await serveDoor([camera('door')], { maxViewersPerDevice: 5 });
    await send('POST', '/devices/door/frames', picture());
    for (let round = 0; round < 3; round++) {
      const opened = await Promise.all(
        Array.from({ length: 40 }, () => openSocket(url, stream).catch(() => undefined)),
      );
      const greeted = await Promise.all(
        opened.map(async (socket) => {
          const isIn = await socket?.next().then(
            () => true,
            () => false,
          );
          return isIn ? socket : undefined;
        }),
      );
      const inside = greeted.filter((socket) => socket !== undefined);
      expect(inside).toHaveLength(5);
      expect(await listing()).toMatchObject([{ subscribers: 5 }]);
      const refused = await ask(port, { target: stream, headers: [...handshake, ['x-api-key', 'reader']] });
      expect(refused.status).toBe(429);
      for (const socket of inside) socket.close();
      await expect.poll(listing).toMatchObject([{ subscribers: 0 }]);
    }
  });
});

describe('readers of motion JPEG', () => {
  it('that stall hold one part back each, and give their place back when they go', async () => {
    const { port, send, listing } = await serveDoor([camera('door', { maxFps: 1_000 })]);
    await send('POST', '/devices/door/frames', picture(500_000));
    const stalled = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const connection = await openMjpeg(port);
        connection.socket.pause();
        return connection;
      }),
    );
    await expect.poll(listing).toMatchObject([{ subscribers: 20 }]);
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 60; i++) await send('POST', '/devices/door/frames', picture(500_000));
    // Sent on to each they would be 600 MB; each may hold one part, and the ring eight. The rest is what was sent here, and
    // is not collected yet.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200 * 1_048_576);
    const live = await send('GET', '/devices/door/latest');
    expect(live.headers.get('x-frame-seq')).toBe('61');
    for (const connection of stalled) connection.close();
    await expect.poll(listing).toMatchObject([{ subscribers: 0 }]);
  });
});

async function openMjpeg(port: number): Promise<Connection> {
  const connection = await Connection.open(port);
  connection.send(toBytes({ target: '/devices/door/stream.mjpeg', headers: [['x-api-key', 'reader']] }));
  await connection.rest();
  return connection;
}
