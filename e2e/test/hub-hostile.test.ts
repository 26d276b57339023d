import { randomBytes } from 'node:crypto';
import { camera, sensor } from '@waymark/device-hub';
import { describe, expect, it } from 'vitest';
import { serveHub } from './hub-door.ts';
import { picture } from './hub-pictures.ts';
import { openSocket } from './hub-socket.ts';
import { closeCode, openRaw, wsFrame } from './hub-wire.ts';
import { rawClient, rawRequest } from './raw-client.ts';

const frames = '/devices/door/frames';

describe('bodies that are too large', () => {
  it('are refused by the length they declare, be it a terabyte, and not read', async () => {
    const { port, send } = await serveHub([camera('door')]);
    for (const length of ['5242881', '1000000000000', '9007199254740992']) {
      const client = await rawClient(port);
      client.send(rawRequest('POST', frames, ['x-api-key: sender', `Content-Length: ${length}`]));
      const [answer] = await client.until(1);
      expect([answer?.status, answer?.headers['connection']]).toEqual([413, 'close']);
      client.socket.destroy();
    }
    expect((await send('POST', frames, picture())).status).toBe(202);
  });

  it('are cut off at the limit when they come in pieces', async () => {
    const { port, listing } = await serveHub([camera('door', { maxFrameBytes: 100_000 })]);
    const client = await rawClient(port);
    client.send(rawRequest('POST', frames, ['x-api-key: sender', 'Transfer-Encoding: chunked']));
    const piece = Buffer.alloc(32_768, 1);
    const chunk = Buffer.concat([Buffer.from('8000\r\n'), piece, Buffer.from('\r\n')]);
    let answered = false;
    const answer = client.until(1).then(([first]) => {
      answered = true;
      return first;
    });
    for (let i = 0; i < 2_000 && !answered; i++) {
      client.send(chunk);
      await new Promise(setImmediate);
    }
    expect((await answer)?.status).toBe(413);
    expect(await listing()).toMatchObject([{ frames_in: 0, frames_dropped: 1 }]);
    client.socket.destroy();
  });

  it('are not asked for: who waits for `100 Continue` is told 413 and 429 at once', async () => {
    const { port, send } = await serveHub([camera('door', { maxFps: 0.1, maxFrameBytes: 1_000 })]);
    const expectation = ['x-api-key: sender', 'Expect: 100-continue'];
    const statusOf = async (length: number) => {
      const client = await rawClient(port);
      client.send(rawRequest('POST', frames, [...expectation, `Content-Length: ${length}`]));
      const [answer] = await client.until(1);
      client.socket.destroy();
      return answer?.status;
    };
    expect(await statusOf(1_001)).toBe(413);
    await send('POST', frames, picture());
    expect(await statusOf(1_000)).toBe(429);
  });
});

describe('the rate of a device', () => {
  it('is decided before the body: of a refused frame nothing needs to come', async () => {
    const { port, send } = await serveHub([camera('door', { maxFps: 0.1 })]);
    await send('POST', frames, picture());
    const client = await rawClient(port);
    client.send(rawRequest('POST', frames, ['x-api-key: sender', 'Content-Length: 5000000']));
    const [answer] = await client.until(1);
    expect(answer?.status).toBe(429);
    expect(Number(answer?.headers['retry-after'])).toBeGreaterThan(2);
    client.socket.destroy();
  });
});

describe('sockets of strangers', () => {
  it('are closed for a frame that is not masked', async () => {
    const { port } = await serveHub([camera('door')]);
    const connection = await openRaw(port, '/devices/door/ws');
    connection.send(wsFrame(0x2, picture(), { masked: false }));
    await connection.closed;
    expect(closeCode(await connection.rest())).toBe(1002);
  });

  it.each([
    ['ever more bytes', 60_000, 1009],
    ['ever more fragments of one byte', 1, 1008],
  ])('are closed for a message without an end: %s', async (_, bytes, code) => {
    const { port, send } = await serveHub([camera('door', { maxFrameBytes: 1_000_000 })]);
    const connection = await openRaw(port, '/devices/door/ws');
    const fragment = wsFrame(0x0, new Uint8Array(bytes), { fin: false });
    const batch = Buffer.concat(Array.from({ length: bytes === 1 ? 1_000 : 1 }, () => fragment));
    connection.send(wsFrame(0x2, new Uint8Array(bytes), { fin: false }));
    let closed = false;
    void connection.closed.then(() => {
      closed = true;
    });
    for (let i = 0; i < 500 && !closed; i++) {
      connection.send(batch);
      await new Promise(setImmediate);
    }
    await connection.closed;
    expect(closeCode(await connection.rest())).toBe(code);
    expect((await send('POST', frames, picture())).status).toBe(202);
  });

  it('are answered whatever they ping, and nobody else notices', async () => {
    const { port, send, sockets } = await serveHub([camera('door')]);
    const connection = await openRaw(port, '/devices/door/ws');
    const flood = Buffer.concat(Array.from({ length: 2_000 }, () => wsFrame(0x9, Buffer.alloc(125))));
    for (let i = 0; i < 20; i++) {
      connection.send(flood);
      expect((await send('GET', '/devices/door/telemetry')).status).toBe(200);
    }
    expect(sockets()).toBe(1);
    connection.socket.destroy();
    await expect.poll(sockets).toBe(0);
  });

  it('make no answers wait when they ping without an end and read none, and nobody else notices', async () => {
    const { port, send, sockets } = await serveHub([camera('door')]);
    const connection = await openRaw(port, '/devices/door/ws');
    connection.socket.pause();
    const flood = Buffer.concat(Array.from({ length: 2_000 }, () => wsFrame(0x9, Buffer.alloc(125))));
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 200; i++) {
      if (connection.socket.writableLength < 1_000_000) connection.send(flood);
      expect((await send('GET', '/devices/door/telemetry')).status).toBe(200);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    connection.socket.destroy();
    await expect.poll(sockets).toBe(0);
  });

  it('are held to the rate for whatever they send, and answered until they stop reading', async () => {
    const { url, listing, send } = await serveHub([camera('door', { maxFps: 5 })]);
    const device = await openSocket(url, '/devices/door/ws');
    await device.until('ready');
    for (let i = 0; i < 20_000; i++) device.send('{"a":');
    for (let i = 0; i < 2_000; i++) device.send(Buffer.from([i & 0xff]));
    expect(await device.next()).toEqual({ type: 'error', message: 'the reading is not JSON' });
    await device.until('error');
    await expect.poll(listing).toMatchObject([{ frames_in: 0, frames_dropped: 2_000 }]);
    expect((await send('GET', '/devices/door/telemetry')).status).toBe(200);
  });

  it('of viewers have nothing to say: a long message closes them', async () => {
    const { url } = await serveHub([camera('door'), sensor('thermo')]);
    const viewer = await openSocket(url, '/devices/door/stream');
    await viewer.until('hello');
    viewer.send('x'.repeat(1_024));
    viewer.send('x'.repeat(1_025));
    expect(await viewer.closed).toMatchObject({ code: 1009 });
  });
});

describe('pictures of strangers', () => {
  it('are never more than bytes: nothing is run, decoded or reflected', async () => {
    const { send } = await serveHub([camera('door', { maxFps: 1_000 })]);
    // Some come within the same millisecond as those before.
    const statusOf = async (body: Buffer): Promise<number> => {
      const { status } = await send('POST', frames, body);
      return status === 429 ? statusOf(body) : status;
    };
    for (let i = 0; i < 300; i++) {
      const body = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), randomBytes(i)]);
      expect([202, 422]).toContain(await statusOf(body));
    }
    const page = Buffer.from('GIF89a\x01\0\x01\0<script>alert(1)</script>', 'latin1');
    expect(await statusOf(page)).toBe(202);
    const { headers } = await send('GET', '/devices/door/latest');
    expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      'image/gif',
      'nosniff',
    ]);
  });
});
