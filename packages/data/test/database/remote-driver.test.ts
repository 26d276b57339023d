import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import type { DeclarationError } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RemoteDriver } from '../../src/database/driver/remote-driver.ts';
import { isBehind, migrate } from '../../src/database/migrate.ts';
import { SqlDatabase } from '../../src/database/sql-database.ts';
import { migrations } from '../../src/stores/migrations.ts';
import { migrateDatabase } from '../../src/upkeep/index.ts';
import { testFolder } from '../open.ts';

/** The client of a server over a file of its own, and the statements that it took the time of. */
async function farDatabase() {
  const observed: string[] = [];
  const client = createClient({ url: `file:${testFolder()}/far.db`, intMode: 'bigint' });
  const driver = new RemoteDriver(client, {
    ...{ maxWaiting: 10, transactionMs: 60_000, requestMs: 60_000 },
    onStatement: ({ sql }) => observed.push(sql),
  });
  const database = new SqlDatabase({ kind: 'remote', log: () => undefined, connect: async () => driver });
  await database.open();
  onTestFinished(() => database.close());
  return { database, observed };
}

describe('RemoteDriver', () => {
  it('makes all of our tables in one request', async () => {
    const { database, observed } = await farDatabase();
    expect(await isBehind(database, migrations.length)).toBe(true);
    observed.length = 0;
    await database.transaction((transaction) => migrate(transaction, migrations));
    expect(observed).toHaveLength(2);
    expect(await isBehind(database, migrations.length)).toBe(false);
  });

  it('undoes a transaction when one of several statements fails', async () => {
    const { database } = await farDatabase();
    const failing = database.transaction(async (transaction) => {
      await transaction.runAll([]);
      await transaction.runAll(['create table a (x)', 'insert into nowhere values (1)']);
    });
    await expect(failing).rejects.toThrow('SQLITE_ERROR');
    expect(await database.many('select name from sqlite_schema')).toEqual([]);
  });

  it('applies a migration whole or not at all, once, and says where it fails', async () => {
    verifies('migrate.remote', 'migrate.foreign-keys');
    const { database } = await farDatabase();
    await database.transaction((transaction) => migrate(transaction, migrations));
    const folder = join(testFolder(), 'migrations');
    mkdirSync(folder);
    const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
    const apply = () => migrateDatabase(database, { folder, now: () => 1_000 });
    const at = (error: unknown) =>
      (error as DeclarationError).problems.map(({ code, at: place, rule }) => [
        code,
        place?.split('/').at(-1),
        rule,
      ]);
    write(
      '1_a.sql',
      `create table users (id integer primary key); insert into users values (1);
       create table posts (id integer primary key, user integer references users (id) on delete cascade);
       insert into posts values (7, 1);`,
    );
    // Two at once: the other one finds it done.
    expect((await Promise.all([apply(), apply()])).flat()).toHaveLength(1);
    write(
      '2_b.sql',
      `PRAGMA foreign_keys=OFF;
       create table n (id integer primary key, name text); insert into n (id) select id from users;
       drop table users; alter table n rename to users; PRAGMA foreign_keys=ON;`,
    );
    expect(await apply()).toHaveLength(1);
    expect(await database.many('select id, user from posts')).toEqual([{ id: 7, user: 1 }]);
    write('3_c.sql', 'create table c (x);\ninsert into nowhere values (1);');
    expect(at(await apply().catch((error: unknown) => error))).toEqual([
      ['migration-failed', '3_c.sql:2', expect.stringContaining('no such table: nowhere')],
    ]);
    write('3_c.sql', 'PRAGMA foreign_keys=OFF;\ndelete from users;');
    expect(at(await apply().catch((error: unknown) => error))).toEqual([
      ['migration-failed', '3_c.sql:2', expect.stringContaining('FOREIGN KEY constraint failed')],
    ]);
    expect(await database.many('select id from users')).toEqual([{ id: 1 }]);
    expect(await database.many(`select name from sqlite_schema where name = 'c'`)).toEqual([]);
  });
});
