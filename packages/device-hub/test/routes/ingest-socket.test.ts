import type { Json } from '@waymark/contract';
import { memoryPeer, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { camera, createMemoryBackend, sensor } from '../../src/index.ts';
import { png, pngOf } from '../pictures.ts';
import { ada, recordsOf, serveHub } from '../serve-hub.ts';

const ws = '/devices/door/ws';
const stream = '/devices/door/stream';

/** Lets everything that was received be taken. */
const settled = () => new Promise(setImmediate);

describe('the ingest socket', () => {
  it('opens with who it is for and how much that may send', async () => {
    const { open } = await serveHub([camera('door', { maxFps: 5 }), sensor('thermo')]);
    expect((await open(ws)).records).toEqual([{ type: 'ready', device: 'door', max_fps: 5 }]);
    expect((await open('/devices/thermo/ws')).records).toEqual([
      { type: 'ready', device: 'thermo', max_fps: null },
    ]);
  });

  it('takes binary messages as frames and text messages as readings', async () => {
    const { ask, open } = await serveHub([camera('door')]);
    const viewer = await open('/devices/door/stream');
    const device = await open(ws);
    device.receive(png());
    device.receive('{"lux":3}');
    await settled();
    expect(recordsOf(viewer, 'frame')).toMatchObject([{ seq: 1 }]);
    expect(recordsOf(viewer, 'telemetry')).toMatchObject([{ data: { lux: 3 } }]);
    expect((await ask('GET', '/devices/door/snapshot')).value).toMatchObject({
      seq: 1,
      telemetry: { lux: 3 },
    });
    expect(device.records).toHaveLength(1);
  });

  it('gives back the memory of frames that nobody keeps, where it is worth it', async () => {
    const { open } = await serveHub([camera('door', { maxFps: 1 }), sensor('thermo')]);
    const [device, thermo, viewer] = [await open(ws), await open('/devices/thermo/ws'), await open(stream)];
    const [kept, tooFast, small] = [pngOf(65_536), pngOf(65_536), pngOf(65_535)];
    for (const each of [kept, tooFast, small]) device.receive(each);
    const [noFrame, unasked] = [pngOf(65_536), pngOf(65_536)];
    thermo.receive(noFrame);
    viewer.receive(unasked);
    await settled();
    expect([kept, tooFast, small, noFrame, unasked].map(({ length }) => length)).toEqual([
      65_536, 0, 65_535, 0, 0,
    ]);
  });

  it('keeps a reading that is no object as a value', async () => {
    verifies('hub.telemetry.value');
    const { ask, open } = await serveHub([sensor('thermo')]);
    const device = await open('/devices/thermo/ws');
    device.receive('21.5');
    await settled();
    expect((await ask('GET', '/devices/thermo/telemetry')).value).toMatchObject({
      telemetry: { value: 21.5 },
    });
    expect(device.records).toHaveLength(1);
  });

  it('takes what came before it was ready', async () => {
    const { open, listing } = await serveHub([camera('door')]);
    const peer = memoryPeer();
    peer.receive(png());
    await open(ws, { peer });
    await settled();
    expect(await listing()).toMatchObject([{ frames_in: 1 }]);
  });

  it('drops frames over max_fps without a word, and counts them', async () => {
    const { open, listing, host } = await serveHub([camera('door', { maxFps: 5 })]);
    const device = await open(ws);
    for (let i = 0; i < 4; i++) device.receive(png());
    await settled();
    expect(await listing()).toMatchObject([{ frames_in: 1, frames_dropped: 3 }]);
    expect(recordsOf(device, 'error')).toEqual([]);
    await host.clock.advance(200);
    device.receive(png());
    await settled();
    expect(await listing()).toMatchObject([{ frames_in: 2, frames_dropped: 3 }]);
  });

  it('has the rate of the device, however it sends', async () => {
    const { ask, open, listing } = await serveHub([camera('door', { maxFps: 20 })]);
    const device = await open(ws);
    await ask('POST', '/devices/door/frames', { body: png() });
    await ask('POST', '/devices/door/frames', { body: png() });
    device.receive(png());
    await settled();
    expect(await listing()).toMatchObject([{ frames_in: 2, frames_dropped: 1 }]);
  });

  it.each([
    [
      'a frame of no known type',
      Buffer.from('<svg/>'),
      'a frame is a PNG, JPEG, GIF or WebP, and these bytes are none',
    ],
    ['an empty frame', new Uint8Array(), 'the frame is empty'],
    ['too many pixels', png(9_000, 9_000), 'a frame has 64000000 pixels at most'],
    ['too many bytes', pngOf(1_001), 'a frame has 1000 bytes at most'],
    ['what is not JSON', 'celsius', 'the reading is not JSON'],
    ['an empty text', '', 'the reading is not JSON'],
    [
      'the signature of a picture alone',
      png().subarray(0, 8),
      'the header of the picture is cut off: it does not say its size',
    ],
    ['a long text', `{"a":"${'x'.repeat(65_529)}"}`, 'a reading has 65536 bytes at most'],
    ['deep JSON', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`, 'the reading is nested deeper than 64 levels'],
  ])('answers %s with an error and stays', async (_, message, words) => {
    const { open, listing } = await serveHub([camera('door', { maxFrameBytes: 1_000 })]);
    const device = await open(ws);
    device.receive(message);
    await settled();
    expect(device.records.slice(1)).toEqual([{ type: 'error', message: words }]);
    device.receive(png());
    await settled();
    expect(device.closed).toBeUndefined();
    expect(await listing()).toMatchObject([{ frames_in: 1 }]);
  });

  it('answers frames to a sensor with an error', async () => {
    const { open } = await serveHub([sensor('thermo')]);
    const device = await open('/devices/thermo/ws');
    device.receive(png());
    device.receive('{"celsius":21}');
    await settled();
    expect(device.records.slice(1)).toEqual([{ type: 'error', message: 'a sensor takes no frames' }]);
  });

  it('says so when readings come too fast', async () => {
    const { open } = await serveHub([sensor('thermo')], { telemetryPerSecond: 1 });
    const device = await open('/devices/thermo/ws');
    for (let i = 0; i < 3; i++) device.receive('{}');
    await settled();
    expect(device.records.slice(1)).toEqual([
      { type: 'error', message: 'a device takes 1 readings a second' },
    ]);
  });

  it('says the same once a second, with the number of messages that it is about', async () => {
    verifies('hub.ws.error');
    const { open, host } = await serveHub([camera('door')]);
    const device = await open(ws);
    device.sent.length = 0;
    const error = { type: 'error', message: 'the reading is not JSON' };
    const told = (): unknown[] => device.sent.splice(0).map((text) => JSON.parse(String(text)));
    for (let i = 0; i < 30; i++) device.receive('no JSON');
    device.receive(new Uint8Array([1]));
    await settled();
    // Another text is another matter, and told at once.
    expect(told()).toMatchObject([error, { message: expect.stringContaining('a frame is a PNG') }]);
    await host.clock.advance(999);
    expect(told()).toEqual([]);
    await host.clock.advance(1);
    expect(told()).toEqual([{ ...error, refused: 29 }]);
    await host.clock.advance(1_000);
    expect(told()).toEqual([]);
    device.receive('no JSON');
    await settled();
    expect(told()).toEqual([error]);
  });

  it('holds no timer for a device that has gone, nor for one that is well', async () => {
    const { open, host } = await serveHub([camera('door')]);
    const device = await open(ws);
    device.receive('no JSON');
    device.receive('no JSON');
    await settled();
    device.disconnect();
    await host.clock.advance(5_000);
    expect(recordsOf(device, 'error')).toHaveLength(1);
  });

  it('tells a device that does not read its errors nothing more, and later how many there were', async () => {
    const { open, host } = await serveHub([camera('door', { maxFps: 1_000 })]);
    const device = await open(ws);
    device.stalled = true;
    device.bufferedAmount = 65_537;
    for (let i = 0; i < 500; i++) {
      device.receive(new Uint8Array([1]));
      await host.clock.advance(1);
    }
    await settled();
    await host.clock.advance(10_000);
    expect(recordsOf(device, 'error')).toEqual([]);
    device.drain();
    await host.clock.advance(1_000);
    expect(recordsOf(device, 'error')).toMatchObject([{ refused: 500 }]);
  });

  it('stops reading while the backend is behind, loses nothing, and keeps the order', async () => {
    const backend = createMemoryBackend({ keep: () => 1 });
    const publish = backend.publishTelemetry.bind(backend);
    const taken: Json[] = [];
    backend.subscribe('door', (record) => void (record.kind === 'telemetry' && taken.push(record.data)));
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    backend.publishTelemetry = async (...args) => {
      asked++;
      await gate;
      return publish(...args);
    };
    const { open } = await serveHub([camera('door')], { backend });
    const device = await open(ws);
    for (let i = 1; i <= 40; i++) device.receive(`{"n":${i}}`);
    await settled();
    expect(asked).toBe(16);
    release();
    await settled();
    expect(taken).toEqual(Array.from({ length: 40 }, (_, i) => ({ n: i + 1 })));
  });

  it('tells a device of a fault of the hub nothing but that, and logs the cause', async () => {
    const backend = createMemoryBackend({ keep: () => 8 });
    backend.publishFrame = () => Promise.reject(new Error('redis://user:secret@host is down'));
    const { open, host } = await serveHub([camera('door')], { backend });
    const device = await open(ws);
    device.receive(png());
    await settled();
    expect(device.records.slice(1)).toEqual([{ type: 'error', message: 'internal error' }]);
    expect(host.logs).toMatchObject([
      { level: 'error', message: 'a message of a device could not be taken' },
    ]);
  });

  it('reads messages of up to max_frame_bytes, and has room to refuse a long reading', async () => {
    const { table } = await serveHub([
      camera('door'),
      camera('tiny', { maxFrameBytes: 1_000 }),
      sensor('thermo'),
    ]);
    const limits = [...table]
      .filter(({ path }) => path.endsWith('/ws'))
      .map(({ maxBodyBytes }) => maxBodyBytes);
    expect(limits).toEqual([5_242_880, 131_072, 131_072]);
  });

  it('takes the ingest scopes', async () => {
    const { open } = await serveHub([camera('door')]);
    await expect(open(ws, { principal: { ...ada, scopes: ['devices:read'] } })).rejects.toMatchObject({
      status: 403,
    });
  });
});
