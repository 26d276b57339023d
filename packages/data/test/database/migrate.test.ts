import { describe, expect, it } from 'vitest';
import { isBehind, migrate } from '../../src/database/migrate.ts';
import { migrations } from '../../src/stores/migrations.ts';
import { testDatabase } from '../open.ts';

const next = ['create table svc__later (a integer not null) strict', 'insert into svc__later values (1)'];

describe('migrate', () => {
  it('runs the steps that a database has not seen, once', async () => {
    const database = await testDatabase();
    const all = [...migrations, next];
    expect(await isBehind(database, all.length)).toBe(true);
    for (let time = 0; time < 2; time++)
      await database.transaction((transaction) => migrate(transaction, all));
    expect(await isBehind(database, all.length)).toBe(false);
    expect(await database.many('select version, a from svc__schema, svc__later')).toEqual([
      { version: all.length, a: 1 },
    ]);
  });

  it('leaves everything as it was when one statement fails', async () => {
    const database = await testDatabase();
    const broken = [...migrations, [...next, 'create table svc__audit (a)']];
    await expect(database.transaction((transaction) => migrate(transaction, broken))).rejects.toThrow();
    expect(await database.many("select name from sqlite_schema where name = 'svc__later'")).toEqual([]);
    expect(await database.many('select version from svc__schema')).toEqual([{ version: migrations.length }]);
  });

  it('refuses inside the transaction, too, what a newer release wrote meanwhile', async () => {
    const database = await testDatabase();
    await database.write([{ sql: 'update svc__schema set version = 1000' }]);
    const migrating = database.transaction((transaction) => migrate(transaction, migrations));
    await expect(migrating).rejects.toThrow("it has version 1000 of the service's tables");
  });
});
