import { verifies } from '@waymark/contract/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Publisher, yardClient } from './device-project.ts';
import type { ScriptedSocket } from './scripted-socket.ts';

const connect = yardClient();
const image = (first: number, length = 3): Uint8Array => new Uint8Array(length).fill(first);
const ready = { type: 'ready', device: 'door', max_fps: 30, receipts: true };
const tooFast = { type: 'receipt', seq: null, message: 'too fast' };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A publisher of a camera to a service that gives receipts. */
async function opened(options?: object) {
  const { door, network } = connect();
  const publisher = door.publish(options);
  const socket = await network.next();
  socket.accept();
  socket.tell(ready);
  return { publisher, socket, network };
}

/** A line with a width and a length; what it delivers is answered. */
interface Line {
  readonly roundTripMs: number;
  /** Bytes a millisecond. */
  readonly rate: number;
}

/** Films over a line, a step being a millisecond. @returns the age of each frame when it was through, and where the window ended */
async function film(line: Line, { fps, bytes, ms }: { fps: number; bytes: number; ms: number }) {
  const { publisher, socket } = await opened();
  const filmedMs: number[] = [];
  const agesMs: number[] = [];
  let [seen, freeMs, most] = [0, 0, 0];
  const answers: number[] = [];
  for (let at = 0; at < ms; at++) {
    if (Math.floor((at * fps) / 1_000) !== Math.floor(((at - 1) * fps) / 1_000)) {
      filmedMs.push(at);
      const frame = image(0, bytes);
      new DataView(frame.buffer).setUint32(0, filmedMs.length - 1);
      publisher.frame(frame);
    }
    for (; answers[0] !== undefined && answers[0] <= at; answers.shift())
      socket.tell({ type: 'receipt', seq: 1 });
    for (; seen < socket.sent.length; seen++) {
      const number = new DataView((socket.sent[seen] as Uint8Array).buffer).getUint32(0);
      freeMs = Math.max(freeMs, at) + bytes / line.rate;
      answers.push(freeMs + line.roundTripMs);
      if (at > ms / 2) {
        agesMs.push(freeMs + line.roundTripMs / 2 - (filmedMs[number] ?? 0));
        most = Math.max(most, answers.length);
      }
    }
    vi.advanceTimersByTime(1);
  }
  publisher.close();
  return { publisher, agesMs, most, fps: (agesMs.length * 2_000) / ms };
}

describe('a publisher that is given receipts', () => {
  it('counts what was taken and refused, and tells of each in order', async () => {
    verifies('client.publish.receipts');
    const receipts: unknown[] = [];
    const errors: string[] = [];
    const { publisher, socket } = await opened({
      onReceipt: (receipt: object) => receipts.push(receipt),
      onError: (message: string) => errors.push(message),
    });
    expect(publisher).toMatchObject({ taken: 0, refused: 0, roundTripMs: undefined });
    publisher.frame(image(1));
    vi.advanceTimersByTime(40);
    socket.tell({ type: 'receipt', seq: 7 });
    expect(publisher).toMatchObject({ taken: 1, refused: 0, roundTripMs: 40 });
    publisher.frame(image(2, 5));
    socket.tell(tooFast);
    expect(publisher).toMatchObject({ taken: 1, refused: 1, dropped: 0 });
    expect(receipts).toEqual([
      { seq: 7, bytes: 3 },
      { seq: null, message: 'too fast', bytes: 5 },
    ]);
    expect(errors).toEqual(['too fast']);
  });

  it('reports what is refused for one reason once a second', async () => {
    const errors: string[] = [];
    const { publisher, socket } = await opened({ onError: (message: string) => errors.push(message) });
    for (let i = 0; i < 20; i++) {
      publisher.frame(image(i));
      socket.tell(tooFast);
      vi.advanceTimersByTime(100);
    }
    expect(errors).toEqual(['too fast', 'too fast']);
    publisher.frame(image(0));
    socket.tell({ ...tooFast, message: 'too large' });
    expect(errors.at(-1)).toBe('too large');
    expect(publisher.refused).toBe(21);
  });

  it('minds no receipt that nobody asked for', async () => {
    const { publisher, socket } = await opened();
    socket.tell({ type: 'receipt', seq: 1 }, { type: 'receipt' });
    expect(publisher).toMatchObject({ taken: 0, refused: 0 });
  });

  it('sends the newest frame when the one before it was answered', async () => {
    verifies('client.publish.receipts');
    const { publisher, socket } = await opened();
    expect([1, 2, 3].map((first) => publisher.frame(image(first)))).toEqual([true, false, false]);
    expect(publisher.dropped).toBe(1);
    vi.advanceTimersByTime(500);
    expect(socket.sent).toEqual([image(1)]);
    socket.tell({ type: 'receipt', seq: 1 });
    expect(socket.sent).toEqual([image(1), image(3)]);
  });

  it('sends one frame before it knows whether there are receipts, and then as many as have room without them', async () => {
    const { door, network } = connect();
    const publisher = door.publish();
    const socket = await network.next();
    socket.accept();
    expect([1, 2].map((first) => publisher.frame(image(first)))).toEqual([true, false]);
    socket.tell({ type: 'ready', device: 'door', max_fps: 30 });
    expect(socket.sent).toEqual([image(1), image(2)]);
    for (let first = 3; first < 50; first++) expect(publisher.frame(image(first))).toBe(true);
    vi.advanceTimersByTime(120_000);
    expect(publisher).toMatchObject({ state: 'open', dropped: 0, taken: 0 });
  });

  it.each([
    ['near', { roundTripMs: 2, rate: 100_000 }, 30, 2],
    ['250 ms away', { roundTripMs: 250, rate: 100_000 }, 30, 8],
    ['100 ms away', { roundTripMs: 100, rate: 20_000 }, 30, 5],
  ])('keeps the pace of a camera of 30 fps, %s', async (_, line, fps, most) => {
    verifies('client.publish.receipts');
    const filmed = await film(line, { fps: 30, bytes: 50_000, ms: 10_000 });
    expect(filmed.fps).toBeGreaterThan(fps * 0.97);
    expect(filmed.most).toBeLessThanOrEqual(most);
    expect(Math.max(...filmed.agesMs)).toBeLessThan(line.roundTripMs / 2 + 50);
  });

  it.each([
    ['1 MB/s', { roundTripMs: 20, rate: 1_000 }, 5],
    ['1 MB/s, 100 ms away', { roundTripMs: 100, rate: 1_000 }, 5],
    ['4 MB/s', { roundTripMs: 40, rate: 4_000 }, 20],
  ])(
    'has no more than about 400 ms on its way over a line of %s, and all of its rate',
    async (_, line, fps) => {
      verifies('client.publish.receipts');
      const filmed = await film(line, { fps: 30, bytes: 200_000, ms: 20_000 });
      // A frame may have waited for its turn as long as another took.
      expect(Math.max(...filmed.agesMs)).toBeLessThan(400 + line.roundTripMs / 2 + 200_000 / line.rate);
      expect(filmed.fps).toBeGreaterThan(fps * 0.85);
    },
  );

  it('gives up a service that has owed a receipt for 5 s, and begins anew with one frame', async () => {
    verifies('client.publish.receipts');
    const { publisher, socket, network } = await opened();
    const film1 = (p: Publisher, s: ScriptedSocket): void => {
      p.frame(image(1));
      s.tell({ type: 'receipt', seq: 1 });
    };
    for (let i = 0; i < 10; i++) {
      film1(publisher, socket);
      vi.advanceTimersByTime(4_000);
    }
    publisher.frame(image(1));
    vi.advanceTimersByTime(3_000);
    publisher.frame(image(2));
    vi.advanceTimersByTime(1_990);
    expect(publisher.state).toBe('open');
    vi.advanceTimersByTime(20);
    expect([publisher.state, socket.closed]).toEqual(['waiting', true]);
    vi.advanceTimersByTime(1_000);
    const again = await network.next();
    publisher.frame(image(3));
    again.accept();
    again.tell(ready);
    publisher.frame(image(4));
    expect(again.sent).toEqual([image(3)]);
    again.tell({ type: 'receipt', seq: 1 });
    expect(again.sent).toEqual([image(3), image(4)]);
    publisher.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is back within a second of each break, as long as something was taken in between', async () => {
    verifies('client.publish.receipts');
    const { publisher, network, ...first } = await opened();
    let { socket } = first;
    for (let broke = 0; broke < 8; broke++) {
      publisher.frame(image(1));
      socket.tell({ type: 'receipt', seq: 1 });
      socket.drop();
      vi.advanceTimersByTime(1_000);
      socket = await network.next();
      socket.accept();
      socket.tell(ready);
    }
    expect(publisher.taken).toBe(8);
  });

  it('leaves a large frame the time that it takes on a slow line', async () => {
    const { publisher, socket } = await opened();
    publisher.frame(image(1, 5_000_000));
    vi.advanceTimersByTime(100_000);
    expect(publisher.state).toBe('open');
    socket.tell({ type: 'receipt', seq: 1 });
    expect(publisher.taken).toBe(1);
  });

  it.each([
    [1_900, 1],
    [2_100, 0],
  ])('sends a frame that has waited %i ms for a connection: %i', async (waitedMs, sent) => {
    verifies('client.publish.receipts');
    const { door, network } = connect();
    const publisher = door.publish();
    const socket = await network.next();
    publisher.frame(image(1));
    vi.advanceTimersByTime(waitedMs);
    socket.accept();
    expect([socket.sent.length, publisher.dropped]).toEqual([sent, 1 - sent]);
  });
});
