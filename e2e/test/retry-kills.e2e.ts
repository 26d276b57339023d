/** A started server that is killed while a call of a run waits to be made again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { deskKey as key, serveDesk } from './kills/serve-desk.ts';
import { sayJson, serveTool } from './retry-desk.ts';

const attempts = 3;
const kills = 4;

it('each process makes at most its attempts, all with one key, and the effect is done once', async () => {
  verifies('run.retry.ends', 'run.retry.key', 'run.survives');
  const folder = mkdtempSync(join(tmpdir(), 'retry-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const done = new Set<string | undefined>();
  let works = false;
  const tool = await serveTool((_, response) => {
    // As a service that goes by keys does it.
    if (works) done.add(tool.asked.at(-1)?.key);
    sayJson(response, works ? 200 : 503, { done: works });
  });
  const start = (backoffMs: number) =>
    serveDesk('retry-desk', folder, { TOOLS: tool.url, MODELS: tool.url, BACKOFF: String(backoffMs) });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  let asked = 0;
  for (let life = 0; life < kills; life++) {
    const { url, kill } = await start(60_000);
    if (life === 0)
      void fetch(`${url}/flows/intake`, { method: 'POST', headers, body: '{}' }).catch(() => {});
    await expect.poll(() => tool.asked.length).toBeGreaterThan(asked);
    await kill();
    expect(tool.asked.length - asked).toBeLessThanOrEqual(attempts);
    asked = tool.asked.length;
  }
  works = true;
  const { url } = await start(1);
  const list = async () => {
    const answer = await fetch(`${url}/_svc/runs?limit=5`, { headers });
    return ((await answer.json()) as { runs: { status: string }[] }).runs.map(({ status }) => status);
  };
  await expect.poll(list).toEqual(['completed']);
  expect(tool.asked.length).toBe(asked + 1);
  expect(new Set(tool.asked.map((one) => one.key)).size).toBe(1);
  expect(done.size).toBe(1);
});
