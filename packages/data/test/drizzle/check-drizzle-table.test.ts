import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { integer as pgInteger, pgTable } from 'drizzle-orm/pg-core';
import {
  blob,
  customType,
  integer,
  numeric,
  primaryKey,
  real,
  sqliteTable,
  sqliteView,
  text,
} from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { resource } from '../../src/index.ts';
import { checkResource } from '../../src/resource/check-resource.ts';

const id = integer().primaryKey();
const point = customType<{ data: string }>({ dataType: () => 'text' });
const full = sqliteTable('full', {
  ...{ id, title: text().notNull(), picture: blob({ mode: 'buffer' }), big: blob({ mode: 'bigint' }) },
  ...{ huge: numeric({ mode: 'bigint' }), point: point() },
});
const rest = { omit: ['picture', 'big', 'huge', 'point'] };
const composite = sqliteTable('composite', { a: text(), b: text() }, (t) => [
  primaryKey({ columns: [t.a, t.b] }),
]);
const named = sqliteTable('named', { a: text(), b: text() }, (t) => [primaryKey({ columns: [t.b] })]);

/** As a version to come describes its columns. */
const newer = sqliteTable('newer', { id });
Object.assign(newer.id, { dataType: 'number int53' });

/** What is said of a table and options, of which the types say some already. */
const found = (table: unknown, options?: unknown): readonly string[] =>
  checkResource(resource(table as never, options as never)).map(
    ({ code, rule, fix, nearest }) => `${code}: ${rule}; ${fix ?? `did you mean ${nearest}?`}`,
  );

const byHand = 'or serve it with routes of your own';

describe('a drizzle table that cannot be a resource', () => {
  it.each([
    [
      ...['another database', pgTable('t', { id: pgInteger().primaryKey() }), {}],
      'resource-drizzle-table: "t" is a PgTable, and no table of SQLite; declare it with sqliteTable of drizzle-orm/sqlite-core',
    ],
    [
      ...['a view', sqliteView('v', { id: integer() }).existing(), {}],
      'resource-drizzle-table: "v" is a view, and no table of SQLite; declare it with sqliteTable of drizzle-orm/sqlite-core',
    ],
    [
      ...['another version', newer, {}],
      'resource-drizzle-table: "newer" is of a drizzle-orm that is newer than what is known here; install drizzle-orm@0.45',
    ],
    [
      ...['no key', sqliteTable('t', { a: text() }), {}],
      `resource-key: its table has no primary key; write id: integer().primaryKey(), ${byHand}`,
    ],
    [
      ...['a key of two', composite, {}],
      `resource-key: its primary key has 2 columns, "a", "b"; make it one column, ${byHand}`,
    ],
    [
      ...['a key of another type', sqliteTable('t', { id: real().primaryKey() }), {}],
      `resource-key: its primary key "id" is a real number; make it text() or integer(), ${byHand}`,
    ],
    [
      ...['a key that is a time', sqliteTable('t', { at: integer({ mode: 'timestamp' }).primaryKey() }), {}],
      `resource-key: its primary key "at" is a timestamp; make it text() or integer(), ${byHand}`,
    ],
    [
      ...['a key that is omitted', full, { omit: ['id', ...rest.omit] }],
      'resource-key: its primary key "id" is omitted; take it out of omit: it is in the path',
    ],
    [
      ...['bytes', full, { omit: ['big', 'huge', 'point'] }],
      `resource-drizzle-column: the column "picture" is a blob of bytes, which JSON has no form for; write omit: ['picture']`,
    ],
    [
      ...['a bigint in a blob', full, { omit: ['picture', 'huge', 'point'] }],
      `resource-drizzle-column: the column "big" is a bigint, which JSON has no form for; write omit: ['big']`,
    ],
    [
      ...['a numeric bigint', full, { omit: ['picture', 'big', 'point'] }],
      `resource-drizzle-column: the column "huge" is a bigint, which JSON has no form for; write omit: ['huge']`,
    ],
    [
      ...['a type of its own', full, { omit: ['picture', 'big', 'huge'] }],
      `resource-drizzle-column: the column "point" has a type of its own, and nothing says what it is in JSON; write fields: { point: Type.String() }, or omit: ['point']`,
    ],
    [
      ...['a column that must be given is omitted', full, { omit: ['title', ...rest.omit] }],
      'resource-drizzle-column: the column "title" is omitted, and no row is made without it; give it a default, or take notNull() from it',
    ],
    [
      ...['a misspelt name in omit', full, { omit: ['titel', ...rest.omit] }],
      'resource-drizzle-column: omit names "titel", which is no column of the table; did you mean title?',
    ],
    [
      ...['an unknown name in fields', named, { fields: { zebra: {} } }],
      'resource-drizzle-column: fields names "zebra", which is no column of the table; write one of a, b',
    ],
    [
      ...['a schema of other values', full, { ...rest, fields: { title: Type.Integer() } }],
      `resource-drizzle-column: the schema of "title" is of integer values, and its column of string ones; write title: 'string', or a schema of such values`,
    ],
    [
      ...['a word that is none', full, { ...rest, fields: { title: 'text' } }],
      `resource-fields: the type of "title" is no schema and not one of integer, number, string, boolean, json; write title: 'string'`,
    ],
    [
      ...['a word of every list', sqliteTable('t', { id, limit: integer() }), {}],
      'resource-field-name: "limit" is a word of every list; give the field another name',
    ],
    [
      ...['a table of ours', sqliteTable('svc__run', { id }), {}],
      'resource-table: the table "svc__run" begins with svc_; write another name as table',
    ],
    [
      ...['a name that is no path', sqliteTable('a b', { id }), {}],
      `resource-name: "a b" is not 1 to 57 letters, digits, "_" or "-"; write name: 'tickets'`,
    ],
    [
      ...['an option of the other form', named, { primaryKey: 'a' }],
      'unknown-option: unknown option "primaryKey"; take it out; there are name, omit, fields, tools, createTable, scopes, readScopes, writeScopes',
    ],
  ] as const)('is reported: %s', (_, table, options, said) => {
    verifies('resource.drizzle.refused');
    expect(found(table, options)).toEqual([said]);
  });

  it('is none where all of it can be served', () => {
    expect(found(full, rest)).toEqual([]);
    expect(found(full, { omit: rest.omit.slice(0, 3), fields: { point: Type.String() } })).toEqual([]);
    expect(found(named)).toEqual([]);
    expect(found(sqliteTable('a b', { id }), { name: 'ab' })).toEqual([]);
  });
});
