import { describe, expect, it } from 'vitest';
import { type Delivery, DeliveryWindow } from '../../src/stream/delivery-window.ts';
import { defaultStreamLimits } from '../../src/stream/stream-limits.ts';
import { type LineForm, type SimulatedLine, simulatedLine } from './simulated-line.ts';
import { type Stage, stage } from './stage.ts';

const slack = defaultStreamLimits.slackBytes;

/** A window that knows a line of `rate` bytes per millisecond. */
function windowOf(rate: number, roundTripMs: number, more: Partial<Delivery> = {}): DeliveryWindow {
  const window = new DeliveryWindow(defaultStreamLimits);
  window.observe({ bytes: rate * 10, ms: 10, roundTripMs, alone: true, ...more }, 0);
  return window;
}

function inFlight(bytes: number, askedAtMs = 0) {
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

  it('admits what the line delivers within 400 ms', () => {
    const window = windowOf(1_000, 5);
    for (const [before, admitted] of [
      [400_000 + slack - 10_001, true],
      [400_000 + slack - 10_000, true],
      [400_000 + slack - 9_999, false],
    ] as const)
      expect(window.admits(10_000, inFlight(before), 100)).toBe(admitted);
  });

  it.each([
    { roundTripMs: 320, ms: 400 },
    { roundTripMs: 400, ms: 500 },
    { roundTripMs: 800, ms: 1_000 },
  ])('admits what it delivers within $ms ms when $roundTripMs ms away', ({ roundTripMs, ms }) => {
    const window = windowOf(1_000, roundTripMs);
    const most = ms * 1_000 + slack - 1_000;
    expect(window.admits(1_000, inFlight(most), 100)).toBe(true);
    expect(window.admits(1_000, inFlight(most + 1), 100)).toBe(false);
  });

  it('admits one frame more to a far line', () => {
    const window = new DeliveryWindow(defaultStreamLimits);
    window.sent(50_000, 'frame');
    window.observe({ bytes: 10_000, ms: 10, roundTripMs: 400, alone: true }, 0);
    expect(window.admits(50_000, inFlight(500_000 + slack), 100)).toBe(true);
    expect(window.admits(50_000, inFlight(500_000 + slack + 1), 100)).toBe(false);
  });

  it('admits no third message while one is waited for twice as long', () => {
    const window = windowOf(1e6, 5);
    expect(window.admits(1_000, inFlight(2_000, 100), 900)).toBe(true);
    expect(window.admits(1_000, inFlight(2_000, 100), 901)).toBe(false);
    expect(window.admits(1_000, inFlight(1_000, 100), 901)).toBe(true);
    // What no receipt was asked for may have arrived long ago.
    expect(window.admits(1_000, { bytes: 2_000, askedAtMs: undefined }, 901)).toBe(true);
  });

  it('believes the best of the last eight deliveries', () => {
    const window = windowOf(1_000, 5);
    const slow: Delivery = { bytes: 1_000, ms: 10, roundTripMs: 5, alone: false };
    for (let i = 0; i < 7; i++) window.observe(slow, 0);
    expect(window.admits(1_000, inFlight(390_000), 0)).toBe(true);
    window.observe(slow, 0);
    expect(window.admits(1_000, inFlight(390_000), 0)).toBe(false);
    expect(window.admits(1_000, inFlight(39_000), 0)).toBe(true);
  });

  it.each([
    { roundTripMs: 0, everyMs: 200 },
    { roundTripMs: 160, everyMs: 100 },
    { roundTripMs: 240, everyMs: 50 },
    { roundTripMs: 900, everyMs: 50 },
  ])('wants a receipt every $everyMs ms of a reader $roundTripMs ms away', ({ roundTripMs, everyMs }) => {
    expect(new DeliveryWindow(defaultStreamLimits).receiptEveryMs).toBe(50);
    expect(windowOf(1_000, roundTripMs).receiptEveryMs).toBe(everyMs);
  });

  it('gives readings their room beside two frames', () => {
    const window = windowOf(1, 5);
    window.sent(200_000, 'frame');
    window.sent(100, 'event');
    expect(window.admits(100, inFlight(400_000), 0)).toBe(true);
    expect(window.admits(200_000, inFlight(200_000 + 300), 0)).toBe(true);
  });

  it('gives frames the room of two as they are now, however large they were', () => {
    const window = windowOf(1, 5);
    window.sent(1_000_000, 'frame');
    window.sent(12_000, 'frame');
    expect(window.admits(12_000, inFlight(16_000), 0)).toBe(true);
    expect(window.admits(12_000, inFlight(30_000), 0)).toBe(false);
  });

  it('measures the round trip on an empty line, and otherwise lets it only shrink', () => {
    const window = windowOf(1_000, 100);
    window.observe({ bytes: 1, ms: 1, roundTripMs: 900, alone: false }, 0);
    expect(window.roundTripMs).toBe(100);
    window.observe({ bytes: 1, ms: 1, roundTripMs: 60, alone: false }, 0);
    expect(window.roundTripMs).toBe(60);
    window.observe({ bytes: 1, ms: 1, roundTripMs: 80, alone: true }, 0);
    expect(window.roundTripMs).toBe(80);
  });

  it('lets the line run empty for a new measurement once the last is 30 s old and holds something back', () => {
    const full = inFlight(1e9);
    const nearlyFull = inFlight(20_000);
    const window = windowOf(1_000, 100);
    expect(window.admits(1_000, full, 29_999)).toBe(false);
    expect(window.admits(1_000, { bytes: 20_000, askedAtMs: 29_999 }, 29_999)).toBe(true);
    expect(window.admits(1_000, full, 30_000)).toBe(false);
    expect(window.admits(1_000, nearlyFull, 30_000)).toBe(false);
    expect(window.admits(1_000, inFlight(0), 30_000)).toBe(true);
    window.sent(1_000, 'frame');
    window.observe({ bytes: 1, ms: 1, roundTripMs: 100, alone: true }, 30_000);
    expect(window.admits(1_000, { bytes: 20_000, askedAtMs: 30_000 }, 30_000)).toBe(true);
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

describe('frames over a simulated line', () => {
  it.each([
    { rate: 1_000, bytes: 200_000, fps: 20, kept: 4.9 },
    { rate: 1_000, bytes: 50_000, fps: 40, kept: 19.6 },
    { rate: 500, bytes: 25_000, fps: 40, kept: 19.6 },
  ])(
    'stay young for minutes when it moves $rate KB/s, and fill it: $bytes bytes at $fps fps',
    async ({ rate, bytes, fps, kept }) => {
      const { line, ...shown } = joined({ rate, roundTripMs: 4 });
      await watch(shown, line, { bytes, fps, seconds: 10 });
      const seen = await watch(shown, line, { bytes, fps, seconds: 110 });
      expect(seen.oldestMs).toBeLessThan(700);
      expect(seen.fps).toBeGreaterThan(kept);
    },
  );

  it.each([250, 600])('all reach a reader %d ms away, as fast as they can', async (roundTripMs) => {
    const { line, ...shown } = joined({ roundTripMs });
    await watch(shown, line, { bytes: 200_000, fps: 20, seconds: 10 });
    const seen = await watch(shown, line, { bytes: 200_000, fps: 20, seconds: 60 });
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

  it('are half a second old at most when 200 KB at 20 fps meet 1 MB/s', async () => {
    const { line, ...shown } = joined({ rate: 1_000, roundTripMs: 4 });
    await watch(shown, line, { bytes: 200_000, fps: 20, seconds: 5 });
    const seen = await watch(shown, line, { bytes: 200_000, fps: 20, seconds: 60 });
    expect(seen.oldestMs).toBeLessThanOrEqual(500);
  });

  it('are young when they have become small', async () => {
    const { line, ...shown } = joined({ rate: 100, roundTripMs: 4 });
    await watch(shown, line, { bytes: 1_000_000, fps: 1, seconds: 10 });
    await watch(shown, line, { bytes: 12_000, fps: 30, seconds: 20 });
    const seen = await watch(shown, line, { bytes: 12_000, fps: 30, seconds: 30 });
    expect(seen.oldestMs).toBeLessThan(700);
    expect(seen.fps).toBeGreaterThan(8);
  });

  it('are young again within seconds when the line gets slow', async () => {
    const { line, ...shown } = joined({ rate: 1e6, roundTripMs: 20 });
    await watch(shown, line, { bytes: 100_000, fps: 20, seconds: 10 });
    line.form.rate = 500;
    const first = await watch(shown, line, { bytes: 100_000, fps: 20, seconds: 10 });
    const then = await watch(shown, line, { bytes: 100_000, fps: 20, seconds: 30 });
    expect(first.oldestMs).toBeLessThan(4_000);
    expect(then.oldestMs).toBeLessThan(600);
  });
});
