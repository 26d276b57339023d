import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deskKeys } from './sql-desk.ts';
import { clientOf } from './sql-served.ts';
import { startDesk, temporaryFolder } from './started-desk.ts';

const ann = deskKeys.ANN_KEY;
const run = (program: string, ...args: readonly string[]) => spawnSync(program, args).status === 0;

/** A place for a database that can be made full, and have space again, while a process works there. */
interface Place {
  readonly file: string;
  /** What a write is told. */
  readonly says: string;
  fill(pid: number): void;
  free(pid: number): void;
}

/** A disk of 3 MB. */
function smallDisk(): Place | undefined {
  const folder = join(temporaryFolder(onTestFinished), 'disk');
  mkdirSync(folder);
  if (!run('mount', '-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder)) return undefined;
  onTestFinished(() => void run('umount', '--lazy', folder));
  const ballast = join(folder, 'ballast');
  return {
    file: join(folder, 'app.db'),
    says: 'the database is full',
    fill: () => writeFileSync(ballast, Buffer.alloc(1_500_000)),
    free: () => rmSync(ballast),
  };
}

/** A limit on how long the files of the process may be: needs no rights, and is another error of the system. */
function smallFiles(): Place | undefined {
  const file = join(temporaryFolder(onTestFinished), 'app.db');
  const limit = (pid: number, bytes: string): boolean =>
    run('prlimit', '--pid', `${pid}`, `--fsize=${bytes}:`);
  if (!limit(process.pid, 'unlimited')) return undefined;
  return {
    file,
    says: 'the database cannot be written or read',
    fill: (pid) => void limit(pid, `${statSync(`${file}-wal`).size + 100_000}`),
    free: (pid) => void limit(pid, 'unlimited'),
  };
}

describe('a desk without space', () => {
  it.for([
    ['on a full disk', smallDisk],
    ['whose files may not grow', smallFiles],
  ] as const)(
    '%s answers writes 503 and reads as ever; with space again it goes on by itself',
    async ([where, make], { skip }) => {
      verifies('sql.full', 'http.status.503');
      const place = make();
      if (!place) {
        console.warn(`skipped: a desk ${where} cannot be made here`);
        return skip();
      }
      const { file, says, fill, free } = place;
      const { program, url } = await startDesk(file);
      const { child } = program;
      onTestFinished(() => void child.kill('SIGKILL'));
      const { send, call } = clientOf(url);
      const create = (title: string, extra?: string) =>
        send('POST', '/tickets', { body: { title, ...(extra && { extra }) } });
      expect((await create('before')).status).toBe(201);
      await send('POST', '/notes/remember', { body: { key: 'k', value: 'apple' }, caller: ann });

      const { pid = 0 } = child;
      fill(pid);
      const acknowledged = ['before'];
      const refused: unknown[] = [];
      const big = 'x'.repeat(40_000);
      for (let round = 0; round < 8; round++) {
        const titles = Array.from({ length: 10 }, (_, i) => `${round}-${i}`);
        const answers = await Promise.all(titles.map((title) => create(title, big)));
        for (const [i, { status, value, headers }] of answers.entries()) {
          if (status === 201) acknowledged.push(titles[i] ?? '');
          else refused.push([status, (value as { detail?: string }).detail, headers.get('retry-after')]);
        }
      }
      expect(refused.length).toBeGreaterThan(10);
      for (const one of refused) expect(one).toEqual([503, says, '1']);
      expect((await call('create_tickets', { title: 'by tool', extra: big }, ann)).content[0]?.text).toBe(
        `tool create_tickets failed with 503: ${says}`,
      );
      const remembered = { body: { key: 'big', value: 'x'.repeat(16_000) }, caller: ann };
      for (let i = 0; i < 20; i++) await send('POST', '/notes/remember', remembered);

      for (const path of [
        '/tickets?sort=title,-id&limit=200',
        '/titles/before',
        '/notes/recall/k',
        '/notes/search?query=apples',
        '/_svc/health',
        '/_svc/audit',
      ])
        expect([path, (await send('GET', path, { caller: ann })).status]).toEqual([path, 200]);
      expect(child.exitCode).toBe(null);

      free(pid);
      expect((await create('after', big)).status).toBe(201);
      acknowledged.push('after');
      expect((await send('POST', '/notes/remember', remembered)).status).toBe(200);
      const stored = (await send('GET', '/tickets?limit=200')).value as readonly { readonly title: string }[];
      expect(stored.map(({ title }) => title)).toEqual(acknowledged);

      child.kill('SIGTERM');
      expect(await program.ended()).toBe(0);
      const database = new DatabaseSync(file, { readOnly: true });
      expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
      database.close();
    },
  );
});
