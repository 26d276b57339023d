import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { kinds } from './faults/failing-files.ts';
import { FaultedDesk } from './faults/faulted-desk.ts';
import { isWell as isHealthy, playFaults, series } from './faults/play-faults.ts';

/** Of most series one call in the middle: `npm run drills -- faults` takes all calls of all, reads too. */
const one = (calls: number): readonly number[] => [Math.ceil(calls / 2)];

/** What is promised for 5 s may take several times as long beside others. */
const healthMs = 30_000;

it('a call of a file or a model that fails loses nothing in silence, and health names what lasts', async ({
  skip,
}) => {
  verifies('health.troubles.files', 'state.faults');
  const desk = await FaultedDesk.start();
  if (!desk) {
    console.warn('skipped: calls cannot be made to fail without Linux and a C compiler');
    return skip();
  }
  for (const each of series.filter(({ what }) => what !== 'read')) {
    const { failed } = await playFaults(desk, each, one, healthMs);
    expect(failed, `${each.what} ${each.error}`).toBeGreaterThan(0);
  }
  desk.files.fail({ kinds: kinds.write, error: 'ENOSPC', nth: 1, times: Number.POSITIVE_INFINITY });
  const isFull = await desk.until(
    ({ status, troubles = [] }) => status === 'degraded' && troubles.some(({ code }) => code === 'disk-full'),
    healthMs,
  );
  desk.files.mend();
  const isWell = await desk.until(isHealthy, healthMs);
  expect(await desk.close()).toEqual([]);
  expect(isFull).toBeDefined();
  expect(isWell).toBeDefined();
}, 180_000);
