import { describe, expect, it } from 'vitest';
import { FrameClock } from '../../browser/view/frame-clock.ts';

/** A picture every 100 ms by the clock of a hub. */
function run(seconds: number, toAtMs: (ms: number) => number, toDelayMs: (ms: number) => number): number[] {
  const clock = new FrameClock();
  return Array.from({ length: seconds * 10 }, (_, i) => {
    const ms = i * 100;
    return clock.latenessMs(toAtMs(ms), ms + toDelayMs(ms));
  });
}

describe('FrameClock', () => {
  it('tells how late a picture is, however far the clocks are apart', () => {
    const lateness = run(
      20,
      (ms) => ms + 1_764_000_000_000,
      (ms) => (ms % 1_000 === 900 ? 330 : 30),
    );
    expect(Math.max(...lateness)).toBe(300);
    expect(lateness.filter((ms) => ms === 0)).toHaveLength(180);
  });

  it('never drifts: a clock that is 100 millionths too fast or slow is 6 ms off, also after an hour', () => {
    for (const drift of [1.0001, 0.9999])
      expect(
        Math.max(
          ...run(
            3_600,
            (ms) => ms * drift,
            () => 20,
          ),
        ),
      ).toBeLessThan(8);
  });

  it.each([-3_600_000, -400, 400, 3_600_000])('outlives a clock of the hub that is set by %i ms', (step) => {
    const lateness = run(
      20,
      (ms) => ms + (ms < 10_000 ? 0 : step),
      () => 20,
    );
    expect(Math.max(...lateness)).toBe(0);
  });

  it('keeps a few numbers, however long it runs', () => {
    const lateness = run(
      600,
      (ms) => ms,
      (ms) => (ms < 300_000 ? 10 : 260),
    );
    // A line that is slower for good is not late for ever.
    expect(lateness[3_000]).toBe(250);
    expect(lateness.at(-1)).toBe(0);
  });
});
