/** Processes that are killed and reloaded under load; `workers.drill.ts` has more. */
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { startCrew } from './workers/crew.ts';
import { killUnderLoad } from './workers/kill-under-load.ts';

it('loses nothing that was acknowledged, and does nothing keyed twice', async () => {
  verifies('scale.killed-worker', 'scale.killed-owner', 'scale.reload');
  const crew = await startCrew({ WAYMARK_WORKERS: '2', LOG_LEVEL: 'error' });
  const clients = 8;
  const outcome = await killUnderLoad(crew, {
    ...{ requests: 400, clients, workerKills: 1, ownerKills: 1, reloads: 1 },
  });
  expect(outcome).toMatchObject({ lost: 0, twice: 0, kills: 2 });
  expect(outcome.effects).toBe(outcome.keyed);
  const { answers } = outcome;
  expect(Object.keys(answers).filter((what) => !['200', '201', '503', 'reset'].includes(what))).toEqual([]);
  // What was open at a process that was killed, and nothing else.
  expect((answers['reset'] ?? 0) + (answers['503'] ?? 0)).toBeLessThanOrEqual(clients * outcome.kills);
});
