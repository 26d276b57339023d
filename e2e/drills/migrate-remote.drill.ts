import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeclarationError } from '@waymark/contract';
import { openDatabase, type SqlDatabase } from '@waymark/data';
import { migrateDatabase } from '@waymark/data/upkeep';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findSqld } from '../test/servers/sqld.ts';
import { temporaryFolder } from '../test/started-desk.ts';

const sqld = await findSqld();

beforeAll(() => sqld?.start());
afterAll(() => sqld?.remove());

async function instance(): Promise<SqlDatabase> {
  const database = await openDatabase(`http://127.0.0.1:${sqld?.port}`);
  onTestFinished(() => database.close());
  return database;
}

describe.skipIf(!sqld)('instances that migrate one libsql server', () => {
  it('apply each migration once, whole or not at all, with foreign keys checked at the end', async () => {
    const instances = await Promise.all([instance(), instance(), instance()]);
    const folder = join(temporaryFolder(onTestFinished), 'migrations');
    mkdirSync(folder);
    const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
    const apply = async () =>
      (await Promise.all(instances.map((one) => migrateDatabase(one, { folder, now: () => 1_000 })))).flat();
    const refusal = async () => {
      const error: unknown = await apply().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(DeclarationError);
      return (error as DeclarationError).problems[0];
    };
    write(
      '1_tables.sql',
      `create table users (id integer primary key); insert into users values (1);
       create table posts (id integer primary key, user integer references users (id) on delete cascade);
       insert into posts values (7, 1);`,
    );
    write(
      '2_big.sql',
      `create table big (x);
       insert into big with recursive n (x) as (select 1 union all select x + 1 from n where x < 300000) select x from n;`,
    );
    write(
      '3_rebuild.sql',
      `PRAGMA foreign_keys=OFF;
       create table n (id integer primary key, name text); insert into n (id) select id from users;
       drop table users; alter table n rename to users; PRAGMA foreign_keys=ON;`,
    );
    expect((await apply()).map(({ name }) => name).toSorted()).toEqual(['1_tables', '2_big', '3_rebuild']);
    const [database] = instances;
    expect(await database?.many('select id, user from posts')).toEqual([{ id: 7, user: 1 }]);
    expect(await database?.many('select count(*) as big from big')).toEqual([{ big: 300_000 }]);
    write('4_wrong.sql', 'create table c (x);\ninsert into nowhere values (1);');
    expect(await refusal()).toMatchObject({
      code: 'migration-failed',
      at: `${join(folder, '4_wrong.sql')}:2`,
    });
    write('4_wrong.sql', 'PRAGMA foreign_keys=OFF;\ndelete from users;');
    expect((await refusal())?.rule).toContain('FOREIGN KEY constraint failed');
    expect(await database?.many('select id from users')).toEqual([{ id: 1 }]);
    expect(await database?.many(`select name from sqlite_schema where name = 'c'`)).toEqual([]);
  });
});
