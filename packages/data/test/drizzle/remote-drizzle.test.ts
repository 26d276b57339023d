import { createClient } from '@libsql/client';
import { verifies } from '@waymark/contract/testing';
import { eq } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RemoteDriver } from '../../src/database/driver/remote-driver.ts';
import { SqlDatabase } from '../../src/database/sql-database.ts';
import { parseSql } from '../../src/database/sql-text.ts';
import { drizzle } from '../../src/drizzle/index.ts';
import { resource } from '../../src/index.ts';
import { InsertedRow } from '../../src/query/inserted-row.ts';
import { serve } from '../ask.ts';
import { testFolder } from '../open.ts';

/** The client of a server over a file of its own. */
async function farDatabase(): Promise<SqlDatabase> {
  const client = createClient({ url: `file:${testFolder()}/far.db`, intMode: 'bigint' });
  const driver = new RemoteDriver(client, {
    ...{ maxWaiting: 10, transactionMs: 60_000, deadlineMs: 60_000, requestMs: 60_000 },
    onStatement: () => undefined,
  });
  const database = new SqlDatabase({ kind: 'remote', log: () => undefined, connect: async () => driver });
  await database.open();
  onTestFinished(() => database.close());
  return database;
}

describe('a database behind a server', () => {
  it('serves a drizzle table, and runs drizzle with transactions in transactions', async () => {
    verifies('resource.drizzle', 'sql.drizzle.queries', 'sql.drizzle.transaction');
    const database = await farDatabase();
    const items = sqliteTable('items', {
      id: integer().primaryKey(),
      name: text('the_name').notNull().unique(),
      at: integer({ mode: 'timestamp_ms' }).notNull().default(new Date(5)),
    });
    const { ask } = await serve([resource(items)], database);
    const row = { id: 1, name: 'a', at: '1970-01-01T00:00:00.005Z' };
    expect(await ask('create_items', { name: 'a' })).toMatchObject({ status: 201, value: row });
    const db = drizzle(database, { schema: { items } });
    await db.transaction(async (tx) => {
      await tx.insert(items).values({ name: 'b' });
      const undone = tx.transaction(async (nested) => {
        await nested.update(items).set({ name: 'undone' }).where(eq(items.name, 'b'));
        await nested.insert(items).values({ name: 'a' });
      });
      await expect(undone).rejects.toMatchObject({ status: 409 });
      expect(await tx.query.items.findMany({ columns: { name: true } })).toEqual([
        { name: 'a' },
        { name: 'b' },
      ]);
    });
    const [, second] = await db.batch([
      db.select().from(items),
      db.select().from(items).where(eq(items.id, 2)),
    ]);
    expect(second).toEqual([{ id: 2, name: 'b', at: new Date(5) }]);
  });

  it('names the row that a query inserted, and none that it did not', async () => {
    verifies('query.affected');
    const database = await farDatabase();
    await database.write([
      { sql: 'create table items (id integer primary key, name text unique, times integer default 1)' },
      { sql: 'create table words (word text primary key) without rowid' },
    ]);
    const upsert = 'insert into items (name) values (?) on conflict (name) do update set times = times + 1';
    const idOf = async (sql: string, text: string) => {
      const inserted = new InsertedRow(parseSql(sql));
      await inserted.look(database);
      return inserted.read(await database.write(inserted.around({ sql, args: [text] })));
    };
    expect([
      await idOf(upsert, 'a'),
      await idOf(upsert, 'a'),
      await idOf('insert into words values (?)', 'a'),
      await idOf(upsert, 'b'),
    ]).toEqual([1, null, null, 2].map((id) => ({ affected: 1, id })));
  });

  it('is compared with what is declared as a file is', async () => {
    verifies('resource.new-row', 'resource.column-type');
    const database = await farDatabase();
    const fields = { a: 'string', b: 'integer' } as const;
    await serve([resource('r', fields)], database);
    await serve([resource('r', fields)], database);
    await expect(serve([resource('r', { a: 'integer' })], database)).rejects.toMatchObject({
      problems: [{ code: 'resource-column-type' }, { code: 'resource-new-row' }],
    });
  });
});
