import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, LibsqlError } from '@libsql/client';
import type { DeclarationError } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RemoteDriver } from '../../src/database/driver/remote-driver.ts';
import { isBehind, migrate } from '../../src/database/migrate.ts';
import { SqlDatabase } from '../../src/database/sql-database.ts';
import { parseSql } from '../../src/database/sql-text.ts';
import { migrations } from '../../src/stores/migrations.ts';
import { migrateDatabase } from '../../src/upkeep/index.ts';
import { testFolder } from '../open.ts';

/** The client of a server over a file of its own, and the statements that it took the time of. */
async function farDatabase() {
  const observed: string[] = [];
  const client = createClient({ url: `file:${testFolder()}/far.db`, intMode: 'bigint' });
  const driver = new RemoteDriver(client, {
    ...{ maxWaiting: 10, transactionMs: 60_000, deadlineMs: 60_000, requestMs: 60_000 },
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

  /** A driver whose client answers writes as it is told. */
  function answering(batch: () => Promise<[]>) {
    const stored: boolean[] = [];
    const client = { batch, close: () => undefined } as unknown as Client;
    const limits = { maxWaiting: 10, transactionMs: 60_000, deadlineMs: 1_000, requestMs: 50 };
    const onWrite = (one: boolean): void => void stored.push(one);
    const driver = new RemoteDriver(client, { ...limits, onStatement: () => undefined, onWrite });
    return { write: () => driver.write([{ text: parseSql('delete from t'), values: [] }]), stored };
  }

  it('makes a write again that found the server busy, and one after another', async () => {
    let underWay = 0;
    let most = 0;
    let tries = 0;
    const { write, stored } = answering(async () => {
      most = Math.max(most, ++underWay);
      await Promise.resolve();
      underWay--;
      if (++tries <= 3) throw new LibsqlError('database is locked', 'SQLITE_BUSY');
      return [];
    });
    await Promise.all([write(), write(), write()]);
    expect([most, tries, stored]).toEqual([1, 6, [true, true, true]]);
  });

  it('lets ten wait, those for their turn too, and refuses the next', async () => {
    let answer: (rows: []) => void = () => undefined;
    const { write } = answering(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const writes = Array.from({ length: 11 }, () => write().then(() => 'stored', String));
    const first = await Promise.race(writes);
    expect(first).toContain('has too much to do');
    for (let i = 0; i < 10; i++) {
      answer([]);
      expect(await writes[i]).toBe('stored');
      // The next one has its turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await writes[10]).toBe(first);
  });

  it('tells of a write that had no answer in time', async () => {
    const { write, stored } = answering(() => new Promise(() => {}));
    await expect(write()).rejects.toMatchObject({ status: 503, message: 'the database took too long' });
    expect(stored).toEqual([false]);
  });

  it('makes no write again that was refused for another reason', async () => {
    let tries = 0;
    const { write, stored } = answering(() => {
      tries++;
      return Promise.reject(new LibsqlError('UNIQUE constraint failed: t.a', 'SQLITE_CONSTRAINT'));
    });
    await expect(write()).rejects.toThrow('UNIQUE');
    expect([tries, stored]).toEqual([1, []]);
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
