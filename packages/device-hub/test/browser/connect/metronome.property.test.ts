import { byTier } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Metronome } from '../../../browser/connect/sending/metronome.ts';
import { IngestBucket } from '../../../src/device/ingest-bucket.ts';

/** When the pictures of a camera come: its rhythm, and what is late of it. */
const camera = fc.record({
  perSecond: fc.constantFrom(7.5, 15, 24, 25, 29.97, 30, 60),
  lateMs: fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 40 }),
  lateOneIn: fc.integer({ min: 2, max: 20 }),
});
const wish = fc.oneof(
  fc.constantFrom(0.5, 1, 2, 5, 9, 10, 15, 20, 29, 30),
  fc.double({ min: 0.2, max: 60, noNaN: true }),
);

describe('Metronome', () => {
  it('chooses none that comes too fast for a hub that takes so many, whatever the camera does', () => {
    const property = fc.property(camera, wish, ({ perSecond, lateMs, lateOneIn }, most) => {
      const metronome = new Metronome();
      const bucket = new IngestBucket(most, most < 10 ? 1.25 : 2);
      let shown = 0;
      for (let i = 0; i < 600; i++) {
        const late = i % lateOneIn === 0 ? (lateMs[i % lateMs.length] ?? 0) : 0;
        // Pictures come in their order.
        shown = Math.max(shown, (i * 1000) / perSecond + late);
        if (metronome.isDue(shown, most)) expect(bucket.take(shown)).toBe(true);
      }
    });
    fc.assert(property, { numRuns: byTier({ quick: 50, slow: 150, drill: 2_000 }) });
  });

  it('keeps the rate that was chosen on average, where the camera gives enough', () => {
    const property = fc.property(
      fc.constantFrom(24, 25, 29.97, 30, 60),
      fc.integer({ min: 1, max: 24 }),
      (camera, most) => {
        const metronome = new Metronome();
        let chosen = 0;
        for (let i = 0; i < 20 * camera; i++) if (metronome.isDue((i * 1000) / camera, most)) chosen++;
        expect(chosen / 20).toBeGreaterThan(most * (most < 10 ? 0.85 : 0.9));
        expect(chosen / 20).toBeLessThanOrEqual(most + 0.1);
      },
    );
    fc.assert(property, { numRuns: byTier({ quick: 30, slow: 50, drill: 300 }) });
  });

  it('begins at once after a pause, and makes up for nothing', () => {
    const metronome = new Metronome();
    expect(metronome.isDue(0, 10)).toBe(true);
    const chosen = Array.from({ length: 31 }, (_, i) => 60_000 + i * 33).filter((ms) =>
      metronome.isDue(ms, 10),
    );
    expect(chosen[0]).toBe(60_000);
    expect(chosen.length).toBeLessThanOrEqual(11);
  });
});
