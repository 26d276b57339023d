import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { type DatabaseOptions, openDatabase, type SqlDatabase } from '../../src/index.ts';
import { type SmallDisk, smallDisk } from '../small-disk.ts';

/** A database on a small disk, with a table. */
async function onSmallDisk(
  { skip }: Pick<TestContext, 'skip'>,
  options: DatabaseOptions = {},
): Promise<{ readonly database: SqlDatabase; readonly disk: SmallDisk }> {
  const disk = smallDisk();
  if (disk === undefined) {
    console.warn('skipped: a small disk could not be mounted here');
    return skip();
  }
  const database = await openDatabase(`sqlite://${disk.folder}/a.db`, options);
  onTestFinished(() => database.close());
  await database.write([{ sql: 'create table t (id integer primary key, a text)' }]);
  return { database, disk };
}

const inserts = (database: SqlDatabase) => (a: string) =>
  database.write([{ sql: 'insert into t (a) values (?)', args: [a] }]);
const big = 'x'.repeat(50_000);

const codes = (database: SqlDatabase): readonly string[] => database.troubles().map(({ code }) => code);

describe('a database on a full disk', () => {
  it('answers writes 503, is read, loses nothing and goes on by itself when there is space', async (test) => {
    verifies('sql.full');
    const { database, disk } = await onSmallDisk(test);
    const insert = inserts(database);
    await insert('before');
    disk.fill();

    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => insert(big)));
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused.length).toBeGreaterThan(0);
    for (const error of refused)
      expect(error).toMatchObject({
        ...{ status: 503, message: 'the database is full' },
        ...{ headers: { 'retry-after': '1' }, members: { code: 'disk_full' } },
      });
    const stored = outcomes.length - refused.length + 1;
    expect(await database.many('select count(*) as n from t')).toEqual([{ n: stored }]);
    expect(await database.many('select a from t order by a limit 1')).toEqual([{ a: 'before' }]);

    disk.free();
    await insert('after');
    expect(await database.many('select count(*) as n from t')).toEqual([{ n: stored + 1 }]);
    expect(await database.many('select * from pragma_integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  it('says so at once, until something is stored', async (test) => {
    verifies('sql.troubles');
    const { database, disk } = await onSmallDisk(test);
    const insert = inserts(database);
    expect(database.troubles()).toEqual([]);
    disk.fill();
    while ((await Promise.allSettled([insert(big)]))[0]?.status === 'fulfilled');
    expect(codes(database)).toEqual(['disk-full']);
    // What finds nothing to change needs no room, and says nothing of it.
    await database.write([{ sql: 'update t set a = a where id < 0' }]);
    await database.transaction((transaction) => transaction.many('select 1'));
    expect(codes(database)).toEqual(['disk-full']);
    disk.free();
    await insert('after');
    expect(database.troubles()).toEqual([]);
  });

  it('finds out by itself that there is space again, when nobody writes', async (test) => {
    verifies('sql.troubles');
    const { database, disk } = await onSmallDisk(test, { probeMs: 10 });
    const insert = inserts(database);
    disk.fill();
    // To the last page: a probe needs one.
    for (const text of [big, ''])
      while ((await Promise.allSettled([insert(text)]))[0]?.status === 'fulfilled');
    expect(codes(database)).toEqual(['disk-full']);
    disk.free();
    await expect.poll(() => database.troubles()).toEqual([]);
  });
});
