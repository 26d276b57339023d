import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { expect, it, type TestContext } from 'vitest';
import { logLines } from './log-lines.ts';
import { type Program, startProgram } from './program.ts';
import { temporaryFolder } from './started-desk.ts';

/** A server whose audit log is in a file, and the file. */
async function start({
  onTestFinished,
}: TestContext): Promise<{ readonly file: string; readonly program: Program; readonly url: string }> {
  const file = join(temporaryFolder(onTestFinished), 'app.db');
  const program = startProgram('e2e/test/programs/audited.ts', {
    cwd: join(file, '..'),
    env: { LOG_LEVEL: 'info', DATABASE: file },
  });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  const [, url = ''] = await program.saying(/url (http:\S+)\n/);
  return { file, program, url };
}

/** Another program has the lock of the file for so long. */
async function lock({ onTestFinished }: TestContext, file: string, forMs: number): Promise<Program> {
  const holder = startProgram('e2e/test/programs/hold-lock.ts', {
    cwd: join(file, '..'),
    argv: [file, 'IMMEDIATE', String(forMs)],
  });
  onTestFinished(() => void holder.child.kill('SIGKILL'));
  await holder.saying(/^locked$/m);
  return holder;
}

async function use(url: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) expect((await fetch(`${url}/tool`)).status).toBe(200);
}

interface Health {
  readonly status: string;
  readonly troubles: readonly { readonly code: string }[];
}

async function health(url: string): Promise<Health> {
  return (await (await fetch(`${url}/_svc/health`)).json()) as Health;
}

const kinds = (file: string): readonly unknown[] => {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('select kind from svc__audit order by id').all();
  database.close();
  return rows.map(({ kind }) => kind);
};

// All of them wait for a lock, side by side.
it.concurrent('keeps every event while another program has the lock for 8 s, and health says so', async (test) => {
  const { expect } = test;
  verifies('audit.kept', 'health.troubles', 'health.ready', 'health.troubles.logged');
  const { file, program, url } = await start(test);
  await use(url, 5);
  const holder = await lock(test, file, 8_000);
  const lockedMs = performance.now();
  for (let i = 0; i < 48; i++) {
    await use(url, 5);
    await after(Math.max(0, lockedMs + i * 150 - performance.now()));
  }
  const ill = await health(url);
  expect(ill.status).toBe('degraded');
  expect(ill.troubles.map(({ code }) => code)).toContain('audit-behind');
  expect((await fetch(`${url}/_svc/health?ready`)).status).toBe(503);
  expect((await fetch(`${url}/_svc/health?live`)).status).toBe(200);
  await holder.saying(/^released$/m);
  await use(url, 10);
  await expect
    .poll(async () => (await health(url)).troubles.map(({ code }) => code))
    .not.toContain('audit-behind');
  await expect.poll(() => kinds(file)).toHaveLength(255);
  expect(new Set(kinds(file))).toEqual(new Set(['tool_called']));
  const { events } = (await (await fetch(`${url}/_svc/audit?limit=1000`)).json()) as {
    readonly events: readonly { readonly id: string }[];
  };
  expect(new Set(events.map(({ id }) => id)).size).toBe(255);
  await expect
    .poll(() => logLines(program).map(({ level, msg, code }) => [level, msg, code]))
    .toEqual(
      expect.arrayContaining([
        ['error', 'the service is in trouble', 'audit-behind'],
        ['info', 'a trouble is over', 'audit-behind'],
      ]),
    );
});

it.concurrent('writes what waits before the process ends, once the lock is free', async (test) => {
  const { expect } = test;
  verifies('audit.kept');
  const { file, program, url } = await start(test);
  await lock(test, file, 1_500);
  await use(url, 20);
  program.child.kill('SIGTERM');
  expect(await program.ended()).toBe(0);
  expect(kinds(file)).toHaveLength(20);
});

it.concurrent('logs what is lost where the lock is never free, and ends in time', async (test) => {
  const { expect } = test;
  verifies('audit.kept');
  const { file, program, url } = await start(test);
  await lock(test, file, 20_000);
  await use(url, 20);
  const startedMs = performance.now();
  program.child.kill('SIGTERM');
  expect(await program.ended()).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(15_000);
  expect(logLines(program)).toContainEqual(
    expect.objectContaining({
      ...{ level: 'error', msg: 'audit events are lost: the store did not take them in time', events: 20 },
    }),
  );
});
