import { deflateRawSync } from 'node:zlib';
import { verifies } from '@waymark/contract/testing';
import { camera, sensor } from '@waymark/device-hub';
import { describe, expect, it } from 'vitest';
import { serveHub } from './hub-door.ts';
import { picture } from './hub-pictures.ts';
import { openReader } from './hub-reader.ts';
import { openSocket } from './hub-socket.ts';
import { closeCode, openRaw, wsFrame } from './hub-wire.ts';
import { rawClient, rawRequest } from './raw-client.ts';
import { Connection, handshake, toBytes } from './wire/connection.ts';

const frames = '/devices/door/frames';
const key = 'x-api-key: sender';

describe('a device that compresses', () => {
  it('is not offered to, and a bomb that comes all the same closes its socket', async () => {
    const { port, send } = await serveHub([camera('door')]);
    const connection = await Connection.open(port);
    const offer = ['sec-websocket-extensions', 'permessage-deflate; client_max_window_bits'] as const;
    connection.send(
      toBytes({ target: '/devices/door/ws', headers: [...handshake, ['x-api-key', 'both'], offer] }),
    );
    const answer = await connection.next();
    expect([answer?.status, answer?.headers.has('sec-websocket-extensions')]).toEqual([101, false]);
    connection.send(wsFrame(0x2, deflateRawSync(Buffer.alloc(50_000_000)), { rsv1: true }));
    await connection.closed;
    expect(closeCode(await connection.rest())).toBe(1002);
    const squeezed = await rawClient(port);
    squeezed.send(rawRequest('POST', frames, [key, 'Content-Encoding: deflate', 'Content-Length: 10']));
    expect((await squeezed.until(1))[0]?.status).toBe(415);
    squeezed.socket.destroy();
    expect((await send('POST', frames, picture())).status).toBe(202);
  });
});

describe('readings of strangers', () => {
  const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const refused = [
    ['garbage', '\0\u0001{', 'the reading is not JSON'],
    ['a key that is dangerous', '{"__proto__":{"a":1}}', /"__proto__"/],
    ['a list of one', '[{"__proto__":{"a":1}}]', /"__proto__"/],
    ['one further down', '{"a":[{"constructor":{"prototype":{}}}]}', /"constructor"/],
    ['a level too many', deep(65), 'the reading is nested deeper than 64 levels'],
    ['ten thousand levels', deep(10_000), 'the reading is nested deeper than 64 levels'],
  ] as const;

  it.each(refused)('%s: refused by request and by socket, and the next is taken', async (_, text, said) => {
    const { url, send } = await serveHub([sensor('thermo')]);
    const device = await openSocket(url, '/devices/thermo/ws');
    await device.until('ready');
    device.send(text);
    const { message } = await device.until('error');
    expect(message).toEqual(typeof said === 'string' ? said : expect.stringMatching(said));
    const posted = await send('POST', '/devices/thermo/telemetry', text);
    expect(posted.status).toBe(400);
    expect(JSON.parse(await posted.text())).toMatchObject({ detail: message });
    device.send(deep(64));
    const read = async () => JSON.parse(await (await send('GET', '/devices/thermo/telemetry')).text());
    await expect.poll(read).toMatchObject({ telemetry: { a: { a: {} } } });
    expect(({} as Readonly<Record<string, unknown>>)['a']).toBeUndefined();
  });
});

describe('bodies that are not what they say', () => {
  it('are no frames: fewer bytes than declared, or more', async () => {
    const { port, listing, send } = await serveHub([camera('door')]);
    const short = await rawClient(port);
    short.send(rawRequest('POST', frames, [key, 'Content-Length: 1000']));
    short.send(picture(999));
    short.socket.end();
    await short.closed();
    await expect.poll(listing).toMatchObject([{ frames_in: 0, frames_dropped: 1 }]);
    const long = await rawClient(port);
    long.send(rawRequest('POST', frames, [key, 'Content-Length: 33']));
    long.send(Buffer.concat([picture(33), Buffer.from('GARBAGE\r\n\r\n')]));
    // The rest is a request that nobody understands, whether its sender is told or only cut.
    const statuses = (await long.closed()).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 400)).toEqual([202]);
    const both = await rawClient(port);
    both.send(rawRequest('POST', frames, [key, 'Content-Length: 33', 'Transfer-Encoding: chunked']));
    expect((await both.closed()).map(({ status }) => status)).toEqual([400]);
    expect((await send('GET', '/devices/door/latest')).headers.get('x-frame-seq')).toBe('1');
  });

  it('that never end keep others from nothing, and no more arrive than may come in a second', async () => {
    const { port, listing, send } = await serveHub([camera('door', { maxFps: 2 }), camera('yard')]);
    const open = async () => {
      const client = await rawClient(port);
      client.send(rawRequest('POST', frames, [key, 'Content-Length: 5000000']));
      client.send(Buffer.alloc(100_000));
      return client;
    };
    const first = await open();
    // The rate lets one more in as time goes by.
    const pass = () => new Promise((resolve) => setTimeout(resolve, 1_100));
    await pass();
    const slow = [first, await open()];
    await expect.poll(async () => (await send('POST', frames, picture())).status).toBe(429);
    await pass();
    const third = await open();
    const [answer] = await third.until(1);
    expect([answer?.status, JSON.parse(answer?.body ?? '').detail]).toEqual([
      429,
      'a device sends 2 frames at a time',
    ]);
    expect((await send('POST', '/devices/yard/frames', picture())).status).toBe(202);
    for (const { socket } of [...slow, third]) socket.destroy();
    await expect.poll(async () => (await send('POST', frames, picture())).status).toBe(202);
    expect(await listing()).toMatchObject([{ name: 'door', frames_in: 1 }, { frames_in: 1 }]);
  });
});

describe('two devices by one name', () => {
  it('share its numbers and its rate, and readers see every frame once', async () => {
    verifies('limit.max-fps');
    const { url, port, listing, send } = await serveHub([camera('door', { maxFps: 20 })]);
    const reader = openReader({ port, target: '/devices/door/stream?access_token=reader' });
    await reader.until(({ hello }) => hello !== undefined);
    const [one, two] = [await openSocket(url, '/devices/door/ws'), await openSocket(url, '/devices/door/ws')];
    for (let i = 0; i < 30; i++) {
      one.send(picture(100));
      two.send(picture(200));
    }
    for (const device of [one, two]) {
      device.send('no JSON');
      await device.until('error');
    }
    const [door] = await listing();
    const taken = Number(door?.['frames_in']);
    expect(taken + Number(door?.['frames_dropped'])).toBe(60);
    expect(taken).toBeGreaterThanOrEqual(2);
    expect(taken).toBeLessThan(60);
    await reader.until(({ frames: seen, told }) => seen.length + told === taken);
    const seqs = reader.frames.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
    expect(seqs.at(-1)).toBe(taken);
    reader.vanish();
    one.close();
    await expect.poll(async () => (await send('POST', frames, picture())).status).toBe(202);
    two.send('{"lux":3}');
    await expect
      .poll(async () => JSON.parse(await (await send('GET', '/devices/door/telemetry')).text()))
      .toMatchObject({ telemetry: { lux: 3 } });
  });
});

describe('the end of a hub that is under attack', () => {
  it('comes in time, with 1001 to whoever still listens', async () => {
    const hub = await serveHub([camera('door', { maxFps: 1_000 })]);
    const { url, port, send } = hub;
    const stream = '/devices/door/stream';
    await send('POST', frames, picture(1_000_000));
    const listeners = [
      await openSocket(url, stream),
      await openSocket(url, `${stream}?frames=meta`),
      await openSocket(url, '/devices/door/ws'),
    ];
    const stalled = await Promise.all(Array.from({ length: 20 }, () => openRaw(port, stream)));
    for (const { socket } of stalled) socket.pause();
    const mjpeg = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const connection = await Connection.open(port);
        connection.send(
          toBytes({ target: '/devices/door/stream.mjpeg', headers: [['x-api-key', 'reader']] }),
        );
        await connection.rest();
        connection.socket.pause();
        return connection;
      }),
    );
    const slow = await rawClient(port);
    slow.send(rawRequest('POST', frames, [key, 'Content-Length: 5000000']));
    slow.send(Buffer.alloc(100_000));
    const fragment = await openRaw(port, '/devices/door/ws');
    fragment.send(wsFrame(0x2, Buffer.alloc(1_000), { fin: false }));
    const silent = await Connection.open(port);
    for (let i = 0; i < 30; i++) await send('POST', frames, picture(1_000_000));
    const beganMs = performance.now();
    // The timeout of this server is five seconds.
    await hub.close();
    const tookMs = performance.now() - beganMs;
    expect(await Promise.all(listeners.map(({ closed }) => closed))).toMatchObject(
      listeners.map(() => ({ code: 1001 })),
    );
    expect(hub.sockets()).toBe(0);
    expect(tookMs).toBeLessThan(3 * 5_000);
    for (const connection of [...stalled, ...mjpeg, fragment, silent]) connection.close();
    slow.socket.destroy();
  });
});
