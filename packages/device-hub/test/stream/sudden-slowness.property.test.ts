import { byTier, verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simulatedLine } from './simulated-line.ts';
import { stage } from './stage.ts';

/** A fast line that becomes one of 1 MB/s at any moment, in between two receipts too. Times in milliseconds. */
const scene = fc.record({
  rate: fc.constantFrom(5_000, 50_000, 1e6),
  roundTripMs: fc.constantFrom(1, 4, 10),
  bytes: fc.integer({ min: 500, max: 200_000 }),
  gapMs: fc.constantFrom(10, 25, 33, 50),
  afterMs: fc.integer({ min: 0, max: 3_000 }),
});

describe('a fast line that gets slow', () => {
  it('brings no frame that is older than 400 ms, if it still moves 1 MB/s', async () => {
    verifies('hub.fan-out.sudden-slowness');
    let slowest = 0;
    const property = fc.asyncProperty(scene, async ({ rate, roundTripMs, bytes, gapMs, afterMs }) => {
      const { clock, join, frame } = stage();
      const line = simulatedLine(clock, { rate, roundTripMs });
      join({ opening: [{ type: 'hello' }] }, line.peer);
      const slowAtMs = clock.now() + 500 + afterMs;
      clock.after(500 + afterMs, () => {
        line.form.rate = 1_000;
      });
      while (clock.now() < slowAtMs + 3_000) {
        frame(bytes);
        await clock.advance(gapMs);
      }
      const oldestMs = Math.max(...line.arrivals.map(({ ageMs }) => ageMs));
      slowest = Math.max(slowest, oldestMs);
      expect(oldestMs).toBeLessThanOrEqual(400);
    });
    await fc.assert(property, { numRuns: byTier({ quick: 10, slow: 14, drill: 100 }), seed: 20_261_127 });
    // A line that nothing is kept from being full on would not show anything.
    expect(slowest).toBeGreaterThan(200);
  });
});
