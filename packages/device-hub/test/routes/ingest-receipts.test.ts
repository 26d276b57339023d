import { type MemoryPeer, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { camera, createMemoryBackend, sensor } from '../../src/index.ts';
import { png, pngOf } from '../pictures.ts';
import { ada, recordsOf, serveHub } from '../serve-hub.ts';

const ws = '/devices/door/ws?receipts=1';

/** Lets everything that was received be taken. */
const settled = () => new Promise(setImmediate);

const receiptsOf = (peer: MemoryPeer) => recordsOf(peer, 'receipt');

describe('an ingest socket with receipts', () => {
  it('says that it gives them', async () => {
    verifies('hub.receipts');
    const { open } = await serveHub([camera('door', { maxFps: 5 })]);
    expect((await open(ws)).records).toEqual([{ type: 'ready', device: 'door', max_fps: 5, receipts: true }]);
    const without = { type: 'ready', device: 'door', max_fps: 5 };
    expect((await open('/devices/door/ws?receipts=0')).records).toEqual([without]);
    expect((await open('/devices/door/ws')).records).toEqual([without]);
  });

  it.each(['receipts=2', 'receipts=true', 'receipt=1'])(
    'refuses the query %s before the 101',
    async (query) => {
      verifies('hub.receipts');
      const { open } = await serveHub([camera('door')]);
      await expect(open(`/devices/door/ws?${query}`)).rejects.toMatchObject({ status: 422 });
    },
  );

  it('answers each frame with its number, or with what was wrong with it, and a reading as ever', async () => {
    verifies('hub.receipts');
    const { open } = await serveHub([camera('door', { maxFps: 2, maxFrameBytes: 1_000 })]);
    const device = await open(ws);
    device.receive(png());
    device.receive('{"lux":3}');
    device.receive('no JSON');
    device.receive(png());
    await settled();
    const tooFast = { type: 'receipt', seq: null, message: 'a device takes 2 frames a second' };
    expect(receiptsOf(device)).toEqual([{ type: 'receipt', seq: 1 }, tooFast]);
    expect(recordsOf(device, 'error')).toEqual([{ type: 'error', message: 'the reading is not JSON' }]);
  });

  it.each([
    ['too large', pngOf(1_001), 'a frame has 1000 bytes at most'],
    ['no picture', new Uint8Array([1]), 'a frame is a PNG, JPEG, GIF or WebP, and these bytes are none'],
    ['empty', new Uint8Array(), 'the frame is empty'],
  ])('says of a frame that it is %s, each time', async (_, frame, message) => {
    verifies('hub.receipts');
    const { open } = await serveHub([camera('door', { maxFps: 1_000, maxFrameBytes: 1_000 })]);
    const device = await open(ws);
    device.receive(frame);
    device.receive(frame);
    await settled();
    const receipt = { type: 'receipt', seq: null, message };
    expect(device.records.slice(1)).toEqual([receipt, receipt]);
  });

  it('tells a sensor that it takes no frames', async () => {
    const { open } = await serveHub([sensor('thermo')]);
    const device = await open('/devices/thermo/ws?receipts=1');
    device.receive(png());
    await settled();
    expect(device.records.slice(1)).toEqual([
      { type: 'receipt', seq: null, message: 'a sensor takes no frames' },
    ]);
  });

  it('keeps a fault of the hub to itself', async () => {
    const backend = createMemoryBackend({ keep: () => 8 });
    backend.publishFrame = () => Promise.reject(new Error('redis://user:secret@host is down'));
    const { open, host } = await serveHub([camera('door')], { backend });
    const device = await open(ws);
    device.receive(png());
    await settled();
    expect(receiptsOf(device)).toEqual([{ type: 'receipt', seq: null, message: 'internal error' }]);
    expect(host.logs).toMatchObject([{ level: 'error' }]);
  });

  it('reads no more of a device that does not read its receipts, and goes on where it stopped', async () => {
    verifies('hub.receipts');
    const { open } = await serveHub([camera('door')]);
    const device = await open(ws);
    device.stalled = true;
    for (let i = 0; i < 5_000; i++) {
      device.receive(new Uint8Array([1]));
      if (i % 10 === 0) await settled();
    }
    // What was under way when it was noticed comes on top.
    expect(device.bufferedAmount).toBeLessThan(65_536 + 16 * 200);
    while (device.bufferedAmount > 0) {
      device.drain();
      await settled();
    }
    await expect.poll(() => receiptsOf(device).length).toBe(5_000);
  });
});

describe('the line of a socket with receipts', () => {
  it('is ended when nothing has come over it for 5 s, and what was on its way is not taken', async () => {
    verifies('hub.receipts.silence');
    const { open, host, listing } = await serveHub([camera('door')]);
    const device = await open(ws);
    await host.clock.advance(500);
    device.receive(png());
    await host.clock.advance(5_000);
    expect(device.closed).toEqual({ code: 1006, reason: '' });
    device.receive(png());
    await settled();
    expect(await listing()).toMatchObject([{ frames_in: 1 }]);
    expect(host.clock.pending).toBe(await pendingOfPresence());
  });

  it('stays for a break of less than 4 s, and while anything comes: a frame, a reading, a pong', async () => {
    verifies('hub.receipts.silence');
    const { open, host } = await serveHub([camera('door')]);
    const device = await open(ws);
    const lives = [() => device.receive(png()), () => device.receive('{}'), () => device.pong()];
    for (let i = 0; i < 30; i++) {
      lives[i % 3]?.();
      await host.clock.advance(3_900);
    }
    expect(device.closed).toBeUndefined();
    expect(device.pings.length).toBeGreaterThan(30 * 3);
  });

  it('is not taken for broken while the hub itself does not read', async () => {
    const backend = createMemoryBackend({ keep: () => 1 });
    let finish = (): void => {};
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const publish = backend.publishFrame.bind(backend);
    backend.publishFrame = (...frame) => gate.then(() => publish(...frame));
    const { open, host } = await serveHub([camera('door', { maxFps: 1_000 })], { backend });
    const device = await open(ws);
    for (let i = 0; i < 20; i++) {
      device.receive(png());
      await host.clock.advance(10);
    }
    await host.clock.advance(60_000);
    expect(device.closed).toBeUndefined();
    finish();
    await settled();
    expect(receiptsOf(device)).toHaveLength(20);
    await host.clock.advance(5_000);
    expect(device.closed).toBeDefined();
  });

  it('is ended, too, when a device leaves its receipts unread', async () => {
    const { open, host } = await serveHub([camera('door')]);
    const device = await open(ws);
    device.stalled = true;
    device.bufferedAmount = 65_537;
    for (let second = 0; second < 6; second++) {
      for (let i = 0; i < 100; i++) device.receive(new Uint8Array([1]));
      await settled();
      await host.clock.advance(1_000);
    }
    expect(device.closed).toBeDefined();
  });

  it('is left to itself without receipts', async () => {
    const { open, host } = await serveHub([camera('door')]);
    const device = await open('/devices/door/ws');
    await host.clock.advance(60_000);
    expect([device.closed, device.pings]).toEqual([undefined, []]);
  });

  it('keeps no timer when the last of them has gone, nor when the hub stops', async () => {
    verifies('hub.receipts.silence');
    const { open, host, plugin } = await serveHub([camera('door')]);
    const before = host.clock.pending;
    const devices = [await open(ws), await open(ws, { principal: { ...ada, id: 'eve' } })];
    expect(host.clock.pending).toBe(before + 1);
    devices[0]?.disconnect();
    expect(host.clock.pending).toBe(before + 1);
    devices[1]?.disconnect();
    expect(host.clock.pending).toBe(before);
    const last = await open(ws);
    await plugin.stop?.();
    expect([last.closed?.code, host.clock.pending]).toEqual([1001, before]);
  });
});

/** Timers of a camera that has sent one frame. */
async function pendingOfPresence(): Promise<number> {
  const { ask, host } = await serveHub([camera('door')]);
  await ask('POST', '/devices/door/frames', { body: png() });
  return host.clock.pending;
}
