import { describe, expect, it } from 'vitest';
import { riseOf } from './servers/memory-line.ts';

const samples = (heap: (at: number) => number) =>
  Array.from({ length: 50 }, (_, i) => ({ atHours: i / 100, heap: heap(i / 100), code: 0, rss: 0 }));

describe('riseOf', () => {
  it('gives the rise of a line', () => {
    const { perHour, error } = riseOf(samples((at) => 40 + 3 * at));
    expect(perHour).toBeCloseTo(3);
    expect(error).toBeCloseTo(0);
  });

  it('says how little is known of what goes up and down', () => {
    const { perHour, error } = riseOf(samples((at) => 40 + (Math.round(at * 100) % 2)));
    expect(Math.abs(perHour)).toBeLessThan(error);
    expect(error).toBeGreaterThan(0.5);
  });
});
