/** A started server that is killed again and again while models answer: whatever was paid is in the ledger. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { byTier, verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import { expect, it, onTestFinished } from 'vitest';
import { deskKey as key, serveDesk } from './kills/serve-desk.ts';

const kills = byTier({ quick: 6, slow: 6, drill: 12 });
const runs = 2 * kills;
/** A call is killed that has lasted for so long: it was noted by then, and its answer is on its way. */
const underWayMs = 350;

it('after many kills the ledger has a row for every answer that was given', {
  timeout: 240_000,
}, async () => {
  verifies('ledger.cut-off');
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const models = await startSimulator({ anonymous: true, maxRequests: 10_000 });
  onTestFinished(() => models.close());
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const start = () => serveDesk('ledger-desk', folder, { MODELS: models.url });
  const read = async <T>(url: string, path: string): Promise<T> =>
    (await (await fetch(`${url}/_svc/${path}`, { headers })).json()) as T;

  const begunMs = new Map<unknown, number>();
  for (let life = 0; life < kills; life++) {
    const { url, kill } = await start();
    for (let i = 0; i < runs / kills; i++)
      void fetch(`${url}/behaviours/asks`, { method: 'POST', headers, body: '{}' }).catch(() => {});
    // What is taken up gets a little further in each life.
    await sleep(Math.random() * 250);
    const isUnderWay = (): boolean => {
      const latestMs = performance.now() - underWayMs;
      return models.requests.some(
        (one) => one.outcome === 'open' && (begunMs.get(one) ?? Infinity) < latestMs,
      );
    };
    for (let i = 0; i < 200 && !isUnderWay(); i++) {
      for (const one of models.requests) if (!begunMs.has(one)) begunMs.set(one, performance.now());
      await sleep(5);
    }
    await kill();
  }
  const { url } = await start();
  const list = async (): Promise<string[]> =>
    (await read<{ runs: { status: string }[] }>(url, 'runs?limit=100')).runs.map(({ status }) => status);
  await expect
    .poll(async () => (await list()).filter((one) => one === 'running' || one === 'ready'), {
      timeout: 60_000,
    })
    .toEqual([]);
  const ended = await list();
  const { totals } = await read<{ totals: { calls: number } }>(url, 'usage');
  const rows = totals.calls;
  const asked = models.requests.length;
  const paid = models.requests.filter(({ outcome }) => outcome === 'replied').length;
  console.log(`${asked} asked, ${paid} answered, ${rows} rows, ${ended.length} runs`);
  expect(ended.length).toBeGreaterThanOrEqual(runs / 2);
  // Each run asks three times, and again for each call that was cut off.
  expect(asked).toBeGreaterThan(3 * ended.length);
  expect(rows).toBeGreaterThan(3 * ended.length);
  expect(rows).toBeGreaterThanOrEqual(paid);
  // None of them was counted twice.
  expect(rows).toBeLessThanOrEqual(asked);
});
