import { byTier } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type Delivery, DeliveryWindow } from '../../src/stream/delivery-window.ts';
import { defaultStreamLimits } from '../../src/stream/stream-limits.ts';
import { type LineForm, type SimulatedLine, simulatedLine } from './simulated-line.ts';
import { type Stage, stage } from './stage.ts';

const slack = defaultStreamLimits.slackBytes;

function delivery(more: Partial<Delivery> = {}): Delivery {
  const bytes = more.bytes ?? 10_000;
  return { confirmed: bytes, bytes, ms: 10, roundTripMs: 5, alone: false, ...more };
}

/** A window that knows a line of `rate` bytes per millisecond. */
function windowOf(rate: number, roundTripMs: number): DeliveryWindow {
  const window = new DeliveryWindow(defaultStreamLimits);
  window.observe(delivery({ bytes: rate * 10, roundTripMs, alone: true }), 0);
  return window;
}

function inFlight(bytes: number, askedAtMs: number | undefined = 0) {
  return { bytes, askedAtMs };
}

describe('DeliveryWindow', () => {
  it('admits a message of any size to an empty line', () => {
    const window = new DeliveryWindow(defaultStreamLimits);
    expect(window.admits(1e9, { bytes: 0, askedAtMs: undefined }, 0)).toBe(true);
  });

  it('admits two messages to a line it knows nothing of, however late the first one is', () => {
    const window = new DeliveryWindow(defaultStreamLimits);
    expect(window.admits(1e6, inFlight(1e6), 60_000)).toBe(true);
    expect(window.admits(1e6, inFlight(1e6 + 1), 60_000)).toBe(false);
  });

  it.each([
    { rate: 500, most: 150_000 },
    { rate: 1_000, most: 300_000 },
    { rate: 1_000_000, most: 300_000 },
  ])('admits what a line of $rate KB/s delivers in time, or one of 1 MB/s would', ({ rate, most }) => {
    const window = windowOf(rate, 0);
    expect(window.admits(10_000, inFlight(most + slack - 10_000), 100)).toBe(true);
    expect(window.admits(10_000, inFlight(most + slack - 9_999), 100)).toBe(false);
  });

  it.each([
    { roundTripMs: 400, most: 500_000 },
    { roundTripMs: 800, most: 1_000_000 },
  ])('admits what it delivers meanwhile, and a frame, when $roundTripMs ms away', ({ roundTripMs, most }) => {
    const window = windowOf(1_000, roundTripMs);
    window.sent(50_000, 'frame');
    expect(window.admits(50_000, inFlight(most + slack), 100)).toBe(true);
    expect(window.admits(50_000, inFlight(most + slack + 1), 100)).toBe(false);
  });

  it('admits no more than its room once the receipt of a far line is late', () => {
    const window = windowOf(1_000, 400);
    // The round trip and a quarter, and what is in front of it.
    expect(window.admits(1_000, inFlight(400_000, 100), 1_000)).toBe(true);
    expect(window.admits(1_000, inFlight(400_000, 100), 1_001)).toBe(false);
    expect(window.admits(1_000, inFlight(300_000, 100), 1_001)).toBe(true);
    // What no receipt was asked for may have arrived long ago.
    expect(window.admits(1_000, { bytes: 400_000, askedAtMs: undefined }, 1_001)).toBe(true);
  });

  it('admits nothing behind a receipt that is 400 ms late', () => {
    const window = windowOf(1_000, 0);
    expect(window.admits(100, inFlight(2_000, 100), 502)).toBe(true);
    expect(window.admits(100, inFlight(2_000, 100), 503)).toBe(false);
  });

  it('believes the best of eight measurements, each of a tenth of a second at least', () => {
    const window = windowOf(1_000, 0);
    const slow = delivery({ bytes: 10_000, ms: 100, roundTripMs: 0 });
    const learn = (atMs: number): void => {
      window.admits(1e9, inFlight(1), atMs);
      window.observe(slow, atMs);
    };
    for (let i = 1; i <= 7; i++) learn(100 * i);
    // Too soon to be one.
    learn(799);
    expect(window.admits(1_000, inFlight(300_000, 800), 800)).toBe(true);
    learn(800);
    expect(window.admits(1_000, inFlight(300_000, 800), 800)).toBe(false);
    expect(window.admits(1_000, inFlight(30_000, 800), 800)).toBe(true);
  });

  it('takes no lull for a slow line: nothing was held back', () => {
    const window = windowOf(1_000, 0);
    for (let i = 1; i <= 20; i++)
      window.observe(delivery({ bytes: 100, ms: 100, roundTripMs: 0 }), 1_000 * i);
    expect(window.admits(1_000, inFlight(300_000, 20_000), 20_000)).toBe(true);
  });

  it('takes what came within milliseconds for no rate: what lasts counts', () => {
    const window = windowOf(1, 0);
    for (let i = 1; i <= 3; i++) window.observe(delivery({ bytes: 10_000, ms: 1, roundTripMs: 0 }), 100 * i);
    expect(window.admits(1_000, inFlight(30_000 + slack - 1_000, 300), 300)).toBe(true);
    expect(window.admits(1_000, inFlight(30_000 + slack - 999, 300), 300)).toBe(false);
  });

  it('wants the first receipts every 50 ms', () => {
    const window = new DeliveryWindow(defaultStreamLimits);
    expect([49, 50].map((ms) => window.wantsReceipt(inFlight(1), ms))).toEqual([false, true]);
  });

  it('wants one every 250 ms from a near reader, or when the next frame would have to wait for it', () => {
    const window = windowOf(1_000, 0);
    window.sent(50_000, 'frame');
    expect([249, 250].map((ms) => window.wantsReceipt(inFlight(50_000), ms))).toEqual([false, true]);
    expect([250_000, 250_001].map((bytes) => window.wantsReceipt(inFlight(bytes), 0))).toEqual([false, true]);
  });

  it('wants one sooner from a far reader, by what arrives until it comes', () => {
    const window = windowOf(1_000, 80);
    window.sent(50_000, 'frame');
    expect([150_000, 150_001].map((bytes) => window.wantsReceipt(inFlight(bytes), 0))).toEqual([false, true]);
  });

  it.each([
    {
      what: 'something was held back',
      press: (window: DeliveryWindow) => void window.admits(1e6, inFlight(1e6), 0),
    },
    { what: 'the socket was full', press: (window: DeliveryWindow) => window.press() },
  ])('wants one for each message once $what, until one comes in time again', ({ press }) => {
    const window = windowOf(1_000, 4);
    press(window);
    expect(window.wantsReceipt(inFlight(1), 0)).toBe(true);
    window.observe(delivery({ roundTripMs: 16 }), 50);
    expect(window.wantsReceipt(inFlight(1), 0)).toBe(true);
    window.observe(delivery({ roundTripMs: 15 }), 100);
    expect(window.wantsReceipt(inFlight(1), 0)).toBe(false);
  });

  it('gives readings their room beside a large frame', () => {
    const window = windowOf(1, 5);
    window.sent(200_000, 'frame');
    window.sent(100, 'event');
    expect(window.admits(100, inFlight(200_100), 0)).toBe(true);
    expect(window.admits(200_000, inFlight(200_100), 0)).toBe(false);
  });

  it('gives frames their room as they are now, however large they were', () => {
    const window = windowOf(1, 5);
    window.sent(1_000_000, 'frame');
    window.sent(12_000, 'frame');
    expect(window.admits(12_000, inFlight(16_000), 0)).toBe(true);
    expect(window.admits(12_000, inFlight(30_000), 0)).toBe(false);
  });

  it('measures the round trip on an empty line, the least of two, and otherwise lets it only shrink', () => {
    const window = windowOf(1_000, 100);
    const after = (roundTripMs: number, alone: boolean): number | undefined => {
      window.observe(delivery({ roundTripMs, alone }), 0);
      return window.roundTripMs;
    };
    expect(after(900, false)).toBe(100);
    expect(after(60, false)).toBe(60);
    expect(after(900, true)).toBe(100);
    expect(after(800, true)).toBe(800);
    expect(after(80, true)).toBe(80);
  });

  it('wants the round trip of an empty line a second after it held something back', () => {
    const window = windowOf(1_000, 100);
    expect(window.wantsRoundTrip(5_000)).toBe(false);
    window.admits(1e6, inFlight(1e6), 500);
    expect([999, 1_000].map((ms) => window.wantsRoundTrip(ms))).toEqual([false, true]);
    window.observe(delivery({ bytes: 0, roundTripMs: 100, alone: true }), 1_000);
    expect(window.wantsRoundTrip(5_000)).toBe(false);
  });

  it('lets the line run empty for a new measurement once the last is 10 s old and holds something back', () => {
    const full = (ms: number) => inFlight(1e9, ms);
    const window = windowOf(1_000, 100);
    const nearlyFull = (ms: number): boolean => window.admits(1_000, inFlight(20_000, ms), ms);
    expect(window.admits(1_000, full(9_999), 9_999)).toBe(false);
    expect(nearlyFull(9_999)).toBe(true);
    expect(window.admits(1_000, full(10_000), 10_000)).toBe(false);
    expect(nearlyFull(10_000)).toBe(false);
    expect(window.admits(1_000, inFlight(0), 10_000)).toBe(true);
    window.sent(1_000, 'frame');
    window.observe(delivery({ bytes: 0, roundTripMs: 100, alone: true }), 10_000);
    expect(nearlyFull(10_000)).toBe(true);
  });
});

/** Publishes for a while, and gives the ages of the frames that arrived meanwhile. */
async function watch(
  { clock, frame }: Stage,
  { arrivals }: SimulatedLine,
  { bytes, fps, seconds }: { bytes: number; fps: number; seconds: number },
): Promise<{ readonly fps: number; readonly oldestMs: number }> {
  const before = arrivals.length;
  for (let i = 0; i < fps * seconds; i++) {
    frame(bytes);
    await clock.advance(1_000 / fps);
  }
  const seen = arrivals.slice(before);
  return { fps: seen.length / seconds, oldestMs: Math.max(...seen.map(({ ageMs }) => ageMs)) };
}

function joined(form: Partial<LineForm>): Stage & { readonly line: SimulatedLine } {
  const made = stage();
  const line = simulatedLine(made.clock, form);
  made.join({ opening: [{ type: 'hello' }] }, line.peer);
  return { ...made, line };
}

/** Of the line's own time: it is measured anew every 10 s. */
const seconds = byTier({ quick: 30, slow: 30, drill: 110 });

describe('frames over a simulated line', () => {
  it.each([
    // A frame that takes more than half of the time travels alone: each costs a round trip more.
    { rate: 1_000, bytes: 200_000, fps: 20, kept: 4.85 },
    { rate: 1_000, bytes: 50_000, fps: 40, kept: 19.6 },
    { rate: 500, bytes: 25_000, fps: 40, kept: 19.6 },
  ])(
    'stay young for minutes when it moves $rate KB/s, and fill it: $bytes bytes at $fps fps',
    async ({ rate, bytes, fps, kept }) => {
      const { line, ...shown } = joined({ rate, roundTripMs: 4 });
      await watch(shown, line, { bytes, fps, seconds: 10 });
      const seen = await watch(shown, line, { bytes, fps, seconds });
      expect(seen.oldestMs).toBeLessThanOrEqual(400);
      expect(seen.fps).toBeGreaterThan(kept);
    },
  );

  it.each([250, 600])('all reach a reader %d ms away, as fast as they can', async (roundTripMs) => {
    const { line, ...shown } = joined({ roundTripMs });
    await watch(shown, line, { bytes: 200_000, fps: 20, seconds: 10 });
    const seen = await watch(shown, line, { bytes: 200_000, fps: 20, seconds });
    expect(seen.fps).toBeGreaterThan(19.9);
    expect(seen.oldestMs).toBeLessThan(roundTripMs / 2 + 5);
  });

  it('all reach a reader that has moved away', async () => {
    const { line, ...shown } = joined({ roundTripMs: 20 });
    await watch(shown, line, { bytes: 100_000, fps: 20, seconds: 10 });
    line.form.roundTripMs = 900;
    await watch(shown, line, { bytes: 100_000, fps: 20, seconds: 60 });
    const seen = await watch(shown, line, { bytes: 100_000, fps: 20, seconds: 20 });
    expect(seen.fps).toBeGreaterThan(19.9);
  });

  it('are 300 ms old at most when 200 KB at 20 fps meet 1 MB/s', async () => {
    const { line, ...shown } = joined({ rate: 1_000, roundTripMs: 4 });
    await watch(shown, line, { bytes: 200_000, fps: 20, seconds: 5 });
    const seen = await watch(shown, line, { bytes: 200_000, fps: 20, seconds });
    expect(seen.oldestMs).toBeLessThanOrEqual(300);
  });

  it('are young when they have become small', async () => {
    const { line, ...shown } = joined({ rate: 100, roundTripMs: 4 });
    await watch(shown, line, { bytes: 1_000_000, fps: 1, seconds: 10 });
    await watch(shown, line, { bytes: 12_000, fps: 30, seconds: 20 });
    const seen = await watch(shown, line, { bytes: 12_000, fps: 30, seconds: 30 });
    expect(seen.oldestMs).toBeLessThan(700);
    expect(seen.fps).toBeGreaterThan(8);
  });

  it('are as old as the line is slower than 1 MB/s when it gets slow, and young again within seconds', async () => {
    const { line, ...shown } = joined({ rate: 1e6, roundTripMs: 20 });
    await watch(shown, line, { bytes: 100_000, fps: 20, seconds: 10 });
    line.form.rate = 500;
    const first = await watch(shown, line, { bytes: 100_000, fps: 20, seconds: 10 });
    const then = await watch(shown, line, { bytes: 100_000, fps: 20, seconds: 30 });
    expect(first.oldestMs).toBeLessThan(800);
    expect(then.oldestMs).toBeLessThanOrEqual(400);
  });
});
