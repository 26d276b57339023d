import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
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
      .poll(() => read(value.run_id), { timeout: 10_000 })
      .toMatchObject({ status: 'completed', output: expect.stringContaining('expired') });
});
