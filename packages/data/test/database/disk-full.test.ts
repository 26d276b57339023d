import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/index.ts';
import { testFolder } from '../open.ts';

/** A disk of 2 MB, or undefined where none can be made. */
function smallDisk(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const folder = join(testFolder(), 'disk');
  mkdirSync(folder);
  const { status } = run('mount', '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder);
  if (status !== 0) return undefined;
  onTestFinished(() => void run('umount', '--lazy', folder));
  return folder;
}

const run = (program: string, ...args: readonly string[]) => spawnSync(program, args);

describe('a database on a full disk', () => {
  it('answers writes 503, is read, loses nothing and goes on by itself when there is space', async ({
    skip,
  }) => {
    verifies('sql.full');
    const disk = smallDisk();
    if (disk === undefined) {
      console.warn('skipped: a small disk could not be mounted here');
      return skip();
    }
    const database = await openDatabase(`sqlite://${disk}/a.db`);
    onTestFinished(() => database.close());
    await database.write([{ sql: 'create table t (id integer primary key, a text)' }]);
    const insert = (a: string) => database.write([{ sql: 'insert into t (a) values (?)', args: [a] }]);
    await insert('before');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(1_200_000));

    const big = 'x'.repeat(50_000);
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => insert(big)));
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused.length).toBeGreaterThan(0);
    for (const error of refused)
      expect(error).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    const stored = outcomes.length - refused.length + 1;
    expect(await database.many('select count(*) as n from t')).toEqual([{ n: stored }]);
    expect(await database.many('select a from t order by a limit 1')).toEqual([{ a: 'before' }]);

    rmSync(ballast);
    await insert('after');
    expect(await database.many('select count(*) as n from t')).toEqual([{ n: stored + 1 }]);
    expect(await database.many('select * from pragma_integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });
});
