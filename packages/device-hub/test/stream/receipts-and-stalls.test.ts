import { memoryPeer, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { simulatedLine } from './simulated-line.ts';
import { accounted, receivedRecords, stage } from './stage.ts';

describe('receipts of a subscriber', () => {
  it.each([
    { name: 'are not asked for twice within 50 ms', gapMs: 49, pings: 1 },
    { name: 'are asked for again after 50 ms', gapMs: 50, pings: 2 },
    { name: 'are asked for with each frame when frames are further apart', gapMs: 51, pings: 2 },
  ])('$name', async ({ gapMs, pings }) => {
    const { clock, join, frame } = stage();
    const peer = join();
    frame();
    await clock.advance(gapMs);
    frame();
    expect(peer.pings).toHaveLength(pings);
  });

  it('are asked for every 250 ms of a subscriber that answers at once', async () => {
    verifies('hub.fan-out.receipts');
    const { clock, join, frame } = stage();
    const peer = join();
    for (let i = 0; i < 101; i++) {
      frame();
      peer.pong();
      await clock.advance(10);
    }
    expect(peer.pings).toHaveLength(5);
  });

  it('are one for several frames on a near, fast line, and one for each while something is held back', async () => {
    verifies('hub.fan-out.receipts');
    const { clock, join, frame } = stage();
    const line = simulatedLine(clock, { roundTripMs: 4, rate: 1e6 });
    join({ opening: [{ type: 'hello' }] }, line.peer);
    let asked = 0;
    line.peer.onPong(() => void asked++);
    const film = async (ms: number): Promise<{ readonly receipts: number; readonly frames: number }> => {
      const [before, seen] = [asked, line.arrivals.length];
      for (let at = 0; at < ms; at += 33) {
        frame(50_000);
        await clock.advance(33);
      }
      return { receipts: asked - before, frames: line.arrivals.length - seen };
    };
    await film(1_000);
    const fast = await film(9_900);
    expect(fast.frames).toBe(300);
    // Six frames are what 1 MB/s delivers in time; once a second whoever has not been asked is.
    expect(fast.receipts).toBeLessThanOrEqual(70);
    line.form.rate = 1_000;
    await film(1_000);
    const slow = await film(9_900);
    expect(slow.receipts).toBeGreaterThan(0.95 * slow.frames);
    line.form.rate = 1e6;
    await film(1_000);
    const again = await film(9_900);
    expect(again).toEqual({ frames: 300, receipts: expect.toSatisfy((count: number) => count <= 70) });
  });

  it('stand behind the frame in its own buffer, unless a later one was asked for', async () => {
    verifies('hub.fan-out.receipts');
    const { clock, join, frame } = stage();
    const peer = join();
    const own: Uint8Array[] = [];
    const ping = peer.ping.bind(peer);
    peer.sendEncoded = (messages) => {
      if (messages.ping) ping(messages.ping);
    };
    peer.ping = (payload) => void own.push(payload);
    frame();
    expect([peer.pings.length, own.length]).toEqual([1, 0]);
    frame();
    peer.bufferedAmount = 1;
    frame();
    // For the second one, which was sent without; the third waits, and its number is lower now.
    await clock.advance(1_000);
    expect([peer.pings.length, own.length]).toEqual([1, 1]);
    await clock.advance(60);
    peer.drain();
    expect([peer.pings.length, own.length]).toEqual([1, 2]);
  });

  it('are asked for at once when a frame is held back behind frames without one', () => {
    const { join, frame } = stage();
    const peer = join();
    frame(100_000);
    frame(100_000);
    expect(peer.pings).toHaveLength(1);
    frame(100_000);
    expect(peer.pings).toHaveLength(2);
    frame(100_000);
    expect(peer.pings).toHaveLength(2);
  });

  it('are asked for within a second for frames that none follows', async () => {
    const { clock, join, frame } = stage();
    const peer = join();
    frame();
    frame();
    await clock.advance(1_000);
    expect(peer.pings).toHaveLength(2);
    await clock.advance(5_000);
    expect(peer.pings).toHaveLength(2);
  });

  it('may be given for the last of several pings alone', async () => {
    const { audience, clock, join, frame } = stage();
    const peer = join();
    frame(100_000);
    await clock.advance(60);
    frame(100_000);
    peer.pong(peer.pings[1]);
    expect(audience.facts()).toMatchObject([{ inFlightBytes: 0, receipts: 'working' }]);
  });

  it('are not taken from pongs that nobody asked for', () => {
    const { audience, join, frame } = stage();
    const peer = join();
    frame(100_000);
    for (const payload of ['', 'waymark', '\0\0\0\0\0\u0009']) peer.pong(Buffer.from(payload));
    expect(audience.facts()).toMatchObject([{ receipts: 'awaited' }]);
    expect(audience.facts()[0]?.inFlightBytes).toBeGreaterThan(100_000);
  });
});

describe('a subscriber that stalls', () => {
  it('is sent nothing after its frames on the way are 800 ms old, and then the newest at once', async () => {
    verifies('hub.fan-out.after-stall');
    const { clock, join, frame } = stage();
    const line = simulatedLine(clock, { roundTripMs: 10, rate: 1e6 });
    join({}, line.peer);
    const publishFor = async (ms: number): Promise<number> => {
      let last = 0;
      for (let at = 0; at < ms; at += 50) {
        last = frame(50_000);
        await clock.advance(50);
      }
      return last;
    };
    const before = await publishFor(5_000);
    line.form.stopped = true;
    const newest = await publishFor(10_000);
    const seen = line.arrivals.length;
    line.go();
    await clock.advance(20);
    const late = line.arrivals.slice(seen).map(({ seq }) => seq);
    expect(late.at(-1)).toBe(newest);
    expect(late.slice(0, -1).every((seq) => seq > before && seq <= before + 18)).toBe(true);
    expect(late.length).toBeGreaterThan(2);
    const after = await publishFor(5_000);
    expect(line.arrivals.at(-1)?.seq).toBe(after);
    expect(accounted(line.peer) + line.arrivals.length).toBe(after);
  });

  it.each([
    { name: 'is kept for 15 s', ms: 15_999, closed: undefined },
    { name: 'is closed after that', ms: 16_000, closed: { code: 4008, reason: 'stalled' } },
  ])('$name', async ({ ms, closed }) => {
    const { audience, clock, join, frame } = stage();
    const peer = join();
    frame(10);
    peer.pong();
    frame(10);
    await clock.advance(ms);
    expect(peer.closed).toEqual(closed);
    expect(audience.size).toBe(closed ? 0 : 1);
  });

  it('is kept as long as receipts come', async () => {
    const { clock, join, frame } = stage();
    const peer = join();
    frame(10);
    for (let second = 0; second < 60; second++) {
      await clock.advance(1_000);
      frame(10);
      peer.pong(peer.pings[second]);
    }
    expect(peer.closed).toBeUndefined();
  });

  it('is kept as long as its socket drains', async () => {
    const { clock, join, frame } = stage();
    const peer = join();
    for (let second = 0; second < 60; second += 10) {
      peer.stalled = true;
      frame(10);
      await clock.advance(10_000);
      peer.drain();
    }
    expect(peer.closed).toBeUndefined();
  });

  it('is kept when it has nothing to confirm', async () => {
    const { clock, join, frame } = stage();
    const peer = join();
    frame(10);
    peer.pong();
    await clock.advance(3_600_000);
    expect(peer.closed).toBeUndefined();
  });

  it('is closed when its socket takes nothing, though it was sent events alone', async () => {
    const { audience, clock, join } = stage();
    const peer = join();
    peer.stalled = true;
    audience.tell({ type: 'status' });
    await clock.advance(15_000);
    expect(peer.closed).toBeUndefined();
    await clock.advance(1_000);
    expect(peer.closed).toEqual({ code: 4008, reason: 'stalled' });
  });

  it('is given the time that a large frame takes at 50 KB/s', async () => {
    const { clock, join, frame } = stage();
    const peer = join();
    frame(10);
    peer.pong();
    frame(1_000_000);
    await clock.advance(35_000);
    expect(peer.closed).toBeUndefined();
    await clock.advance(2_000);
    expect(peer.closed).toEqual({ code: 4008, reason: 'stalled' });
  });
});

describe('a subscriber that stalls with many frames on their way', () => {
  it('is given the time of those before its next receipt, not of all', async () => {
    const { clock, join, frame } = stage();
    const line = simulatedLine(clock, { roundTripMs: 1, rate: 1e6 });
    join({}, line.peer);
    const publishUntil = async (over: () => boolean): Promise<number> => {
      let ms = 0;
      for (; ms < 100_000 && !over(); ms += 50) {
        frame(200_000);
        await clock.advance(50);
      }
      return ms;
    };
    await publishUntil(() => line.arrivals.length > 60);
    line.form.stopped = true;
    // The megabyte between two receipts takes 20 s at 50 KB/s; all that is on its way would take more than a minute.
    const closedMs = await publishUntil(() => line.peer.closed !== undefined);
    expect(line.peer.closed).toEqual({ code: 4008, reason: 'stalled' });
    expect(closedMs).toBeLessThan(40_000);
  });

  it('and has answered for its greeting is not taken for one that never answers', async () => {
    verifies('hub.fan-out.after-stall');
    const { audience, clock, join, frame } = stage();
    const peer = join({ opening: [{ type: 'hello' }] });
    peer.pong();
    for (let i = 0; i < 200; i++) {
      frame(50_000);
      await clock.advance(50);
    }
    expect(receivedRecords(peer).filter((record) => record.startsWith('frame'))).toHaveLength(1);
    expect(audience.facts()).toMatchObject([{ receipts: 'working' }]);
  });
});

describe('a client that answers no pings', () => {
  it('is sent whatever its socket takes, after 5 s', async () => {
    const { audience, clock, join, frame } = stage();
    const peer = join();
    for (let i = 0; i < 3; i++) frame(1_000);
    for (let i = 0; i < 2; i++) frame(20_000);
    await clock.advance(5_000);
    expect(audience.facts()).toMatchObject([{ receipts: 'awaited' }]);
    await clock.advance(1_000);
    expect(audience.facts()).toMatchObject([{ receipts: 'absent', inFlightBytes: 0, ageMs: 0 }]);
    peer.sent.length = 0;
    for (let i = 0; i < 5; i++) frame(20_000);
    expect(receivedRecords(peer)).toHaveLength(5);
    await clock.advance(60_000);
    expect(peer.closed).toBeUndefined();
  });

  it('is not taken for one while its socket is full: it has stalled', async () => {
    const { audience, clock, join, frame } = stage();
    const peer = memoryPeer();
    peer.stalled = true;
    join({}, peer);
    frame(1_000);
    await clock.advance(14_000);
    expect(audience.facts()).toMatchObject([{ receipts: 'awaited' }]);
    await clock.advance(2_000);
    expect(peer.closed).toEqual({ code: 4008, reason: 'stalled' });
  });

  it('is closed as stalled when its socket is full for 15 s', async () => {
    const { clock, join, frame } = stage();
    const peer = join();
    frame(1_000);
    await clock.advance(6_000);
    peer.stalled = true;
    frame(1_000);
    await clock.advance(17_000);
    expect(peer.closed).toEqual({ code: 4008, reason: 'stalled' });
  });

  it('is held to receipts from the first one on', async () => {
    const { audience, clock, join, frame } = stage();
    const peer = join();
    frame(100_000);
    await clock.advance(10_000);
    expect(audience.facts()).toMatchObject([{ receipts: 'absent' }]);
    peer.pong();
    expect(audience.facts()).toMatchObject([{ receipts: 'working', inFlightBytes: 0 }]);
    peer.sent.length = 0;
    for (let i = 0; i < 5; i++) frame(1_000_000);
    expect(receivedRecords(peer)).toHaveLength(1);
  });
});

describe('facts of a subscriber', () => {
  it('tell what it was sent and missed, what is on its way and how far away it is', async () => {
    const { audience, clock, join, frame } = stage();
    const peer = join({ meta: true });
    expect(audience.facts()).toEqual([
      {
        meta: true,
        delivered: 0,
        skipped: 0,
        inFlightBytes: 0,
        ageMs: 0,
        rttMs: undefined,
        receipts: 'awaited',
      },
    ]);
    frame();
    await clock.advance(30);
    const [onItsWay] = audience.facts();
    expect(onItsWay).toMatchObject({ delivered: 1, ageMs: 30 });
    expect(onItsWay?.inFlightBytes).toBeGreaterThan(50);
    peer.pong();
    peer.stalled = true;
    for (let i = 0; i < 4; i++) frame();
    expect(audience.facts()).toMatchObject([{ delivered: 2, skipped: 2, rttMs: 30, receipts: 'working' }]);
    peer.drain();
    expect(audience.facts()).toMatchObject([{ delivered: 3, skipped: 2 }]);
  });
});
