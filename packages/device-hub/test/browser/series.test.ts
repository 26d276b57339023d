import { describe, expect, it } from 'vitest';
import { Series } from '../../browser/view/series.ts';

function seriesOf(values: readonly number[], keep = 300): Series {
  const series = new Series(keep);
  for (const value of values) series.add(value);
  return series;
}

describe('Series', () => {
  it('keeps the newest, and draws them up to the right', () => {
    const series = seriesOf([9, 1, 2, 3], 3);
    expect([series.length, series.smallest, series.largest]).toEqual([3, 1, 3]);
    expect(series.toPath(290, 10)).toBe('M270.0 10.0L280.0 5.0L290.0 0.0');
  });

  it.each([
    ['one value', [5]],
    ['a line that is level', [5, 5, 5]],
    ['the largest numbers there are', [1.7e308, -1.7e308, 0]],
    ['the smallest', [5e-324, 0]],
  ])('draws %s', (_, values) => {
    expect(seriesOf(values).toPath(240, 40)).toMatch(/^M[\d.]+ [\d.]+(?:L[\d.]+ [\d.]+)*$/);
  });
});
