import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../started-desk.ts';
import { type OutageServer, refusal, startServer } from './outage-server.ts';

const ends = ['', '-wal', '-shm'];
const gone = [503, 'the database file is gone', 'database_gone', '1'] as const;

/** Writes all the time, until it is told to stop. @returns how many were acknowledged that were asked for after a moment */
function keepWriting({ note }: OutageServer) {
  let [stopping, since, before, after] = [false, Number.POSITIVE_INFINITY, 0, 0];
  const answers = new Set<string>();
  const writing = Array.from({ length: 8 }, async () => {
    while (!stopping) {
      const askedMs = performance.now();
      const answer = await note('x');
      if (askedMs < since) before += answer.status === 201 ? 1 : 0;
      else {
        after += answer.status === 201 ? 1 : 0;
        answers.add(JSON.stringify(refusal(answer)));
      }
    }
  });
  return {
    before: () => before,
    from: (ms: number) => {
      since = ms;
    },
    stop: async () => {
      stopping = true;
      await Promise.all(writing);
      return { after, answers: [...answers] };
    },
  };
}

/** The file is deleted under a server that writes: nothing is acknowledged into nothing, and it can be restored. */
export async function playFileGone(): Promise<void> {
  const file = join(temporaryFolder(onTestFinished), 'desk.db');
  const first = await startServer(file);
  expect((await first.note('in the backup')).status).toBe(201);
  expect(await first.stop()).toBe(0);
  copyFileSync(file, `${file}-backup`);

  const server = await startServer(file);
  const writers = keepWriting(server);
  await expect.poll(() => writers.before(), { timeout: 10_000 }).toBeGreaterThan(100);
  for (const end of ends) rmSync(file + end);
  writers.from(performance.now());
  await server.tells(['database-gone']);
  expect(await writers.stop()).toEqual({ after: 0, answers: [JSON.stringify(gone)] });
  // What was open can be read as ever, and be saved.
  expect((await server.send('GET', '/notes?limit=1')).status).toBe(200);
  const errand = await server.send('POST', '/behaviours/errand', { ms: 0 });
  expect(errand).toMatchObject({ status: 503, value: { code: 'database_gone' } });

  // A backup in its place is another file: that takes a restart.
  copyFileSync(`${file}-backup`, file);
  await server.tells(['database-gone']);
  expect(refusal(await server.note('lost'))).toEqual(gone);
  expect(await server.stop()).toBe(0);
  const restored = await startServer(file);
  await restored.tells([]);
  expect((await restored.note('after')).status).toBe(201);
  const { value } = await restored.send('GET', '/notes');
  expect((value as { readonly text: string }[]).map(({ text }) => text)).toEqual(['in the backup', 'after']);
  expect(await restored.stop()).toBe(0);
}

/** The folder of a server that nobody uses is moved away, and back. */
export async function playFileMoved(): Promise<void> {
  const folder = join(temporaryFolder(onTestFinished));
  const file = join(folder, 'desk.db');
  const server = await startServer(file);
  expect((await server.note('before')).status).toBe(201);
  for (const end of ends) renameSync(file + end, `${file}-away${end}`);
  await server.tells(['database-gone']);
  expect(refusal(await server.note('lost'))).toEqual(gone);
  for (const end of ends) renameSync(`${file}-away${end}`, file + end);
  await server.tells([]);
  expect((await server.note('after')).status).toBe(201);
  expect(await server.stop()).toBe(0);
}
