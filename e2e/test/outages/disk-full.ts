import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, type TestContext } from 'vitest';
import { temporaryFolder } from '../started-desk.ts';
import { promisedMs, refusal, startServer } from './outage-server.ts';

const execute = (program: string, ...args: readonly string[]) => spawnSync(program, args).status === 0;

/** A disk of 4 MB; undefined where none can be made. */
function smallDisk(): string | undefined {
  const folder = join(temporaryFolder(onTestFinished), 'disk');
  mkdirSync(folder);
  if (!execute('mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder)) return undefined;
  onTestFinished(() => void execute('umount', '--lazy', folder));
  return folder;
}

/** Takes the last byte there is. */
function fill(ballast: string): void {
  for (const bytes of [100_000, 4_096])
    try {
      for (;;) appendFileSync(ballast, Buffer.alloc(bytes));
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
}

/** The disk of a server is full, several times; what it acknowledged is stored, and what it began comes to its end. */
export async function playDiskFull(rounds: number, { skip }: Pick<TestContext, 'skip'>): Promise<void> {
  const disk = smallDisk();
  if (disk === undefined) {
    console.warn('skipped: a small disk could not be mounted here');
    return skip();
  }
  const [file, ballast] = [join(disk, 'desk.db'), join(disk, 'ballast')];
  const server = await startServer(file);
  const { send, note, tells } = server;
  let acknowledged = 0;
  for (let round = 0; round < rounds; round++) {
    expect((await note('before')).status).toBe(201);
    const errand = send('POST', '/behaviours/errand', { ms: 2_000 }).then((answer) => ({
      answer,
      atMs: performance.now(),
    }));
    await expect
      .poll(async () => (await send('GET', '/_svc/runs?status=running')).value)
      .toMatchObject({ runs: [{}] });
    fill(ballast);
    const fullMs = performance.now();
    // Its log may have room of its own for some more.
    let answer = await note('x'.repeat(8_000));
    for (; answer.status === 201; answer = await note('x'.repeat(8_000))) acknowledged++;
    acknowledged++;
    expect(refusal(answer)).toEqual([503, 'the database is full', 'disk_full', '1']);
    await tells(['disk-full']);
    expect((await send('GET', '/notes?limit=1')).status).toBe(200);
    // It hears at once what its first commit has met, not after the lease of its run.
    const told = await errand;
    expect(told.answer.status).toBe(503);
    expect(told.answer.value).toMatchObject({ code: 'disk_full', run: { status: 'running' } });
    expect(told.atMs - fullMs).toBeLessThan(4_000);

    rmSync(ballast);
    await tells([]);
    const { run } = told.answer.value as { readonly run: { readonly run_id: string } };
    await expect
      .poll(() => send('GET', `/behaviours/errand/runs/${run.run_id}`), { timeout: 3 * promisedMs })
      .toMatchObject({ value: 'done' });
    acknowledged++;
  }
  expect(await server.stop()).toBe(0);
  const database = new DatabaseSync(file, { readOnly: true });
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  expect(database.prepare('select count(*) as n from notes').all()).toEqual([{ n: acknowledged }]);
  database.close();
}
