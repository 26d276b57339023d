import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startProgram } from '../program.ts';
import { temporaryFolder } from '../started-desk.ts';
import { refusal, startServer } from './outage-server.ts';

const heldMs = 10_000;

/** Another program keeps the lock for 10 s, whether or not somebody writes meanwhile. */
export async function playLocked(writes: boolean): Promise<void> {
  const file = join(temporaryFolder(onTestFinished), 'desk.db');
  const server = await startServer(file);
  expect((await server.note('before')).status).toBe(201);
  const holder = startProgram('e2e/test/programs/hold-lock.ts', {
    cwd: join(file, '..'),
    argv: [file, 'IMMEDIATE', String(heldMs)],
  });
  onTestFinished(() => void holder.child.kill('SIGKILL'));
  await holder.saying(/^locked$/m);
  const startMs = performance.now();
  const written = writes ? server.note('refused') : undefined;
  await server.tells(['database-locked']);
  expect((await server.send('GET', '/notes?limit=1')).status).toBe(200);
  if (written) {
    expect(refusal(await written)).toEqual([503, 'the database is busy', undefined, '1']);
    expect(performance.now() - startMs).toBeGreaterThan(4_900);
  }
  await holder.saying(/^released$/m);
  await server.tells([]);
  expect((await server.note('after')).status).toBe(201);
  expect(await server.stop()).toBe(0);
}
