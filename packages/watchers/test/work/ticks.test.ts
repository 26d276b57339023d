import { fixedClock, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { Ticks } from '../../src/work/ticks.ts';

const dayMs = 24 * 3_600_000;

describe('Ticks', () => {
  it('come at once and then every ten seconds for a day, whatever the clock on the wall is set to', async () => {
    verifies('watcher.ticks');
    const clock = fixedClock();
    const at: number[] = [];
    const ticks = new Ticks(10_000, clock, () => void at.push(clock.monotonic()));
    ticks.start();
    for (let hour = 0; hour < 24; hour++) {
      await clock.advance(3_600_000);
      clock.step(hour % 2 === 0 ? 5 * 3_600_000 : -dayMs);
    }
    expect(at).toEqual(Array.from({ length: 8_641 }, (_, i) => i * 10_000));
  });

  it('do not drift when timers are late', async () => {
    const clock = fixedClock();
    const at: number[] = [];
    const late = {
      monotonic: clock.monotonic,
      after: (ms: number, task: () => void) => clock.after(ms + 7, task),
    };
    const ticks = new Ticks(100, late, () => void at.push(clock.monotonic()));
    ticks.start();
    await clock.advance(3_600_000);
    expect(at).toHaveLength(36_000);
    expect(at.at(-1)).toBe(3_599_907);
  });

  it('leave out what a stall has missed', async () => {
    const clock = fixedClock();
    let lateMs = 0;
    const at: number[] = [];
    const stalled = {
      monotonic: clock.monotonic,
      after: (ms: number, task: () => void) => clock.after(ms + lateMs, task),
    };
    const ticks = new Ticks(1_000, stalled, () => {
      at.push(clock.monotonic());
      lateMs = at.length === 2 ? 4_400 : 0;
    });
    ticks.start();
    await clock.advance(8_500);
    // The timer for the third was set before the stall.
    expect(at).toEqual([0, 1_000, 2_000, 7_400, 8_000]);
  });

  it('do not come twice when a timer fires a little early', async () => {
    const clock = fixedClock();
    const at: number[] = [];
    const early = {
      monotonic: clock.monotonic,
      after: (ms: number, task: () => void) => clock.after(Math.max(0, ms - 1), task),
    };
    const ticks = new Ticks(1_000, early, () => void at.push(clock.monotonic()));
    ticks.start();
    await clock.advance(3_500);
    expect(at).toEqual([0, 999, 1_999, 2_999]);
  });

  it('say when the next one is due, and end', async () => {
    const clock = fixedClock();
    let count = 0;
    const ticks = new Ticks(1_000, clock, () => void count++);
    expect(ticks.untilNextMs).toBeUndefined();
    ticks.start();
    await clock.advance(300);
    expect(ticks.untilNextMs).toBe(700);
    ticks.stop();
    await clock.advance(5_000);
    expect([count, clock.pending, ticks.untilNextMs]).toEqual([1, 0, undefined]);
  });
});
