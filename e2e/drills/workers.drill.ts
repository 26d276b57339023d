/** 10,000 requests of several processes while ten workers and an owner are killed, and all are reloaded. */
import { expect, it } from 'vitest';
import { startCrew } from '../test/workers/crew.ts';
import { killUnderLoad } from '../test/workers/kill-under-load.ts';
import { differing } from '../test/workers/listings.ts';

it('loses nothing that was acknowledged, and does nothing keyed twice', async () => {
  const crew = await startCrew({ WAYMARK_WORKERS: '3', LOG_LEVEL: 'error' });
  const clients = 16;
  const outcome = await killUnderLoad(crew, {
    ...{ requests: 10_000, clients, workerKills: 10, ownerKills: 1, reloads: 1 },
  });
  console.log(JSON.stringify(outcome));
  expect(outcome).toMatchObject({ lost: 0, twice: 0, kills: 11 });
  expect(outcome.effects).toBe(outcome.keyed);
  const { answers } = outcome;
  expect(Object.keys(answers).filter((what) => !['200', '201', '503', 'reset'].includes(what))).toEqual([]);
  expect((answers['reset'] ?? 0) + (answers['503'] ?? 0)).toBeLessThanOrEqual(clients * outcome.kills);
});

it('lists the same, whichever process is asked: each listing two hundred times', async () => {
  const crew = await startCrew({ WAYMARK_WORKERS: '3', LOG_LEVEL: 'error' });
  await crew.pids(3);
  for (let i = 0; i < 20; i++)
    await crew.desk('/tickets', {
      ...{ method: 'POST', body: JSON.stringify({ title: `ticket ${i}` }) },
      headers: { 'content-type': 'application/json' },
    });
  await crew.desk('/behaviours/count', {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  // The audit log is written in batches.
  await expect
    .poll(async () => (await crew.desk('/_svc/audit?limit=200')).text)
    .toMatch(/run_finished[\s\S]*create_tickets/);
  expect(await differing(crew, 200)).toEqual([]);
});
