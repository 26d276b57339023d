/** Servers started by the command line and killed by the system, with the leases they have by nature. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import { expect, it, onTestFinished } from 'vitest';
import { deskKey as key, serveDesk } from './kills/serve-desk.ts';

/** Under way when the process is killed. */
const runs = 200;
/** Promised: 5 s for as many. */
const withinMs = 15_000;

it('200 runs that were under way when their process was killed go on at once', {
  timeout: 180_000,
}, async () => {
  verifies('run.survives', 'run.takeover');
  const folder = mkdtempSync(join(tmpdir(), 'takeover-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const models = await startSimulator({ anonymous: true });
  onTestFinished(() => models.close());
  const start = () => serveDesk('takeover-desk', folder, { MODELS: models.url });
  const list = async (url: string, status: string): Promise<number> => {
    const response = await fetch(`${url}/_svc/runs?status=${status}&limit=${runs}`, {
      headers: { 'x-api-key': key },
    });
    return ((await response.json()) as { runs: unknown[] }).runs.length;
  };

  const first = await start();
  const input = '[[latency 1500]] [[call read {}]] [[say Done.]]';
  const calls = Array.from({ length: runs }, () =>
    fetch(`${first.url}/agents/desk`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ input }),
    }).catch(() => undefined),
  );
  await expect.poll(() => list(first.url, 'running'), { timeout: 60_000 }).toBe(runs);
  await first.kill();
  await Promise.all(calls);
  const askedBefore = models.requests.length;

  const second = await start();
  const readyMs = performance.now();
  await expect
    .poll(() => models.requests.length - askedBefore, { timeout: withinMs })
    .toBeGreaterThanOrEqual(runs);
  const begunMs = performance.now() - readyMs;
  await expect.poll(() => list(second.url, 'completed'), { timeout: 60_000 }).toBe(runs);
  console.log(`all ${runs} went on ${begunMs.toFixed(0)} ms after the server was ready`);
});
