import { runRecord } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { fileDatabase } from '../open.ts';
import { storesOfRuns } from './stores-of-runs.ts';

const leaseMs = 600_000;

/** A root that the service could not work on, at a clock that is set by so much since. */
async function disturbedRoot(byMs: number) {
  const { runs, database } = storesOfRuns(await fileDatabase());
  const started = await runs.start(runRecord('r1'), 'p', leaseMs);
  if (started.outcome !== 'started') throw new Error(started.outcome);
  await runs.release(started.fence, 'disturbed');
  await database.write([{ sql: 'update svc__run set not_before_ms = not_before_ms - ?', args: [byMs] }]);
  return runs;
}

describe('a root that is left alone for a while', () => {
  it.each([
    // It is left alone for a second; no pause is longer than a minute.
    [-3_600_000, true],
    [-61_000, true],
    [-50_000, false],
    [0, false],
    [3_600_000, true],
  ])('when the clock is set by %i ms: is it taken up at once? %j', async (byMs, isTaken) => {
    const runs = await disturbedRoot(byMs);
    expect(await runs.take('q', 9, leaseMs)).toHaveLength(isTaken ? 1 : 0);
  });
});
