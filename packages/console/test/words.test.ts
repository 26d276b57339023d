import { describe, expect, it } from 'vitest';
import { counted, toAgo, toDuration, toMoment, toShortCount, toUsd } from '../browser/design/words.ts';

describe('words', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1.0 s'],
    [59_949, '59.9 s'],
    [59_950, '1 min 00 s'],
    [3_599_400, '59 min 59 s'],
    [3_600_000, '1 h 00 min'],
    [86_400_000, '1 d 0 h'],
  ])('%i ms last %s', (ms, said) => {
    expect(toDuration(ms)).toBe(said);
  });

  it.each([
    [999, 'now'],
    [1_000, '1 s ago'],
    [60_000, '1 min ago'],
    [-86_399_000, 'in 23 h'],
    [172_800_000, '2 days ago'],
  ])('%i ms away is %s', (ms, said) => {
    expect(toAgo(ms)).toBe(said);
  });

  it('says a moment with its zone', () => {
    expect(toMoment(Date.UTC(2026, 10, 26, 23, 41, 2), 'UTC')).toBe('26 Nov 2026, 23:41:02 UTC');
  });

  it('says counts and money in few characters, and that there is no price', () => {
    expect([999, 1_000, 99_949, 99_950, 999_499, 999_500].map(toShortCount)).toEqual([
      ...['999', '1.0k', '99.9k', '100k', '999k', '1.0M'],
    ]);
    expect([null, 0, 0.000_01, 0.0123, 12.3].map(toUsd)).toEqual([
      ...['no price', '$0.00', '<$0.0001', '$0.0123', '$12.30'],
    ]);
    expect([counted(1, 'run'), counted(2_000, 'run'), counted(0, 'waits', 'wait')]).toEqual([
      ...['1 run', '2,000 runs', '0 wait'],
    ]);
  });
});
