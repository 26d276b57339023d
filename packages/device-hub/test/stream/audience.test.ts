import type { EncodedMessages } from '@waymark/contract/engine';
import { memoryPeer, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { Audience } from '../../src/stream/audience.ts';
import { accounted, frameRecord, received, receivedRecords, stage } from './stage.ts';

describe('Audience', () => {
  it('greets a subscriber with the opening, then the newest frame and reading, then what is live', () => {
    verifies('hub.stream.order', 'event.stream.frame', 'event.stream.telemetry', 'device.record.telemetry');
    const { join, frame, reading } = stage();
    const peer = join({
      opening: [{ type: 'hello', seq: 'world' }, { type: 'status' }],
      newest: frameRecord(9, 10),
      telemetry: { kind: 'telemetry', data: 20, atMs: 0 },
    });
    frame();
    reading(21);
    expect(received(peer)).toEqual([
      'hello world',
      'status',
      'frame 9',
      'bytes',
      'telemetry 20',
      'frame 1',
      'bytes',
      'telemetry 21',
    ]);
  });

  it('sends frame and reading as soon as a socket takes them that was full at first', () => {
    const { join } = stage();
    const peer = memoryPeer();
    peer.stalled = true;
    join(
      {
        opening: [{ type: 'hello' }],
        newest: frameRecord(9, 10),
        telemetry: { kind: 'telemetry', data: 20, atMs: 0 },
      },
      peer,
    );
    expect(receivedRecords(peer)).toEqual(['hello']);
    peer.drain();
    expect(receivedRecords(peer)).toEqual(['hello', 'telemetry 20', 'frame 9']);
  });

  it('sends headers alone to a subscriber that wants no more', () => {
    verifies('event.stream.frame-meta', 'hub.stream.meta');
    const { join, frame } = stage();
    const [full, meta] = [join(), join({ meta: true })];
    frame();
    expect(received(full)).toEqual(['frame 1', 'bytes']);
    expect(received(meta)).toEqual(['frame 1']);
  });

  it('encodes a frame once, and writes it to each subscriber in one piece', () => {
    verifies('hub.fan-out.encoded-once');
    const { join, frame } = stage();
    const written: EncodedMessages[] = [];
    for (let i = 0; i < 3; i++) {
      const peer = memoryPeer();
      peer.sendEncoded = (messages) => void written.push(messages);
      join({}, peer);
    }
    frame();
    expect(written).toHaveLength(3);
    expect(new Set(written).size).toBe(1);
  });

  it('encodes it no second time for those who come in later, and keeps it for nobody', () => {
    verifies('hub.fan-out.encoded-once');
    const { audience, join } = stage();
    const newest = frameRecord(1, 1_000);
    const buffers: Uint8Array[] = [];
    const peers = Array.from({ length: 3 }, () => {
      const peer = memoryPeer();
      peer.sendEncoded = ({ bytes }) => void buffers.push(bytes);
      return peer;
    });
    const [first, second, third] = peers;
    join({}, first);
    audience.publish(newest);
    join({ newest }, second);
    expect(buffers[1]).toBe(buffers[0]);
    for (const peer of [first, second]) peer?.disconnect();
    join({ newest }, third);
    expect(buffers[2]?.length).toBe(buffers[0]?.length);
    expect(buffers[2]).not.toBe(buffers[0]);
  });

  it('sends the newest frame to a subscriber that fell behind, and tells it before how many it missed', () => {
    verifies('hub.fan-out.newest-wins', 'hub.fan-out.told-first', 'hub.fan-out.accounted');
    verifies('event.stream.lagged', 'event.stream.never-buffered', 'device.record.lagged');
    const { join, frame } = stage();
    const peer = join();
    peer.stalled = true;
    for (let i = 0; i < 5; i++) frame();
    expect(receivedRecords(peer)).toEqual(['frame 1']);
    peer.drain();
    expect(received(peer)).toEqual(['frame 1', 'bytes', 'lagged 3', 'frame 5', 'bytes']);
    expect(accounted(peer)).toBe(5);
    expect(peer.records[2]).toEqual({ type: 'lagged', skipped: 3 });
  });

  it('tells nothing when nothing was missed', () => {
    const { join, frame } = stage();
    const peer = join();
    peer.stalled = true;
    frame();
    frame();
    peer.drain();
    expect(receivedRecords(peer)).toEqual(['frame 1', 'frame 2']);
  });

  it('sends the newest reading to a subscriber that fell behind, and counts those it missed', () => {
    const { join, reading, frame } = stage();
    const peer = join();
    peer.stalled = true;
    for (let i = 1; i <= 4; i++) reading(i);
    frame();
    peer.drain();
    expect(receivedRecords(peer)).toEqual(['telemetry 1', 'lagged 2', 'telemetry 4', 'frame 1']);
    expect(accounted(peer)).toBe(5);
  });

  it('holds back what receipts do not confirm, though the socket takes everything', () => {
    const { join, frame } = stage();
    const peer = join();
    for (let i = 0; i < 5; i++) frame(100_000);
    expect(receivedRecords(peer)).toEqual(['frame 1', 'frame 2']);
    peer.pong();
    expect(receivedRecords(peer)).toEqual(['frame 1', 'frame 2', 'lagged 2', 'frame 5']);
  });

  it('lets one slow subscriber disturb no other', () => {
    const { join, frame } = stage();
    const [slow, swift] = [join(), join()];
    slow.stalled = true;
    for (let i = 0; i < 5; i++) {
      frame(100_000);
      swift.pong();
    }
    expect(receivedRecords(slow)).toEqual(['frame 1']);
    expect(receivedRecords(swift)).toEqual(['frame 1', 'frame 2', 'frame 3', 'frame 4', 'frame 5']);
  });

  it('sends insights and events to everybody, past frames that wait', () => {
    const { audience, join, frame } = stage();
    const peer = join();
    for (let i = 0; i < 3; i++) frame(100_000);
    audience.publish({ kind: 'insight', insight: { type: 'insight', seq: 3 } as never });
    audience.tell({ type: 'status', data: 'stale' });
    expect(receivedRecords(peer)).toEqual(['frame 1', 'frame 2', 'insight 3', 'status stale']);
  });

  it('keeps insights in order for a socket that is full', () => {
    const { audience, join } = stage();
    const peer = join();
    peer.stalled = true;
    for (let i = 1; i <= 3; i++) audience.tell({ type: 'insight', seq: i });
    expect(receivedRecords(peer)).toEqual(['insight 1']);
    peer.drain();
    expect(receivedRecords(peer)).toEqual(['insight 1', 'insight 2', 'insight 3']);
  });

  it.each([
    { name: 'keeps a subscriber for whom 31 insights wait', waiting: 31, closed: undefined },
    { name: 'keeps a subscriber for whom 32 insights wait', waiting: 32, closed: undefined },
    {
      name: 'closes a subscriber for whom one more would wait',
      waiting: 33,
      closed: { code: 4008, reason: 'slow' },
    },
  ])('$name', ({ waiting, closed }) => {
    const { audience, join } = stage();
    const peer = join();
    peer.bufferedAmount = 1;
    for (let i = 0; i < waiting; i++) audience.tell({ type: 'insight' });
    expect(peer.closed).toEqual(closed);
    expect(audience.size).toBe(closed ? 0 : 1);
  });

  it('forgets a subscriber that left', () => {
    const { audience, join, frame } = stage();
    const [stays, leaves] = [join(), join()];
    leaves.disconnect();
    frame();
    expect(audience.size).toBe(1);
    expect(leaves.sent).toEqual([]);
    expect(receivedRecords(stays)).toEqual(['frame 1']);
  });

  it('forgets a peer that had left before it came', async () => {
    const { audience, join } = stage();
    const peer = memoryPeer();
    peer.disconnect();
    join({}, peer);
    await new Promise((resolve) => setImmediate(resolve));
    expect(audience.size).toBe(0);
  });

  it('lets go of the peer of a subscriber that left', () => {
    const { join } = stage();
    const peer = memoryPeer();
    let held = 0;
    for (const name of ['onMessage', 'onPong', 'onDrain'] as const) {
      const listen = peer[name].bind(peer);
      Object.assign(peer, {
        [name]: (listener: () => void) => {
          held++;
          const cancel = listen(listener);
          return () => {
            held--;
            cancel();
          };
        },
      });
    }
    join({}, peer);
    expect(held).toBe(3);
    peer.disconnect();
    expect(held).toBe(0);
  });

  it('closes everybody', () => {
    const { audience, clock, join } = stage();
    const peers = [join(), join()];
    audience.close(1001, 'the server is shutting down');
    for (const peer of peers)
      expect(peer.closed).toEqual({ code: 1001, reason: 'the server is shutting down' });
    expect(audience.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('has one timer while somebody is there, and none otherwise', async () => {
    const { clock, join } = stage();
    expect(clock.pending).toBe(0);
    const peers = [join(), join(), join()];
    expect(clock.pending).toBe(1);
    await clock.advance(5_000);
    expect(clock.pending).toBe(1);
    for (const peer of peers) peer.disconnect();
    expect(clock.pending).toBe(0);
    join().disconnect();
    expect(clock.pending).toBe(0);
  });

  it('is not stopped by what a subscriber sends', () => {
    const { join, frame } = stage();
    const peer = join();
    for (let i = 0; i < 100; i++) peer.receive('{"type":"frame"}');
    frame();
    expect(receivedRecords(peer)).toEqual(['frame 1']);
    const left: unknown[] = [];
    peer.onMessage((message) => left.push(message));
    expect(left).toEqual([]);
  });
});

describe('a subscriber with an fps wish', () => {
  it('gets as many frames per second, told of the others', async () => {
    const { clock, join, frame } = stage();
    const peer = join({ fps: 15 });
    for (let i = 0; i < 200; i++) {
      frame();
      await clock.advance(50);
      peer.pong();
    }
    await clock.advance(1_000);
    const frames = receivedRecords(peer).filter((record) => record.startsWith('frame'));
    expect(frames.length).toBeGreaterThanOrEqual(149);
    expect(frames.length).toBeLessThanOrEqual(152);
    expect(frames.at(-1)).toBe('frame 200');
    expect(accounted(peer)).toBe(200);
  });

  it('gets the last frame of a burst within a second of when it is due', async () => {
    const { clock, join, frame } = stage();
    const peer = join({ fps: 2 });
    for (let i = 0; i < 3; i++) frame();
    expect(receivedRecords(peer)).toEqual(['frame 1']);
    await clock.advance(1_500);
    expect(receivedRecords(peer)).toEqual(['frame 1', 'lagged 1', 'frame 3']);
  });

  it('gets no burst after a pause', async () => {
    const { clock, join, frame } = stage();
    const peer = join({ fps: 2 });
    frame();
    await clock.advance(10_000);
    frame();
    peer.pong();
    await clock.advance(100);
    frame();
    expect(receivedRecords(peer)).toEqual(['frame 1', 'frame 2']);
  });

  it('goes on when the clock is set back', () => {
    let nowMs = 10_000_000;
    const audience = new Audience({ monotonic: () => nowMs, after: () => () => {} });
    const peer = memoryPeer();
    audience.add(peer, { meta: false, fps: 2, opening: [] });
    audience.publish(frameRecord(1, 10));
    nowMs -= 3_600_000;
    audience.publish(frameRecord(2, 10));
    audience.publish(frameRecord(3, 10));
    expect(receivedRecords(peer)).toEqual(['frame 1', 'frame 2']);
  });

  it('gets readings and insights as they come', () => {
    const { audience, join, frame, reading } = stage();
    const peer = join({ fps: 1 });
    frame();
    for (let i = 1; i <= 3; i++) reading(i);
    audience.tell({ type: 'insight' });
    expect(receivedRecords(peer)).toEqual([
      'frame 1',
      'telemetry 1',
      'telemetry 2',
      'telemetry 3',
      'insight',
    ]);
  });
});
