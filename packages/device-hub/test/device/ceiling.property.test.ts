import { fixedClock, verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryBackend } from '../../src/backend/memory-backend.ts';
import { toSettings } from '../../src/declarations/device-settings.ts';
import { Ingest } from '../../src/device/ingest.ts';
import { camera } from '../../src/index.ts';
import { png } from '../pictures.ts';
import { bodyOf } from '../serve-hub.ts';

const picture = png();

/** Sends a frame after each pause, by socket or by request. @returns when those came that were taken */
async function takenOf(maxFps: number, pausesMs: readonly number[]): Promise<readonly number[]> {
  const clock = fixedClock();
  const ingest = new Ingest({
    settings: toSettings(camera('door', { maxFps })),
    backend: createMemoryBackend({ keep: () => 1 }),
    telemetryPerSecond: 1,
    monotonic: clock.monotonic,
    stamp: clock.now,
    confirm: () => {},
    heard: () => {},
  });
  const taken: number[] = [];
  for (const [i, pauseMs] of pausesMs.entries()) {
    await clock.advance(pauseMs);
    const send = async () => (i % 2 === 0 ? ingest.takeMessage(picture) : ingest.takeBody(bodyOf(picture)));
    if ((await send().catch(() => undefined)) !== undefined) taken.push(clock.monotonic());
  }
  return taken;
}

const rates = fc.oneof(fc.integer({ min: 1, max: 120 }), fc.double({ min: 0.1, max: 120, noNaN: true }));

describe('max_fps', () => {
  it('is a ceiling: whatever comes, no second has more than that and two', async () => {
    verifies('hub.frames.ceiling', 'device.option.max-fps');
    const pauses = fc.oneof(
      fc.constant(0),
      fc.double({ min: 0, max: 60, noNaN: true }),
      fc.integer({ min: 0, max: 3_000 }),
    );
    await fc.assert(
      fc.asyncProperty(rates, fc.array(pauses, { minLength: 1, maxLength: 400 }), async (maxFps, all) => {
        const taken = await takenOf(maxFps, all);
        for (const [i, atMs] of taken.entries()) {
          const within = taken.slice(i).filter((laterMs) => laterMs - atMs <= 1_000);
          expect(within.length).toBeLessThanOrEqual(maxFps + 2);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('refuses nothing of a camera that sends just as fast, a quarter of a pause early or late', async () => {
    await fc.assert(
      fc.asyncProperty(
        rates,
        fc.array(fc.double({ min: 0, max: 0.25, noNaN: true }), { minLength: 2, maxLength: 300 }),
        async (maxFps, jitters) => {
          const times = jitters.map((jitter, i) => ((i + jitter) * 1_000) / maxFps);
          const pauses = times.map((atMs, i) => Math.max(0, atMs - (times[i - 1] ?? 0)));
          expect(await takenOf(maxFps, pauses)).toHaveLength(times.length);
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([
    [30, 33],
    [24, 41],
    [15, 66],
    [5, 198],
  ])(
    'of %d refuses nothing of a camera that sends every %d ms: its timer counts whole ones',
    async (maxFps, everyMs) => {
      verifies('hub.frames.ceiling');
      // A tenth of the pause early or late.
      const pauses = Array.from({ length: 600 }, (_, i) => everyMs * (i % 2 === 0 ? 0.9 : 1.1));
      expect(await takenOf(maxFps, pauses)).toHaveLength(600);
    },
  );

  it.each([
    [1, 1],
    [9.9, 1],
    [10, 2],
    [30, 2],
  ])('of %d lets %d come at once', async (maxFps, count) => {
    verifies('hub.frames.ceiling');
    expect(await takenOf(maxFps, [5, 0, 0, 0, 0])).toHaveLength(count);
  });
});
