/** A server that is killed by the system while a model is asked for the first time, and whoever listens to that run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import { expect, it, onTestFinished } from 'vitest';
import { deskKey as key, serveDesk } from './kills/serve-desk.ts';

const headers = { 'x-api-key': key, 'content-type': 'application/json', accept: 'text/event-stream' };

it('whoever listens knows its run before the first step, and reads it to its end after a restart', async () => {
  verifies('run.named-at-once', 'run.survives');
  const folder = mkdtempSync(join(tmpdir(), 'killed-reader-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const models = await startSimulator({ anonymous: true });
  onTestFinished(() => models.close());
  const start = () => serveDesk('takeover-desk', folder, { MODELS: models.url });

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
  await first.kill();
  await reader?.read().catch(() => undefined);

  const second = await start();
  const later = await fetch(second.url + location, { headers: { ...headers, 'last-event-id': '0' } });
  const text = await later.text();
  const names = [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
  expect(names).toEqual(['run', 'step', 'step', 'step', 'result']);
  expect(text).toContain('Done.');
});
