import { describe, expect, it } from 'vitest';
import { FrameRate } from '../../src/device/frame-rate.ts';

const startMs = Date.UTC(2026, 0, 1) + 123;

describe('FrameRate', () => {
  it('is 0 before anything was counted', () => {
    expect(new FrameRate().perSecond(startMs)).toBe(0);
  });

  it.each([0.5, 1, 7, 30])('tells %d a second', (fps) => {
    const rate = new FrameRate();
    for (let ms = 0; ms < 30_000; ms += 1000 / fps) rate.count(startMs + ms);
    expect(Math.abs(rate.perSecond(startMs + 30_000) - fps)).toBeLessThanOrEqual(0.15 * fps + 0.1);
  });

  it('does not wait ten seconds to tell it', () => {
    const rate = new FrameRate();
    for (let i = 0; i < 20; i++) rate.count(startMs + i * 100);
    expect(rate.perSecond(startMs + 2_000)).toBe(10);
  });

  it('forgets what is older than ten seconds', () => {
    const rate = new FrameRate();
    for (let i = 0; i < 100; i++) rate.count(startMs);
    expect(rate.perSecond(startMs + 8_000)).toBeGreaterThan(0);
    expect(rate.perSecond(startMs + 10_000)).toBe(0);
    rate.count(startMs + 3_600_000);
    expect(rate.perSecond(startMs + 3_600_001)).toBeLessThanOrEqual(1);
  });

  it('bears a clock that goes back', () => {
    const rate = new FrameRate();
    rate.count(startMs);
    rate.count(startMs - 60_000);
    expect(rate.perSecond(startMs)).toBeGreaterThan(0);
  });
});
