/** A server that is killed by the system while a model is asked for the first time, and whoever listens to that run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import { expect, it, onTestFinished } from 'vitest';
import { type Program, startProgram } from './program.ts';

const key = 'desk-secret-of-more-than-16-bytes';
const headers = { 'x-api-key': key, 'content-type': 'application/json', accept: 'text/event-stream' };

it('whoever listens knows its run before the first step, and reads it to its end after a restart', {
  timeout: 120_000,
}, async () => {
  verifies('run.named-at-once', 'run.survives');
  const folder = mkdtempSync(join(tmpdir(), 'killed-reader-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const models = await startSimulator({ anonymous: true });
  onTestFinished(() => models.close());
  const env = { DATABASE: join(folder, 'desk.db'), MODELS: models.url, DESK_KEY: key, LOG_LEVEL: 'warn' };
  const start = async (): Promise<{ readonly program: Program; readonly url: string }> => {
    const program = startProgram('apps/server/bin/waymark.js', {
      ...{ cwd: folder, env },
      argv: ['start', join(import.meta.dirname, 'programs/takeover-desk.ts'), '--port', '0'],
    });
    onTestFinished(() => void program.child.kill('SIGKILL'));
    const [url = ''] = await program.saying(/http:\/\/127\.0\.0\.1:\d+/);
    return { program, url };
  };

  const first = await start();
  const input = '[[latency 3000]] [[call read {}]] [[say Done.]]';
  const response = await fetch(`${first.url}/agents/desk`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ input }),
  });
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  const told = new TextDecoder().decode(value);
  expect(told).toMatch(/^event: run\n/);
  const { location } = JSON.parse(/^data: (.*)$/m.exec(told)?.[1] ?? '{}') as { location: string };
  await expect.poll(() => models.requests.length).toBe(1);
  first.program.child.kill('SIGKILL');
  await first.program.ended();
  await reader?.read().catch(() => undefined);

  const second = await start();
  const later = await fetch(second.url + location, { headers: { ...headers, 'last-event-id': '0' } });
  const text = await later.text();
  const names = [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
  expect(names).toEqual(['run', 'step', 'step', 'step', 'result']);
  expect(text).toContain('Done.');
});
