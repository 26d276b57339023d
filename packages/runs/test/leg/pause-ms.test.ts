import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { pauseMs } from '../../src/leg/pause-ms.ts';

describe('pauseMs', () => {
  it('doubles from a second to a minute', () => {
    verifies('run.provider-waits.pauses');
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 1_100].map((attempts) => pauseMs(attempts, undefined, 0) / 1_000);
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('is shorter at random, by half at most', () => {
    expect([pauseMs(3, undefined, 0.5), pauseMs(3, undefined, 1)]).toEqual([3_000, 2_000]);
  });

  it('is as long as the provider asks when that is longer, ten minutes at most', () => {
    verifies('run.provider-waits.pauses');
    expect([0, 7_999, 8_001, 600_000, 600_001].map((ms) => pauseMs(4, ms, 0))).toEqual([
      8_000, 8_000, 8_001, 600_000, 600_000,
    ]);
  });
});
