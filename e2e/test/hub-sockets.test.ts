import { verifies } from '@waymark/contract/testing';
import { camera, sensor } from '@waymark/device-hub';
import { describe, expect, it } from 'vitest';
import { authenticate, serveHub } from './hub-door.ts';
import { picture } from './hub-pictures.ts';
import { openSocket } from './hub-socket.ts';
import { ask, handshake } from './wire/connection.ts';

const ws = '/devices/door/ws';
const stream = '/devices/door/stream';

describe('the ingest socket', () => {
  it('greets, and takes frames and readings', async () => {
    verifies('hub.ws.ready', 'device.ws.frames', 'device.ws.telemetry');
    const { url, send } = await serveHub([camera('door', { maxFps: 5 })]);
    const device = await openSocket(url, ws, 'sender');
    expect(await device.next()).toEqual({ type: 'ready', device: 'door', max_fps: 5 });
    const viewer = await openSocket(url, stream, 'reader');
    device.send(picture(40));
    device.send('{"lux":3}');
    expect(await viewer.until('frame')).toMatchObject({ seq: 1, bytes: 40 });
    expect(await viewer.next()).toEqual(picture(40));
    expect(await viewer.until('telemetry')).toEqual({ type: 'telemetry', data: { lux: 3 } });
    expect(await (await send('GET', '/devices/door/snapshot')).json()).toMatchObject({ seq: 1 });
  });

  it('drops frames that come too fast and stays open', async () => {
    verifies('error.frame.socket-too-fast');
    const { url, listing } = await serveHub([camera('door', { maxFps: 0.1 })]);
    const device = await openSocket(url, ws);
    await device.until('ready');
    for (let i = 0; i < 10; i++) device.send(picture());
    // Messages are taken in order: when this one is refused, those before it were looked at.
    device.send('no JSON');
    expect(await device.next()).toEqual({ type: 'error', message: 'the reading is not JSON' });
    expect(await listing()).toMatchObject([{ frames_in: 1, frames_dropped: 9 }]);
  });

  it('says what was wrong with a message, and takes the next', async () => {
    verifies('hub.ws.error');
    const { url } = await serveHub([camera('door'), sensor('thermo')]);
    const device = await openSocket(url, ws);
    await device.until('ready');
    device.send('<svg/>');
    device.send(Buffer.from('<svg/>'));
    device.send(`{"a":"${'x'.repeat(65_536)}"}`);
    expect([await device.next(), await device.next(), await device.next()]).toEqual(
      [
        'the reading is not JSON',
        'a frame is a PNG, JPEG, GIF or WebP, and these bytes are none',
        'a reading has 65536 bytes at most',
      ].map((message) => ({ type: 'error', message })),
    );
    const thermo = await openSocket(url, '/devices/thermo/ws');
    await thermo.until('ready');
    thermo.send(picture());
    expect(await thermo.next()).toEqual({ type: 'error', message: 'a sensor takes no frames' });
    thermo.send('{"celsius":21}');
    const viewer = await openSocket(url, '/devices/thermo/stream');
    expect(await viewer.until('telemetry')).toMatchObject({ data: { celsius: 21 } });
  });

  it('closes on a frame over max_frame_bytes, before it is whole', async () => {
    const { url, listing } = await serveHub([camera('door', { maxFrameBytes: 200_000 })]);
    const device = await openSocket(url, ws);
    device.send(picture(200_000));
    device.send(picture(200_001));
    expect(await device.closed).toMatchObject({ code: 1009 });
    await expect.poll(listing).toMatchObject([{ frames_in: 1 }]);
  });
});

describe('the stream', () => {
  it('greets with the device, then shows the newest, then what is live', async () => {
    verifies('hub.stream.hello', 'hub.stream.order', 'device.stream', 'device.record.hello');
    verifies('event.stream.hello', 'event.stream.frame', 'event.stream.telemetry', 'event.json');
    verifies('device.record.frame', 'device.record.telemetry', 'purpose.hub.fan-out');
    const { url, send } = await serveHub([camera('door', { description: 'the front door' })]);
    await send('POST', '/devices/door/frames', picture(40));
    await send('POST', '/devices/door/telemetry', '{"lux":3}');
    const [first, second] = [await openSocket(url, stream), await openSocket(url, stream)];
    const hello = await first.next();
    expect(hello).toEqual({
      type: 'hello',
      device: { name: 'door', kind: 'camera', description: 'the front door', max_fps: 30, pulled: false },
      insights: [],
      boot: expect.stringMatching(/^[0-9A-Z]{26}$/),
      ...{ status: 'online', seq: 1, age_ms: expect.any(Number), fps: 1 },
    });
    expect(await second.next()).toMatchObject({ type: 'hello' });
    for (const viewer of [first, second]) {
      expect(await viewer.next()).toEqual({
        ...{ type: 'frame', seq: 1, media_type: 'image/png', bytes: 40, at_ms: expect.any(Number) },
        ...{ width: 640, height: 480 },
      });
      expect(await viewer.next()).toEqual(picture(40));
      expect(await viewer.next()).toEqual({ type: 'telemetry', data: { lux: 3 } });
    }
    await send('POST', '/devices/door/frames', picture(41));
    for (const viewer of [first, second]) {
      expect(await viewer.next()).toMatchObject({ type: 'frame', seq: 2, bytes: 41 });
      expect(await viewer.next()).toEqual(picture(41));
    }
  });

  it('is the same for frames and readings that were posted and that came by socket', async () => {
    verifies('event.emit.frame', 'event.emit.telemetry');
    const { url, send } = await serveHub([camera('door')]);
    const viewer = await openSocket(url, stream);
    const device = await openSocket(url, ws);
    const shown = async () => {
      const { at_ms: _, seq: __, ...header } = await viewer.until('frame');
      return [header, await viewer.next()];
    };
    await send('POST', '/devices/door/frames', picture(40));
    const posted = await shown();
    device.send(picture(40));
    expect(await shown()).toEqual(posted);
    await send('POST', '/devices/door/telemetry', '{"lux":3}');
    const reading = await viewer.until('telemetry');
    device.send('{"lux":3}');
    expect(await viewer.until('telemetry')).toEqual(reading);
  });

  it('sends headers alone for `frames=meta`, and knows no other words', async () => {
    verifies('device.stream.meta', 'event.stream.frame-meta');
    const { url, send } = await serveHub([camera('door')]);
    const viewer = await openSocket(url, `${stream}?frames=meta`);
    await viewer.until('hello');
    for (const bytes of [40, 41]) await send('POST', '/devices/door/frames', picture(bytes));
    expect(await viewer.next()).toMatchObject({ type: 'frame', bytes: 40 });
    expect(await viewer.until('frame')).toMatchObject({ type: 'frame', bytes: 41 });
    for (const query of ['frames=mets', 'frame=meta', 'fps=0', 'since=4'])
      await expect(openSocket(url, `${stream}?${query}`)).rejects.toThrow('refused');
  });

  it('closes with 4401 when the credential of its subscriber ends', async () => {
    const { url } = await serveHub(
      [camera('door')],
      {},
      {
        authenticate: async (credentials) => {
          const found = await authenticate(credentials);
          return found.ok
            ? { ok: true, principal: { ...found.principal, expiresAtMs: Date.now() + 300 } }
            : found;
        },
      },
    );
    const sockets = [await openSocket(url, stream), await openSocket(url, ws)];
    for (const { closed } of sockets)
      expect(await closed).toEqual({ code: 4401, reason: 'the credential has expired' });
  });
});

describe('too many subscribers', () => {
  it('are refused with 429 before the 101', async () => {
    const { url, port } = await serveHub([camera('door')], { maxViewersPerDevice: 1 });
    const viewer = await openSocket(url, stream);
    await viewer.until('hello');
    const refused = await ask(port, { target: stream, headers: [...handshake, ['x-api-key', 'reader']] });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    viewer.close();
    await viewer.closed;
    await expect
      .poll(async () => (await openSocket(url, stream).catch(() => undefined)) !== undefined)
      .toBe(true);
  });
});

describe('the end of a hub', () => {
  it('closes every socket with 1001, and a client sees by the boot that another began', async () => {
    const first = await serveHub([camera('door')]);
    const [viewer, device] = [await openSocket(first.url, stream), await openSocket(first.url, ws)];
    const { boot } = await viewer.until('hello');
    await first.send('POST', '/devices/door/frames', picture());
    const live = await first.send('GET', '/devices/door/stream.mjpeg');
    const read = live.arrayBuffer().catch(() => 'cut');
    await first.close();
    expect([await viewer.closed, await device.closed]).toMatchObject([{ code: 1001 }, { code: 1001 }]);
    await read;
    const second = await serveHub([camera('door')]);
    expect((await (await openSocket(second.url, stream)).until('hello'))['boot']).not.toBe(boot);
  });
});
