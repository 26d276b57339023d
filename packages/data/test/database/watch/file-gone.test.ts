import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type DatabaseOptions, openDatabase, type SqlDatabase } from '../../../src/index.ts';
import { testDatabase, testFolder } from '../../open.ts';

/** Nothing is found out by the clock: what is known comes from the writes. */
const noProbe = { probeMs: 60_000 };

async function open(options: DatabaseOptions = noProbe) {
  const file = join(testFolder(), 'a.db');
  const database = await testDatabase(`sqlite://${file}`, options);
  await database.write([{ sql: 'create table t (a text)' }]);
  return { file, database };
}

const insert = (database: SqlDatabase, a: string) =>
  database.write([{ sql: 'insert into t (a) values (?)', args: [a] }]);

const gone = {
  ...{ status: 503, message: 'the database file is gone' },
  ...{ headers: { 'retry-after': '1' }, members: { code: 'database_gone' } },
};

function remove(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end);
}

describe('a database whose file is gone', () => {
  it('acknowledges nothing from then on, and says so', async () => {
    verifies('sql.gone');
    const { file, database } = await open();
    await insert(database, 'kept');
    expect(database.troubles()).toEqual([]);
    remove(file);
    await expect(insert(database, 'lost')).rejects.toMatchObject(gone);
    await expect(insert(database, 'lost')).rejects.toMatchObject(gone);
    const effect = database.transaction((transaction) => transaction.run(`insert into t values ('lost')`));
    await expect(effect).rejects.toMatchObject(gone);
    expect(database.troubles()).toMatchObject([{ code: 'database-gone' }]);
    expect(JSON.stringify(database.troubles())).not.toContain(file);
    // An open file is read as ever, with the one write that found out: so it can be saved.
    expect(await database.many('select count(*) as n from t')).toEqual([{ n: 2 }]);
  });

  it('acknowledges nothing that is under way, either', async () => {
    verifies('sql.gone', 'sql.acknowledged');
    const { file, database } = await open();
    let isGone = false;
    let [before, after, refused] = [0, 0, 0];
    const writers = Array.from({ length: 20 }, async () => {
      while (refused < 200)
        await insert(database, 'x').then(
          () => (isGone ? after++ : before++),
          () => refused++,
        );
    });
    while (before < 500) await nextTurn();
    // Nothing of this process runs between these two.
    remove(file);
    isGone = true;
    // What was on its way to its caller by then was stored, and told, before.
    const told = after;
    await Promise.all(writers);
    expect({ before: before >= 500, after: after - told, refused: refused >= 200 }).toEqual({
      ...{ before: true, after: 0, refused: true },
    });
  });

  it('goes on when the same file is back under its name', async () => {
    verifies('sql.gone');
    const { file, database } = await open();
    const away = `${file}-away`;
    renameSync(file, away);
    await expect(insert(database, 'a')).rejects.toMatchObject(gone);
    renameSync(away, file);
    await insert(database, 'b');
    expect(database.troubles()).toEqual([]);
  });

  it('is not deceived by another one in its place: that takes a restart', async () => {
    verifies('sql.gone');
    const { file, database } = await open();
    const backup = join(testFolder(), 'backup.db');
    await insert(database, 'of old');
    await database.close();
    copyFileSync(file, backup);
    const again = await testDatabase(`sqlite://${file}`, noProbe);
    remove(file);
    copyFileSync(backup, file);
    await expect(insert(again, 'lost')).rejects.toMatchObject(gone);
    expect(again.troubles()).toMatchObject([
      { code: 'database-gone', message: expect.stringContaining('Another file') as string },
    ]);
    await again.close();
    const restarted = await testDatabase(`sqlite://${file}`);
    await insert(restarted, 'kept');
    expect(await restarted.many('select a from t')).toEqual([{ a: 'of old' }, { a: 'kept' }]);
  });

  it('is found out without a write', async () => {
    verifies('sql.gone');
    const { file, database } = await open({ probeMs: 10 });
    remove(file);
    await expect.poll(() => database.troubles()).toMatchObject([{ code: 'database-gone' }]);
    await expect(insert(database, 'lost')).rejects.toMatchObject(gone);
    // The probe has written nothing, and refused writes are not made.
    expect(await database.many('select count(*) as n from t')).toEqual([{ n: 0 }]);
  });

  it('says that its log is gone, writes no more, and saves what is in the log when it is closed', async () => {
    verifies('sql.gone');
    const file = join(testFolder(), 'a.db');
    const database = await openDatabase(`sqlite://${file}`, { probeMs: 10 });
    await database.write([{ sql: 'create table t (a text)' }]);
    await insert(database, 'in the log');
    rmSync(`${file}-wal`);
    await expect.poll(() => database.troubles()).toMatchObject([{ code: 'database-gone' }]);
    await expect(insert(database, 'lost')).rejects.toMatchObject(gone);
    await database.close();
    const restarted = await testDatabase(`sqlite://${file}`);
    expect(await restarted.many('select a from t')).toEqual([{ a: 'in the log' }]);
  });
});
