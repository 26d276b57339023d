/** A run whose code leaves a failure behind that ends the process, each time it is taken up. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { startProgram } from './program.ts';
import { clientOf } from './sql-served.ts';
import { temporaryFolder } from './started-desk.ts';

const key = 'desk-secret-of-more-than-16-bytes';
const application = join(import.meta.dirname, 'programs/loop-desk.ts');

/** `crash_loop` says so (README of the runner). */
const mostAttempts = 5;

async function start(file: string, env: Readonly<Record<string, string>>) {
  const program = startProgram('apps/server/bin/waymark.js', {
    cwd: join(file, '..'),
    env: { DESK_KEY: key, DATABASE: file, LOG_LEVEL: 'info', ...env },
    argv: ['start', application, '--port', '0'],
  });
  onTestFinished(() => void program.child.kill('SIGTERM'));
  const [url = ''] = await program.saying(/http:\/\/127\.0\.0\.1:\d+/);
  const { send } = clientOf(url);
  return {
    program,
    begin: () => send('POST', '/behaviours/errand', { caller: key, body: {} }).catch(() => undefined),
    runs: async () => (await send('GET', '/_svc/runs', { caller: key })).value,
  };
}

function attemptsIn(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare('select status, attempts from svc__run').get();
  database.close();
  return { ...row };
}

const ended = { runs: [{ status: 'failed', error: { code: 'crash_loop' } }] };

it('ends it as crash_loop at the fifth time, and counts no process that was told to stop', async () => {
  verifies('run.crash-loop.failure');
  const file = join(temporaryFolder(onTestFinished), 'desk.db');
  const quiet = await start(file, {});
  void quiet.begin();
  await expect.poll(quiet.runs).toMatchObject({ runs: [{ status: 'running' }] });
  quiet.program.child.kill('SIGTERM');
  expect(await quiet.program.ended()).toBe(0);
  expect(attemptsIn(file)).toEqual({ status: 'ready', attempts: 0 });
  for (let attempts = 1; attempts <= mostAttempts; attempts++) {
    const { program } = await start(file, { STRAY: '1' });
    expect(await program.ended()).toBe(1);
    expect(attemptsIn(file)).toEqual({ status: 'ready', attempts });
  }
  const last = await start(file, { STRAY: '1' });
  await expect.poll(last.runs).toMatchObject(ended);
  last.program.child.kill('SIGTERM');
  expect(await last.program.ended()).toBe(0);
});

it('ends it where other processes take the place of those that fail', async () => {
  verifies('run.crash-loop.failure');
  const file = join(temporaryFolder(onTestFinished), 'desk.db');
  const { program, begin, runs } = await start(file, { STRAY: '1', WAYMARK_WORKERS: '2' });
  void begin();
  await expect.poll(() => runs().catch(() => undefined), { timeout: 60_000 }).toMatchObject(ended);
  program.child.kill('SIGTERM');
  expect(await program.ended()).toBe(0);
});
