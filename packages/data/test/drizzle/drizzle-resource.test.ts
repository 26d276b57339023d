import { DeclarationError, Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { sql } from 'drizzle-orm';
import {
  blob,
  check,
  customType,
  index,
  integer,
  numeric,
  real,
  sqliteTable,
  text,
  unique,
} from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { toDrizzleRowTable } from '../../src/drizzle/to-drizzle-row-table.ts';
import { type DrizzleTable, resource, type SqlDatabase, type TableResourceOptions } from '../../src/index.ts';
import { toRowTable } from '../../src/resource/row-table.ts';
import { insertRow, updateRow } from '../../src/resource/rows.ts';
import { type Served, serve } from '../ask.ts';
import { fileDatabase } from '../open.ts';

const tags = customType<{ data: readonly string[]; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => value.join(','),
  fromDriver: (value) => value.split(','),
});

const kinds = sqliteTable('kinds', {
  id: integer().primaryKey(),
  title: text('the_title', { length: 40 }).notNull(),
  size: text({ enum: ['small', 'large'] }),
  extra: text({ mode: 'json' }),
  count: integer().notNull(),
  done: integer({ mode: 'boolean' }).notNull(),
  madeAt: integer('made_at', { mode: 'timestamp' }),
  seenAt: integer('seen_at', { mode: 'timestamp_ms' }),
  weight: real(),
  price: numeric(),
  share: numeric({ mode: 'number' }),
  packed: blob({ mode: 'json' }),
  tags: tags(),
});

/** A value of each column, as JSON has it and as the file has it. */
const row = {
  ...{ title: 'a lamp', size: 'small', extra: { a: [1, null] }, count: 3, done: true },
  ...{ madeAt: '2026-01-02T03:04:05.000Z', seenAt: '2026-01-02T03:04:05.678Z' },
  ...{ weight: 2.5, price: '12.5', share: 0.25, packed: { b: 'ä' }, tags: ['x', 'y'] },
};

const stored = {
  ...{ the_title: 'a lamp', size: 'small', extra: '{"a":[1,null]}', count: 3, done: 1 },
  ...{ made_at: 1_767_323_045, seen_at: 1_767_323_045_678 },
  ...{ weight: 2.5, price: 12.5, share: 0.25, packed: '{"b":"ä"}', tags: 'x,y' },
};

async function served<T extends DrizzleTable>(
  table: T,
  options?: TableResourceOptions<T>,
): Promise<Served & { database: SqlDatabase }> {
  const database = await fileDatabase();
  return { database, ...(await serve([resource(table, options), resource(places)], database)) };
}

const servedKinds = (): ReturnType<typeof served> =>
  served(kinds, { fields: { tags: Type.Array(Type.String()) } });

describe('a drizzle table as a resource', () => {
  it('answers each kind of column as its schema says, and keeps it as drizzle does', async () => {
    verifies('resource.drizzle.columns');
    const { ask, database } = await servedKinds();
    const created = await ask('create_kinds', row);
    expect(created).toMatchObject({ status: 201, value: { id: 1, ...row } });
    expect(await database.many('select *, cast(packed as text) as packed from kinds')).toEqual([
      { id: 1, ...stored },
    ]);
    expect((await ask('get_kinds', { id: 1 })).value).toEqual({ id: 1, ...row });
    const changed = await ask('update_kinds', { id: 1, madeAt: null, done: false, tags: ['z'] });
    expect(changed.value).toEqual({ id: 1, ...row, madeAt: null, done: false, tags: ['z'] });
  });

  it('filters and sorts by each of them', async () => {
    const { ask } = await servedKinds();
    await ask('create_kinds', row);
    await ask('create_kinds', { title: 'b', count: 1, done: false });
    for (const [name, value] of Object.entries(row)) {
      const isText = ['extra', 'packed', 'tags'].includes(name);
      const found = await ask('list_kinds', {
        [name]: isText ? JSON.stringify(value) : value,
        sort: `-${name}`,
      });
      expect([name, found.value]).toEqual([name, [{ id: 1, ...row }]]);
    }
    const sorted = await ask('list_kinds', { sort: '-title' });
    expect((sorted.value as { id: number }[]).map(({ id }) => id)).toEqual([2, 1]);
  });
});

describe('columns that are called as what every object has', () => {
  it('are columns as any others', async () => {
    const odd = sqliteTable('odd', {
      id: integer().primaryKey(),
      constructor: text().notNull(),
      toString: text(),
      valueOf: integer(),
    } as never);
    const { ask } = await serve([resource(odd)], await fileDatabase());
    const row = { constructor: 'a', toString: 'b', valueOf: 3 };
    expect(await ask('create_odd', row)).toMatchObject({ status: 201 });
    expect((await ask('create_odd', { constructor: 'c', toString: null, valueOf: null })).value).toEqual({
      ...{ id: 2, constructor: 'c', toString: null, valueOf: null },
    });
    expect((await ask('update_odd', { id: 1, ...row, valueOf: 4 })).value).toEqual({
      id: 1,
      ...row,
      valueOf: 4,
    });
    expect((await ask('list_odd', { ...row, id: 1, valueOf: 4, sort: '-constructor' })).value).toEqual([
      { id: 1, ...row, valueOf: 4 },
    ]);
  });
});

describe('a row that another one refers to', () => {
  it.each(['restrict', 'no action'] as const)(
    'is kept, and its caller told why: on delete %s',
    async (onDelete) => {
      const parents = sqliteTable('parents', { id: integer().primaryKey() });
      const children = sqliteTable('children', {
        id: integer().primaryKey(),
        parent: integer().references(() => parents.id, { onDelete }),
      });
      const { ask } = await serve([resource(parents), resource(children)], await fileDatabase());
      await ask('create_parents', {});
      await ask('create_children', { parent: 1 });
      const said = {
        status: 409,
        detail: 'a row that this refers to does not exist, or this row is still referred to',
      };
      expect(await ask('delete_parents', { id: 1 })).toMatchObject(said);
      expect(await ask('create_children', { parent: 2 })).toMatchObject(said);
    },
  );
});

describe('a numeric column', () => {
  const prices = sqliteTable('prices', { id: integer().primaryKey(), price: numeric().notNull() });

  const kept = [
    ['12.50', '12.5'],
    ['-0.00', '0'],
    ['+007', '7'],
    ['.5', '0.5'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740993.0', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['123456789012.345', '123456789012.345'],
    ['1234567890123.45', '1234567890123.45'],
    ['1e3', '1000'],
    ['1e20', '1.0e+20'],
    ['1.0e+20', '1.0e+20'],
    ['0e999999999999', '0'],
    ['1e-307', '1.0e-307'],
  ] as const;

  it('keeps each number that it is given, and finds it', async () => {
    verifies('resource.drizzle.columns');
    const { ask } = await serve([resource(prices)], await fileDatabase());
    for (const [given, price] of kept) {
      const { status, value } = await ask('create_prices', { price: given });
      const { id } = value as { readonly id: number };
      expect([given, status, value]).toEqual([given, 201, { id, price }]);
      for (const wanted of [given, price])
        expect((await ask('list_prices', { price: wanted, sort: '-id' })).value).toContainEqual({
          id,
          price,
        });
      expect((await ask('update_prices', { id, price })).value).toEqual({ id, price });
    }
  });

  const refused = [
    ...[
      '123456789012345678.12',
      '12345678901234567890',
      '99999999999999999999.5',
      '1e400',
      '-1e400',
      '1e-320',
    ],
    ...['9223372036854775808', '-9223372036854775809', '1234567890123456.5', '0.1234567890123456'],
    ...['abc', '0x10', '1_000', '', ' 1', '1 ', '.', '-', 'e5', '1e', 'NaN', 'Infinity', '1,5', '١'],
  ];

  it('refuses what it would make another one of: to add, to change, and to look for', async () => {
    verifies('resource.drizzle.columns');
    const { ask } = await serve([resource(prices)], await fileDatabase());
    await ask('create_prices', { price: '1' });
    for (const price of refused)
      for (const [name, values] of [
        ['create_prices', { price }],
        ['update_prices', { id: 1, price }],
        ['list_prices', { price }],
      ] as const)
        expect([name, price, (await ask(name, values)).status]).toEqual([name, price, 422]);
    expect((await ask('list_prices')).value).toEqual([{ id: 1, price: '1' }]);
  });
});

const filled = sqliteTable(
  'filled',
  {
    id: text()
      .primaryKey()
      .$defaultFn(() => 'made-by-the-program'),
    rank: integer().notNull().default(7),
    since: integer({ mode: 'timestamp' }).notNull().default(new Date(0)),
    made: integer().notNull().default(sql`(40 + 2)`),
    changes: integer()
      .default(1)
      .$onUpdate(() => sql`coalesce(${sql.identifier('changes')}, 0) + 1`),
    slug: text().generatedAlwaysAs(sql`'rank-' || ${sql.identifier('rank')}`),
    secret: text('the_secret').notNull().default("it's ours"),
    email: text().unique(),
    place: integer().references(() => places.id, { onDelete: 'cascade' }),
  },
  (t) => [
    check('rank_positive', sql`${t.rank} > 0`),
    unique().on(t.rank, t.email),
    index('by_rank').on(t.rank).where(sql`${t.rank} > 5`),
  ],
);
const places = sqliteTable('places', { id: integer().primaryKey({ autoIncrement: true }), name: text() });

describe('what a drizzle table says of its rows', () => {
  it('fills in where nobody gives: literals, expressions, functions, on creating and on changing', async () => {
    verifies('resource.drizzle.defaults');
    const { ask, table, database } = await served(filled, { omit: ['secret'] });
    const { value } = await ask('create_filled');
    const made = {
      ...{ id: 'made-by-the-program', rank: 7, since: '1970-01-01T00:00:00.000Z', made: 42 },
      ...{ changes: 1, slug: 'rank-7', email: null, place: null },
    };
    expect(value).toEqual(made);
    const changed = await ask('update_filled', { id: made.id, rank: 9 });
    expect(changed.value).toEqual({ ...made, rank: 9, slug: 'rank-9', changes: 2 });
    expect((await ask('update_filled', { id: made.id })).value).toEqual(changed.value);
    expect((await ask('create_filled', { id: 'given', made: 1 })).value).toMatchObject({
      ...{ id: 'given', made: 1, changes: 1 },
    });
    expect(await database.many('select distinct the_secret from filled')).toEqual([
      { the_secret: "it's ours" },
    ]);
    const { properties, required } = (table.get('create_filled')?.inputSchema ?? {}) as {
      readonly properties: Readonly<Record<string, object>>;
      readonly required?: readonly string[];
    };
    expect(Object.keys(properties)).toEqual([
      ...['id', 'rank', 'since', 'made', 'changes', 'email', 'place'],
    ]);
    expect(required ?? []).toEqual([]);
    expect(properties['since']).toMatchObject({ default: '1970-01-01T00:00:00.000Z', format: 'date-time' });
  });

  it('makes the table as it is declared, with its constraints and indexes', async () => {
    verifies('resource.drizzle.creates');
    const { ask, database } = await served(filled);
    const made = await database.many(
      "select name, sql from sqlite_schema where tbl_name = 'filled' and sql is not null order by rowid",
    );
    expect(made.map(({ name }) => name)).toEqual([
      ...['filled', 'filled_email_unique', 'filled_rank_email_unique', 'by_rank'],
    ]);
    await database.write([{ sql: "insert into places (id, name) values (1, 'here')" }]);
    expect((await ask('create_filled', { id: 'a', email: 'e', place: 1 })).status).toBe(201);
    expect(await ask('create_filled', { id: 'b', email: 'e' })).toMatchObject({ status: 409 });
    expect(await ask('create_filled', { id: 'b', rank: -1 })).toMatchObject({
      ...{ status: 409, detail: 'a value is outside what the table allows' },
    });
    expect(await ask('create_filled', { id: 'b', place: 2 })).toMatchObject({ status: 409 });
    await database.write([{ sql: 'delete from places' }]);
    expect((await ask('list_filled')).value).toEqual([]);
  });

  it('numbers rows with a function of its own, or leaves that to the database', async () => {
    verifies('resource.drizzle.defaults');
    let next = 40;
    const numbered = sqliteTable('numbered', {
      no: integer()
        .primaryKey()
        .$defaultFn(() => next++),
      kind: text()
        .notNull()
        .default('a')
        .$onUpdate(() => 'changed'),
    });
    const { ask } = await served(numbered);
    expect((await ask('create_numbered')).value).toEqual({ no: 40, kind: 'a' });
    expect((await ask('create_numbered', { no: 7 })).value).toEqual({ no: 7, kind: 'a' });
    expect((await ask('create_numbered', { no: 7 })).status).toBe(409);
    expect((await ask('update_numbered', { no: 7, kind: 'b' })).value).toEqual({ no: 7, kind: 'b' });
  });

  it('costs nothing where columns are named and kept as fields are', async () => {
    verifies('resource.drizzle');
    const fields = {
      title: 'string',
      rank: 'integer',
      urgent: 'boolean',
      note: Type.Optional(Type.String()),
    } as const;
    const same = sqliteTable('same', {
      id: integer().primaryKey({ autoIncrement: true }),
      title: text().notNull(),
      rank: integer().notNull(),
      urgent: integer({ mode: 'boolean' }).notNull(),
      note: text(),
    });
    const plain = toRowTable(resource('same', fields));
    const drizzled = toDrizzleRowTable(resource(same), same);
    expect([drizzled.selectOne, drizzled.columns]).toEqual([plain.selectOne, plain.columns]);
    const input = { title: 'a', rank: 1, urgent: true, note: null };
    expect(insertRow(drizzled, input)).toEqual(insertRow(plain, input));
    expect(updateRow(drizzled, { id: 1, ...input })).toEqual(updateRow(plain, { id: 1, ...input }));
    expect(drizzled.fields.flatMap(({ column }) => [column?.encode, column?.decode])).toEqual(
      Array(10).fill(undefined),
    );
  });

  it('says with its DDL that a column is missing', async () => {
    verifies('resource.drizzle.missing-column');
    const database = await fileDatabase();
    await database.write([{ sql: 'create table filled (id text primary key, rank integer)' }]);
    const error: unknown = await serve([resource(filled), resource(places)], database).catch(
      (reason: unknown) => reason,
    );
    const fixes = error instanceof DeclarationError ? error.problems.map(({ fix = '' }) => fix) : [];
    const advice = 'generate a migration: npx drizzle-kit generate; or write one: ';
    for (const fix of fixes) expect(fix.startsWith(advice)).toBe(true);
    const additions = fixes.map((fix) => fix.slice(advice.length));
    expect(additions).toEqual([
      'alter table "filled" add column "since" integer not null default 0',
      'alter table "filled" add column "made" integer not null default 0',
      'alter table "filled" add column "changes" integer default 1',
      `alter table "filled" add column "slug" text generated always as ('rank-' || "rank") virtual`,
      `alter table "filled" add column "the_secret" text not null default 'it''s ours'`,
      'alter table "filled" add column "email" text',
      'alter table "filled" add column "place" integer references "places" ("id") on delete cascade',
    ]);
    for (const sql of additions) await database.write([{ sql }]);
    const { ask } = await serve([resource(filled), resource(places)], database);
    expect((await ask('create_filled')).value).toMatchObject({ rank: 7, made: 42, slug: 'rank-7' });
  });

  it('says what no longer fits, by what the table declares and fills in', async () => {
    verifies('resource.new-row', 'resource.column-type');
    const database = await fileDatabase();
    await database.write([
      {
        sql: `create table jobs (id integer primary key, made_at text, price text, tags integer, note text not null,
          state text not null, secret text not null, old text not null, twice integer as (id * 2))`,
      },
    ]);
    const jobs = sqliteTable('jobs', {
      ...{ id: integer().primaryKey(), madeAt: integer('made_at', { mode: 'timestamp' }) },
      ...{ price: numeric({ mode: 'number' }), tags: tags(), note: text(), twice: integer().notNull() },
      ...{ state: text().notNull().default('new'), secret: text().$defaultFn(() => 's') },
    });
    const options = { fields: { tags: Type.Array(Type.String()) } };
    const error: unknown = await serve([resource(jobs, options)], database).catch(
      (reason: unknown) => reason,
    );
    const problems = error instanceof DeclarationError ? error.problems : [];
    expect(problems.map(({ rule, fix }) => `${rule}; ${fix}`)).toEqual([
      '"made_at" of the table "jobs" is text, and its declaration is integer; declare what is there, or move the rows to a table where "made_at" is integer',
      '"note" of the table "jobs" is never null and has no default, and its field may be left out; declare it with notNull, or with a default',
      '"old" of the table "jobs" is never null and has no default, and no field gives it; declare it in the table, or run: alter table "jobs" drop column "old"',
      'the database computes "twice" of the table "jobs", and every new row would give it; declare it with generatedAlwaysAs',
    ]);
  });

  it('says that a table is missing that rows refer to', async () => {
    verifies('resource.drizzle.missing-column');
    const database = await fileDatabase();
    await expect(serve([resource(filled)], database)).rejects.toThrow(
      'it refers to the table "places", which does not exist; declare a resource of it, or run: create table',
    );
  });

  it('is refined by schemas', async () => {
    verifies('resource.drizzle.fields');
    const people = sqliteTable('people', {
      id: integer().primaryKey(),
      name: text().notNull(),
      nick: text(),
      mail: text().notNull().default('none@example.com'),
    });
    const { ask } = await served(people, {
      ...{ name: 'folk', fields: { name: { minLength: 2 }, nick: Type.String({ minLength: 2 }) } },
    });
    expect((await ask('create_folk', { name: 'a' })).detail).toContain('/name');
    expect((await ask('create_folk', { name: 'al', nick: 'x' })).detail).toContain('/nick');
    expect((await ask('create_folk', { name: 'al', nick: null })).value).toEqual({
      ...{ id: 1, name: 'al', nick: null, mail: 'none@example.com' },
    });
    expect((await ask('update_folk', { id: 1, nick: 'ally' })).value).toMatchObject({ nick: 'ally' });
  });
});
