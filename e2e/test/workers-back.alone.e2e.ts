/** How soon another process stands in the place of one that was killed: three times the promised second, and two. */
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { startCrew } from './workers/crew.ts';

it('a killed worker is back within a second, and a killed owner within two', async () => {
  verifies('scale.killed-worker', 'scale.killed-owner');
  const crew = await startCrew({ WAYMARK_WORKERS: '2' });
  const owner = await crew.ownerPid();
  const worker = (await crew.pids(2)).find((pid) => pid !== owner) ?? 0;
  const killedMs = performance.now();
  process.kill(worker, 'SIGKILL');
  // Requests that the killed one had are cut.
  await expect.poll(() => crew.program.stderr()).toContain('(worker) ended by SIGKILL');
  expect((await crew.pids(2)).includes(worker)).toBe(false);
  expect(performance.now() - killedMs).toBeLessThan(3_000);
  const endedMs = performance.now();
  process.kill(owner, 'SIGKILL');
  await expect.poll(() => crew.ownerPid().catch(() => owner)).not.toBe(owner);
  expect(performance.now() - endedMs).toBeLessThan(6_000);
});
