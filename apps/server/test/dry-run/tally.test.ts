import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { afterLook, emptyTally, type Pace, toForecast } from '../../src/cli/dry-run/tally.ts';
import type { RehearsedRun } from '../../src/rehearse/rehearsal.ts';

const pace: Pace = { every: 15, maxRunsPerHour: 60, maxCostPerDay: 1 };

function run(costMicros: number | null, status: 'completed' | 'failed' = 'completed'): RehearsedRun {
  return { ran: true, status, output: '', error: null, tokens: 10, costMicros, calls: [] };
}

function tally(...runs: readonly RehearsedRun[]) {
  return runs.reduce(afterLook, emptyTally);
}

describe('the sum of a dry run', () => {
  it('counts frames, runs, skipped and failed ones, tokens and cost', () => {
    verifies('cli.watch.cost');
    expect(tally(run(500), { ran: false, calls: [] }, run(100, 'failed'))).toEqual({
      ...{ frames: 3, runs: 2, skipped: 1, failed: 1 },
      ...{ tokens: 20, costMicros: 600, soundCostMicros: 500 },
    });
    expect(tally(run(500), run(null), run(500)).costMicros).toBeNull();
  });

  it.each<[string, Partial<Pace>, number]>([
    ['its ceiling', {}, 60],
    ['its pace, where that is slower', { every: 600 }, 6],
    ['its pace, where that is a part of a second', { every: 0.1, maxRunsPerHour: 36_000 }, 36_000],
    ['one, where it is slower than an hour', { every: 7_200 }, 1],
  ])('forecasts as many runs an hour as %s', (_, given, runsPerHour) => {
    verifies('cli.watch.cost');
    expect(toForecast(tally(run(1_000)), { ...pace, ...given })).toMatchObject({
      ...{ perRun: 0.001, runsPerHour },
      perHour: expect.closeTo(0.001 * runsPerHour) as number,
      perDay: expect.closeTo(0.024 * runsPerHour) as number,
    });
  });

  it.each([
    ['after hours', 1_000, 1, 1 / 0.06],
    ['never, where a day costs less', 100, 1, null],
    ['never without a limit', 1_000_000, null, null],
    ['never where nothing costs anything', 0, 1, null],
  ])('says when the limit of a day is spent: %s', (_, costMicros, maxCostPerDay, hours) => {
    verifies('cli.watch.cost');
    const found = toForecast(tally(run(costMicros)), { ...pace, maxCostPerDay })?.hoursToLimit;
    expect(found).toEqual(hours === null ? null : expect.closeTo(hours));
  });

  it('forecasts nothing of runs that failed, or without a price', () => {
    verifies('cli.watch.cost');
    expect(toForecast(emptyTally, pace)).toBeUndefined();
    expect(toForecast(tally(run(0, 'failed')), pace)).toBeUndefined();
    expect(toForecast(tally(run(null)), pace)).toBeUndefined();
    expect(toForecast(tally(run(0, 'failed'), run(2_000)), pace)).toMatchObject({ perRun: 0.002 });
  });
});
