import { describe, expect, it } from 'vitest';
import {
  bestQuality,
  longestPatience,
  Pace,
  smallestQuality,
  worstQuality,
} from '../../../browser/connect/sending/pace.ts';

/** Seconds in which pictures found their way, or did not. */
function seconds(pace: Pace, count: number, { sent, skipped = 0 }: { sent: number; skipped?: number }): void {
  for (let i = 0; i < count; i++) {
    for (let n = 0; n < sent; n++) pace.sent();
    for (let n = 0; n < skipped; n++) pace.skipped();
    pace.judge();
  }
}

describe('Pace', () => {
  it('lowers the quality first, then the rate, while the line is slow', () => {
    const pace = new Pace(30);
    seconds(pace, 1, { sent: 20, skipped: 10 });
    expect(pace).toMatchObject({ quality: bestQuality * 0.85, perSecond: 30, blame: 'slow-line' });
    seconds(pace, 4, { sent: 20, skipped: 10 });
    expect(pace).toMatchObject({ quality: worstQuality, perSecond: 30 });
    seconds(pace, 1, { sent: 20, skipped: 10 });
    expect(pace).toMatchObject({ quality: worstQuality, perSecond: 22.5 });
    seconds(pace, 100, { sent: 0, skipped: 5 });
    expect(pace.perSecond).toBe(1);
  });

  it('does not mind one that finds no room now and then', () => {
    const pace = new Pace(30);
    seconds(pace, 50, { sent: 29, skipped: 1 });
    seconds(pace, 50, { sent: 4, skipped: 1 });
    expect(pace).toMatchObject({ quality: bestQuality, perSecond: 30, blame: 'well' });
  });

  it('rises again, the rate first, and ends where it began', () => {
    const pace = new Pace(30);
    seconds(pace, 8, { sent: 5, skipped: 5 });
    const { quality, perSecond } = pace;
    seconds(pace, 2, { sent: 5 });
    expect(pace.perSecond).toBe(perSecond * 1.5);
    expect(pace.quality).toBe(quality);
    seconds(pace, 30, { sent: 5 });
    expect(pace).toMatchObject({ quality: bestQuality, perSecond: 30, blame: 'well' });
  });

  it('tries more less often where more was too much, though never less than every 64 seconds', () => {
    const pace = new Pace(30);
    seconds(pace, 8, { sent: 5, skipped: 5 });
    const calm: number[] = [];
    for (let i = 0; i < 8; i++) {
      const { perSecond } = pace;
      let waited = 0;
      while (pace.perSecond === perSecond) {
        seconds(pace, 1, { sent: 5 });
        waited++;
      }
      calm.push(waited);
      seconds(pace, 2, { sent: 5, skipped: 5 });
    }
    expect(calm.slice(0, 4)).toEqual([2, 4, 8, 16]);
    expect(Math.max(...calm)).toBe(longestPatience);
  });

  it('learns nothing from seconds in which nothing was sent', () => {
    const pace = new Pace(30);
    seconds(pace, 1, { sent: 20, skipped: 10 });
    seconds(pace, 60, { sent: 0 });
    expect(pace.quality).toBe(bestQuality * 0.85);
  });

  it('lowers the rate, not the quality, where somebody else takes a share of it', () => {
    const pace = new Pace(10);
    for (let i = 0; i < 10; i++) pace.sent();
    for (let i = 0; i < 5; i++) pace.tooFast();
    expect(pace.judge()).toBe('too-fast');
    expect(pace).toMatchObject({ perSecond: 8, quality: bestQuality, blame: 'too-fast' });
  });

  it('makes pictures smaller that the hub calls too large, and sends none as large again', () => {
    const pace = new Pace(30);
    pace.tooLarge(5_000);
    expect(pace.quality).toBeCloseTo(bestQuality * 0.8);
    expect([pace.isTooLarge(4_999), pace.isTooLarge(5_000)]).toEqual([false, true]);
    for (let i = 0; i < 6; i++) pace.tooLarge(4_000);
    expect(pace.quality).toBe(smallestQuality);
    expect(pace.scale).toBeLessThan(1);
    const { quality } = pace;
    seconds(pace, 100, { sent: 30 });
    // As it was: the hub has not changed its mind.
    expect(pace.quality).toBe(quality);
    pace.forgetSize();
    seconds(pace, 100, { sent: 30 });
    expect(pace).toMatchObject({ quality: bestQuality, scale: 1 });
    expect(pace.isTooLarge(4_000)).toBe(false);
  });

  it('follows a choice at once, unless the line had less already', () => {
    const pace = new Pace(30);
    pace.choose(5);
    expect(pace.perSecond).toBe(5);
    pace.choose(20);
    expect(pace.perSecond).toBe(20);
    for (let i = 0; i < 3; i++) {
      pace.sent();
      pace.tooFast();
      pace.judge();
    }
    const { perSecond } = pace;
    pace.choose(30);
    expect(pace.perSecond).toBe(perSecond);
    pace.choose(3);
    expect(pace.perSecond).toBe(3);
  });
});
