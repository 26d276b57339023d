import { byTier, verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simulatedLine } from './simulated-line.ts';
import { receivedRecords, stage } from './stage.ts';

/** A line, and what a camera sends over it. Times in milliseconds, rates in bytes a millisecond. */
const scene = fc.record({
  rate: fc.constantFrom(300, 1_000, 20_000, 1e6),
  roundTripMs: fc.constantFrom(1, 40, 250),
  bytes: fc.integer({ min: 500, max: 200_000 }),
  gapMs: fc.constantFrom(25, 50, 100),
  stalls: fc.array(
    fc.record({ afterMs: fc.integer({ min: 0, max: 4_000 }), forMs: fc.integer({ min: 1_000, max: 9_000 }) }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
});

/** Before a stall is noticed: receipts are 200 ms apart, and waited for twice 400 ms. On a slow or long line it takes longer. */
const noticedMs = 1_000;

describe('a reader that stalls now and then', () => {
  it('is sent nothing of a stall once that was noticed, and is told of everything else', async () => {
    verifies('hub.fan-out.after-stall', 'hub.fan-out.accounted');
    let stalled = 0;
    const property = fc.asyncProperty(scene, async ({ rate, roundTripMs, bytes, gapMs, stalls }) => {
      const { clock, join, frame } = stage();
      const line = simulatedLine(clock, { rate, roundTripMs });
      join({ opening: [{ type: 'hello' }] }, line.peer);
      let published = 0;
      const film = async (ms: number): Promise<void> => {
        for (let at = 0; at < ms; at += gapMs) {
          published = frame(bytes);
          await clock.advance(gapMs);
        }
      };
      for (const { afterMs, forMs } of stalls) {
        await film(1_000 + afterMs);
        line.form.stopped = true;
        const atMs = clock.now();
        await film(forMs);
        const seen = line.arrivals.length;
        line.go();
        const old = line.arrivals.slice(seen).map(({ ageMs }) => clock.now() - ageMs);
        const travelMs = roundTripMs + (2 * bytes) / rate;
        expect(old.filter((sentMs) => sentMs > atMs + noticedMs + 2.5 * travelMs + gapMs)).toEqual([]);
        stalled += old.length;
      }
      await film(3_000);
      await clock.advance(10_000);
      const told = receivedRecords(line.peer).reduce(
        (sum, record) => sum + (record.startsWith('lagged ') ? Number(record.slice(7)) : 0),
        0,
      );
      expect(line.peer.closed).toBeUndefined();
      expect(line.arrivals.length + told).toBe(published);
    });
    await fc.assert(property, { numRuns: byTier({ quick: 6, slow: 8, drill: 40 }), seed: 20_260_303 });
    expect(stalled).toBeGreaterThan(0);
  });
});
