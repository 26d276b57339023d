/** A started server that is killed while a call of a run waits to be made again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { startProgram } from './program.ts';
import { sayJson, serveTool } from './retry-desk.ts';

const key = 'desk-secret-of-more-than-16-bytes';
const attempts = 3;
const kills = 4;

it('each process makes at most its attempts, all with one key, and the effect is done once', {
  timeout: 120_000,
}, async () => {
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
  const start = async (backoffMs: number) => {
    const program = startProgram('apps/server/bin/waymark.js', {
      cwd: folder,
      env: {
        ...{ DATABASE: join(folder, 'desk.db'), TOOLS: tool.url, MODELS: tool.url },
        ...{ DESK_KEY: key, LOG_LEVEL: 'warn', BACKOFF: String(backoffMs) },
      },
      argv: ['start', join(import.meta.dirname, 'programs/retry-desk.ts'), '--port', '0'],
    });
    onTestFinished(() => void program.child.kill('SIGKILL'));
    const [url = ''] = await program.saying(/http:\/\/127\.0\.0\.1:\d+/);
    return { program, url };
  };
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  let asked = 0;
  for (let life = 0; life < kills; life++) {
    const { program, url } = await start(60_000);
    if (life === 0)
      void fetch(`${url}/flows/intake`, { method: 'POST', headers, body: '{}' }).catch(() => {});
    await expect.poll(() => tool.asked.length, { timeout: 30_000 }).toBeGreaterThan(asked);
    program.child.kill('SIGKILL');
    await program.ended();
    expect(tool.asked.length - asked).toBeLessThanOrEqual(attempts);
    asked = tool.asked.length;
  }
  works = true;
  const { url } = await start(1);
  const list = async () => {
    const answer = await fetch(`${url}/_svc/runs?limit=5`, { headers });
    return ((await answer.json()) as { runs: { status: string }[] }).runs.map(({ status }) => status);
  };
  await expect.poll(list, { timeout: 30_000 }).toEqual(['completed']);
  expect(tool.asked.length).toBe(asked + 1);
  expect(new Set(tool.asked.map((one) => one.key)).size).toBe(1);
  expect(done.size).toBe(1);
});
