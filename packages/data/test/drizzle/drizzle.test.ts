import { HTTPError } from '@waymark/contract';
import type { Log } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { eq, relations, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { drizzle } from '../../src/drizzle/index.ts';
import type { SqlDatabase } from '../../src/index.ts';
import { fileDatabase, testDatabase } from '../open.ts';

const people = sqliteTable('people', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
  since: integer({ mode: 'timestamp_ms' }),
  active: integer({ mode: 'boolean' }).notNull().default(true),
  extra: text({ mode: 'json' }).$type<{ readonly tags: readonly string[] }>(),
});
const pets = sqliteTable('pets', {
  id: integer().primaryKey(),
  owner: integer().references(() => people.id),
  name: text().notNull(),
});
const peopleRelations = relations(people, ({ many }) => ({ pets: many(pets) }));
const petsRelations = relations(pets, ({ one }) => ({
  owner: one(people, { fields: [pets.owner], references: [people.id] }),
}));
const schema = { people, pets, peopleRelations, petsRelations };

const ddl = [
  'create table people (id integer primary key, name text not null unique, since integer, active integer not null default 1, extra text)',
  'create table pets (id integer primary key, owner integer references people, name text not null)',
];

async function withTables(database: SqlDatabase) {
  await database.write(ddl.map((one) => ({ sql: one })));
  return { database, db: drizzle(database, { schema }) };
}

const served = async () => withTables(await fileDatabase());

const namesOf = async (db: Awaited<ReturnType<typeof served>>['db']): Promise<readonly string[]> =>
  (await db.select({ name: people.name }).from(people).orderBy(people.id)).map(({ name }) => name);

describe('drizzle over the database of an application', () => {
  it('selects, inserts, updates and deletes, with what is returned in the types of the table', async () => {
    verifies('sql.drizzle.queries');
    const { db } = await served();
    const since = new Date('2026-01-02T03:04:05.678Z');
    const [ann] = await db
      .insert(people)
      .values({ name: 'ann', since, extra: { tags: ['a'] } })
      .returning();
    expect(ann).toEqual({ id: 1, name: 'ann', since, active: true, extra: { tags: ['a'] } });
    const inserted = await db.insert(people).values([{ name: 'bob' }, { name: 'cid' }]);
    expect(inserted).toMatchObject({ rowsAffected: 2, lastInsertRowid: 3 });
    expect(await db.update(people).set({ active: false }).where(eq(people.name, 'bob'))).toMatchObject({
      rowsAffected: 1,
    });
    expect(await db.select().from(people).where(eq(people.active, false))).toMatchObject([{ name: 'bob' }]);
    expect(await db.delete(people).where(eq(people.id, 3)).returning({ id: people.id })).toEqual([{ id: 3 }]);
    expect(await db.$count(people)).toBe(2);
    expect(await db.select().from(people).where(eq(people.id, 9)).get()).toBeUndefined();
    const active = db.$with('active').as(db.select().from(people).where(eq(people.active, true)));
    expect(await db.with(active).select({ name: active.name }).from(active)).toEqual([{ name: 'ann' }]);
    const byName = db
      .select({ id: people.id })
      .from(people)
      .where(eq(people.name, sql.placeholder('name')))
      .prepare();
    expect(await byName.all({ name: 'bob' })).toEqual([{ id: 2 }]);
  });

  it('gives the query API for a schema with relations, raw SQL as objects, and batches', async () => {
    verifies('sql.drizzle.queries');
    const { db } = await served();
    await db.batch([
      db.insert(people).values({ name: 'ann' }),
      db.insert(pets).values({ owner: 1, name: 'rex' }),
    ]);
    expect(await db.query.people.findMany({ columns: { name: true }, with: { pets: true } })).toEqual([
      { name: 'ann', pets: [{ id: 1, owner: 1, name: 'rex' }] },
    ]);
    expect(await db.query.pets.findFirst({ with: { owner: true } })).toMatchObject({
      owner: { name: 'ann' },
    });
    expect(await db.all(sql`select name, 1 as one from people`)).toEqual([{ name: 'ann', one: 1 }]);
    expect(await db.get(sql`select name from people`)).toEqual({ name: 'ann' });
    expect(await db.values(sql`select name from people`)).toEqual([['ann']]);
    const [all, got] = await db.batch([
      db.all(sql`select name from pets`),
      db.get(sql`select name from people`),
    ]);
    expect([all, got]).toEqual([[{ name: 'rex' }], { name: 'ann' }]);
    // All of a batch, or nothing.
    await expect(
      db.batch([db.insert(people).values({ name: 'bob' }), db.insert(people).values({ name: 'ann' })]),
    ).rejects.toMatchObject({ status: 409 });
    expect(await namesOf(db)).toEqual(['ann']);
  });
});

describe('a transaction of drizzle', () => {
  it('is alone: of many that read and then write none is overtaken', async () => {
    verifies('sql.drizzle.transaction');
    const { db } = await served();
    await db.insert(people).values({ name: '0' });
    const add = () =>
      db.transaction(async (tx) => {
        const [row] = await tx.select().from(people);
        await tx.update(people).set({ name: `${Number(row?.name) + 1}` });
        return row?.name;
      });
    const before = await Promise.all(Array.from({ length: 20 }, add));
    expect(before).toEqual(Array.from({ length: 20 }, (_, i) => `${i}`));
    expect(await namesOf(db)).toEqual(['20']);
  });

  it('is undone when it throws, shows nothing before, and has savepoints in it', async () => {
    verifies('sql.drizzle.transaction');
    const { db } = await served();
    const undone = db.transaction(async (tx) => {
      await tx.insert(people).values({ name: 'ann' });
      throw new HTTPError(409, 'no');
    });
    await expect(undone).rejects.toMatchObject({ status: 409, message: 'no' });
    await expect(db.transaction(async (tx) => tx.rollback())).rejects.toThrow('Rollback');
    await db.transaction(async (tx) => {
      await tx.insert(people).values({ name: 'kept' });
      const inner = tx.transaction(async (nested) => {
        await nested.insert(people).values({ name: 'dropped' });
        await nested.transaction((deeper) => deeper.insert(people).values({ name: 'dropped, too' }));
        throw new Error('undo');
      });
      await expect(inner).rejects.toThrow('undo');
      await tx.transaction((nested) => nested.insert(people).values({ name: 'kept, too' }));
      expect(await tx.query.people.findMany({ columns: { name: true } })).toHaveLength(2);
    });
    expect(await namesOf(db)).toEqual(['kept', 'kept, too']);
  });

  it('refuses the outer database inside', async () => {
    verifies('sql.drizzle.transaction');
    const { db } = await served();
    const outer = db.transaction(async () => db.insert(people).values({ name: 'ann' }));
    await expect(outer).rejects.toThrow('inside a transaction, use the transaction and not the database');
    expect(await namesOf(db)).toEqual([]);
  });

  it('is undone when it never ends, and nothing waits for ever', async () => {
    verifies('sql.drizzle.transaction');
    const { db } = await withTables(await fileDatabase({ transactionMs: 50 }));
    const stuck = db.transaction(() => new Promise<never>(() => undefined));
    const next = db.insert(people).values({ name: 'bob' });
    await expect(stuck).rejects.toMatchObject({ status: 503 });
    await next;
    expect(await namesOf(db)).toEqual(['bob']);
  });
});

describe('what goes wrong in drizzle', () => {
  it('neither answers nor logs SQL with values, nor the values', async () => {
    verifies('sql.drizzle.errors');
    const lines: unknown[] = [];
    const log: Log = (...line) => lines.push(line);
    const { db, database } = await withTables(await testDatabase(':memory:', { log }));
    await db.insert(people).values({ name: 'the-secret' });
    await database.write([{ sql: `insert into people (name, extra) values ('x', 'the-secret')` }]);
    const failures = await Promise.all(
      [
        db.insert(people).values({ name: 'the-secret' }),
        db.insert(people).values({ name: 'the-secret' }).returning(),
        db.insert(pets).values({ name: 'the-secret', owner: 99 }),
        db.run(sql`insert into people (name) values (${'the-secret'})`),
        db.select({ x: sql`json(${'the-secret'})` }).from(people),
        db.all(sql`select json(${'the-secret'})`),
        db.batch([db.insert(people).values({ name: 'the-secret' })]),
        db.transaction((tx) => tx.insert(people).values({ name: 'the-secret' })),
        db.select().from(people).where(eq(people.name, 'x')),
        db.query.people.findMany(),
      ].map((failing) =>
        (async (): Promise<unknown> => {
          try {
            return await failing;
          } catch (error) {
            return error;
          }
        })(),
      ),
    );
    const statuses = failures.map((one) => (one instanceof HTTPError ? one.status : one));
    expect(statuses.slice(0, 8)).toEqual([409, 409, 409, 409, 422, 422, 409, 409]);
    expect(failures.slice(8).map(String)).toEqual(
      Array(2).fill('Error: a row is not what its drizzle table says'),
    );
    const said = failures.map((one) => {
      const chain: unknown[] = [];
      for (let error = one; error instanceof Error; error = error.cause)
        chain.push([error.message, Object.entries(error)]);
      return chain;
    });
    expect(JSON.stringify([said, lines])).not.toContain('the-secret');
  });
});
