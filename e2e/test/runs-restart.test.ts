import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { openDatabase } from '@waymark/data';
import type { Application } from '@waymark/server';
import { expect, it, onTestFinished } from 'vitest';
import { thinking } from './agents-application.ts';

const expiresMs = 300;

const declare = (app: Application): void => {
  const gated = { tool: true, toolName: 'refund', approval: 'required', approver: { expiresMs } } as const;
  app.post('/refund', { ...gated, scopes: ['write'], summary: 'Refunds.' }, () => 'refunded');
  app.agent('desk', { tools: ['refund'], scopes: ['write'], description: 'Refunds.' });
};

it('an approval that expires while the server is down declines its call, and the run goes on', async () => {
  verifies('run.survives', 'run.ready');
  const folder = mkdtempSync(join(tmpdir(), 'runs-restart-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const options = { database: `sqlite://${join(folder, 'desk.db')}` };
  const first = await thinking(declare, options);
  const asked = await Promise.all(
    Array.from({ length: 5 }, () => first.ask('desk', '[[call refund {}]] [[echo results]]')),
  );
  expect(asked.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  await first.close();
  await sleep(expiresMs);

  const second = await thinking(declare, options);
  const read = async (runId: string) => (await second.send(`/agents/desk/runs/${runId}`)).value;
  for (const { value } of asked)
    await expect
      .poll(() => read(value.run_id))
      .toMatchObject({ status: 'completed', output: expect.stringContaining('expired') });
});

it('an application says how long a run is leased', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'runs-lease-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = `sqlite://${join(folder, 'desk.db')}`;
  const desk = await thinking(declare, { database: file, runs: { lease: 600 } });
  const database = await openDatabase(file);
  onTestFinished(() => database.close());
  const answer = desk.ask('desk', '[[latency 400]] [[say Done.]]');
  const leases = async () => {
    const rows = await database.many(
      `select lease_until_ms - unixepoch('subsec') * 1000 as ms from svc__run`,
    );
    return rows.map(({ ms }) => Number(ms));
  };
  await expect.poll(leases).toEqual([expect.any(Number)]);
  const [ms = 0] = await leases();
  expect(ms).toBeGreaterThan(300_000);
  expect(ms).toBeLessThanOrEqual(600_000);
  expect((await answer).value.status).toBe('completed');
});
