import { describe, expect, it } from 'vitest';
import { foldColumns } from '../../src/database/fold-columns.ts';
import type { SqlDatabase } from '../../src/database/sql-database.ts';
import { migrations } from '../../src/stores/migrations.ts';
import { testDatabase } from '../open.ts';

/** Tables, indexes and triggers, the columns of each table in their order; the text of a table alone may differ. */
async function schemaOf(database: SqlDatabase): Promise<unknown> {
  const objects = await database.many(
    `select type, name, tbl_name, iif(type = 'table', null, sql) as sql from sqlite_schema
      where name like 'svc\\_\\_%' escape '\\' order by name`,
  );
  const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => String(name));
  const columns = tables.map((name) => database.many(`select * from pragma_table_xinfo('${name}')`));
  const kinds = tables.map((name) => database.many(`select wr, strict from pragma_table_list('${name}')`));
  return { objects, columns: await Promise.all(columns), kinds: await Promise.all(kinds) };
}

describe('foldColumns', () => {
  it('leads to the same schema as the steps one after another', async () => {
    const fresh = await testDatabase();
    const stepped = await testDatabase();
    const made = await stepped.many(
      "select name from sqlite_schema where name like 'svc\\_\\_%' escape '\\' and type = 'table'",
    );
    for (const { name } of made) await stepped.write([{ sql: `drop table ${String(name)}` }]);
    await stepped.transaction(async (transaction) => {
      await transaction.run('create table svc__schema (version integer not null) strict');
      for (const sql of migrations.flat()) await transaction.run(sql);
    });
    expect(await schemaOf(fresh)).toEqual(await schemaOf(stepped));
    expect(foldColumns(migrations.flat()).filter((sql) => sql.startsWith('alter'))).toEqual([]);
  });

  it('puts a column behind those that are there, and before what is said of the whole table', () => {
    expect(
      foldColumns([
        'create table a (x text not null,\n  y text) strict',
        'create table b (x text, y text, primary key (x, y)) strict',
        'create table c (x text primary key) strict, without rowid',
        'create index a_x on a (x)',
        'alter table a add column z integer not null default 0',
        'alter table b add column z text',
        'alter table c add column z text',
        `alter table a add column last text not null default ''`,
      ]),
    ).toEqual([
      `create table a (x text not null,\n  y text, z integer not null default 0, last text not null default '') strict`,
      'create table b (x text, y text, z text, primary key (x, y)) strict',
      'create table c (x text primary key, z text) strict, without rowid',
      'create index a_x on a (x)',
    ]);
  });

  it.each([
    [['create table a (x text)', 'alter table a add column y text']],
    [['create table a (x text, unique (x)) strict, whatever', 'alter table a add column y text']],
    [['alter table elsewhere add column y text']],
    [['create table a (x text) strict', 'alter table a rename to b', 'alter table b add column y text']],
  ])('leaves alone what it does not know: %j', (statements) => {
    expect(foldColumns(statements)).toEqual(statements);
  });
});
