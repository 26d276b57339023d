import { createRouteTable, DeclarationError, type Problem, Type } from '@waymark/contract';
import { testHost, verifies } from '@waymark/contract/testing';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { type Fields, toSchema } from '../src/fields/field.ts';
import {
  createSqlRoutes,
  query,
  resource,
  type SqlDatabase,
  type SqlDeclaration,
  sqlRules,
} from '../src/index.ts';
import { rememberSql } from '../src/migrations/applied-migrations.ts';
import { serve } from './ask.ts';
import { fileDatabase } from './open.ts';

const boot = { table: createRouteTable(), env: () => undefined };

/** What the check says of one declaration. */
function checked(...declarations: readonly SqlDeclaration[]): readonly Problem[] {
  return createSqlRoutes(declarations, {} as SqlDatabase).check?.(boot) ?? [];
}

/** What the start says. */
async function started(
  database: SqlDatabase,
  ...declarations: readonly SqlDeclaration[]
): Promise<readonly Problem[]> {
  try {
    await createSqlRoutes(declarations, database).start?.(testHost());
    return [];
  } catch (error) {
    if (error instanceof DeclarationError) return error.problems;
    throw error;
  }
}

const title = { title: 'string' } as const;

describe('the check of createSqlRoutes', () => {
  const wrong: readonly (readonly [
    SqlDeclaration,
    keyof typeof sqlRules | 'unknown-word' | 'option-type',
    string,
  ])[] = [
    [query('GET', '/a', ''), 'query-sql', 'its SQL holds no statement'],
    [query('GET', '/a', 'select 1; select 2'), 'query-sql', 'more than one statement'],
    [query('GET', '/a', 'drop table t'), 'query-sql', 'its SQL begins with DROP'],
    [query('GET', '/a', 'pragma user_version'), 'query-sql', 'its SQL begins with PRAGMA'],
    [query('GET', '/a', 7 as never), 'query-sql', 'its SQL is not a text'],
    [
      query('GET', '/a', 'select ?', { params: 'id' as never }),
      'query-params',
      'neither a list of names nor a map',
    ],
    [
      query('GET', '/a', 'select ?, ?', { params: ['a', 'a'] }),
      'query-params',
      'neither a list of names nor a map',
    ],
    [query('GET', '/a', 'select ?', { params: ['1'] }), 'query-params', '"1" is no name of a param'],
    [
      query('GET', '/a', 'select ?, ?', { params: ['a'] }),
      'query-placeholders',
      '2 placeholders and 1 params',
    ],
    [
      query('GET', '/a', 'select 1', { params: ['a'] }),
      'query-placeholders',
      'its param "a" has no placeholder',
    ],
    [
      query('GET', '/a', 'select :b', { params: [] }),
      'query-placeholders',
      'its placeholder :b is not among',
    ],
    [
      query('GET', '/a', 'select @principal'),
      'query-placeholders',
      'its placeholder @principal is not among',
    ],
    [query('GET', '/a/{id}', 'select 1'), 'query-placeholders', '{id} in its path is not among its params'],
    [
      query('GET', '/a', 'select @principal', { params: ['principal'] }),
      'query-principal',
      'given by callers',
    ],
    [query('GET', '/a', 'select 1', { returns: 'some' as never }), 'unknown-word', 'unknown returns "some"'],
    [query('GET', '/a', 'select 1', { returns: 'affected' }), 'query-returns', 'its SQL only reads'],
    [query('GET', '/a', 'select 1', { row: [] as never }), 'query-row', 'no map of column to type'],
    [resource('a/b', title), 'resource-name', '"a/b" is not'],
    [resource('a'.repeat(58), title), 'resource-name', 'is not 1 to 57'],
    [resource('a', {}), 'resource-fields', 'not a map of name to type'],
    [resource('a', undefined as never), 'resource-fields', 'not a map of name to type'],
    [resource('a', { b: 'text' as never }), 'resource-fields', 'the type of "b"'],
    [resource('a', { limit: 'integer' }), 'resource-field-name', '"limit" is a word of every list'],
    [resource('a', { offset: 'integer' }), 'resource-field-name', '"offset" is a word of every list'],
    [resource('a', { sort: 'integer' }), 'resource-field-name', '"sort" is a word of every list'],
    [resource('a', { ['__proto__']: 'integer' }), 'resource-field-name', '"__proto__" is no word'],
    [resource('a', { 'b c': 'integer' }), 'resource-field-name', '"b c" is no word'],
    [
      resource('a', { b: 'integer', B: 'string' }),
      'resource-field-name',
      'cannot tell the field "B" from "b"',
    ],
    [resource('a', { id: 'boolean', ...title }), 'resource-key', 'its primary key "id" is boolean'],
    [resource('a', { id: Type.Optional(Type.String()) }), 'resource-key', 'may be left out'],
    [resource('a', title, { primaryKey: 'b c' }), 'resource-key', '"b c" is no name of a field'],
    [resource('a', title, { table: 'svc__audit' }), 'resource-table', 'begins with svc_'],
    [resource('a', title, { table: 'sqlite_schema' }), 'resource-table', 'begins with sqlite_'],
    [resource('a', title, { readScopes: ['r'] }), 'resource-scopes', 'anybody may write'],
    [resource('a', title, { tools: 'yes' as never }), 'option-type', 'tools is not true or false'],
  ];

  it.each(wrong)('finds what is wrong: %#', (declaration, code, rule) => {
    const problems = checked(declaration);
    expect(problems.map((problem) => problem.code)).toEqual([code]);
    expect(problems[0]?.rule).toContain(rule);
    expect(problems[0]?.at).toMatch(/sql-routes\.test\.ts:\d+$/);
    expect(problems[0]?.declaration).toMatch(/^(query GET \/a|resource "a)/);
  });

  it('refuses fields that lists have a word for, and a resource without fields', () => {
    verifies('resource.reserved-fields', 'declare.resource.fields');
    for (const name of ['limit', 'offset', 'sort'])
      expect(checked(resource('a', { ...title, [name]: 'integer' }))).toMatchObject([
        { code: 'resource-field-name' },
      ]);
    expect(checked(resource('a', undefined as never))).toMatchObject([{ code: 'resource-fields' }]);
  });

  it('refuses to return what has no word', () => {
    verifies('declare.query.returns');
    const problems = checked(query('GET', '/a', 'select 1', { returns: 'mani' as never }));
    expect(problems).toMatchObject([{ code: 'unknown-word', nearest: 'many' }]);
  });

  it('refuses placeholders and params that do not go together, either way', () => {
    verifies('boot.placeholders');
    const codesOf = (sql: string, params: readonly string[]) =>
      checked(query('GET', '/a', sql, { params })).map(({ code }) => code);
    expect(codesOf('select ?', [])).toEqual(['query-placeholders']);
    expect(codesOf('select ?', ['a'])).toEqual([]);
    expect(codesOf('select ?', ['a', 'b'])).toEqual(['query-placeholders']);
    expect(codesOf('select :a, :c', ['a', 'b'])).toEqual(['query-placeholders', 'query-placeholders']);
    expect(codesOf('select :a, :b, :a', ['b', 'a'])).toEqual([]);
    expect(codesOf('select @principal', ['@principal'])).toEqual([]);
  });

  it('warns of a GET that changes rows', () => {
    const problems = checked(query('GET', '/a', 'delete from t', { returns: 'affected' }));
    expect(problems).toMatchObject([{ code: 'query-method', severity: 'warning' }]);
    expect(checked(query('POST', '/a', 'delete from t', { returns: 'affected' }))).toEqual([]);
  });

  it('names an option that nobody reads', () => {
    const { routes } = createSqlRoutes(
      [query('GET', '/a', 'select 1', { param: ['a'] } as never)],
      undefined,
    );
    expect(routes.flatMap(({ problems }) => problems)).toMatchObject([{ code: 'unknown-option' }]);
    expect(checked(resource('a', title, { writeScope: [] } as never))).toMatchObject([
      { nearest: 'writeScopes' },
    ]);
  });

  it('finds every declaration without a database', async () => {
    const plugin = createSqlRoutes([query('GET', '/a', 'select 1'), resource('a', title)], undefined);
    expect(plugin.check?.(boot)).toMatchObject([
      { code: 'sql-database', declaration: 'query GET /a' },
      { code: 'sql-database', declaration: 'resource "a"' },
    ]);
    await expect(plugin.start?.(testHost())).rejects.toThrow('it needs a database');
    await createSqlRoutes([], undefined).start?.(testHost());
  });
});

describe('the start of createSqlRoutes', () => {
  it('finds SQL that does not fit the database, after the tables of resources are made', async () => {
    verifies('boot.sql');
    const problems = await started(
      await fileDatabase(),
      query('GET', '/good', 'select title from tickets'),
      query('GET', '/table', 'select title from tickts'),
      query('GET', '/column', 'select titel from tickets'),
      query('GET', '/syntax', 'select from where'),
      query('POST', '/rows', 'delete from tickets'),
      query('GET', '/row', 'select title from tickets', { row: { titel: 'string' } }),
      query('GET', '/prototype', 'select title as "__proto__" from tickets'),
      resource('tickets', title),
    );
    expect(problems.map(({ declaration, code }) => [declaration, code])).toEqual([
      ['query GET /table', 'query-sql'],
      ['query GET /column', 'query-sql'],
      ['query GET /syntax', 'query-sql'],
      ['query POST /rows', 'query-returns'],
      ['query GET /row', 'query-row'],
      ['query GET /prototype', 'query-row'],
    ]);
    expect(problems[0]?.rule).toBe('its SQL does not run: no such table: tickts');
    expect(problems[4]?.nearest).toBe('title');
    expect(problems[5]).toMatchObject({
      rule: 'its statement gives a column "__proto__", which is no name of a member',
      fix: 'give it another name: select "__proto__" as …',
    });
    expect(problems[0]?.at).toMatch(/sql-routes\.test\.ts:\d+$/);
  });

  it('does nothing to a database when the declarations are wrong', async () => {
    const database = await fileDatabase();
    const problems = await started(database, resource('tickets', title), query('GET', '/a', ''));
    expect(problems).toMatchObject([{ code: 'query-sql' }]);
    expect(await database.many("select name from sqlite_schema where name = 'tickets'")).toEqual([]);
  });

  it('makes a table that is missing, with the names and types of the fields', async () => {
    verifies('declare.resource.create-table.default', 'declare.resource.table.default');
    verifies('declare.resource.primary-key.default');
    const database = await fileDatabase();
    const fields = { ...title, urgent: Type.Boolean({ default: false }), note: Type.Optional(Type.String()) };
    const things = resource('tickets', { ...fields, size: 'number', extra: 'json' });
    expect(await started(database, things)).toEqual([]);
    expect(await started(database, things)).toEqual([]);
    const columns = await database.many(`select name, type, "notnull", pk from pragma_table_info('tickets')`);
    expect(columns.map((column) => Object.values(column))).toEqual([
      ['id', 'INTEGER', 0, 1],
      ['title', 'TEXT', 1, 0],
      ['urgent', 'INTEGER', 1, 0],
      ['note', 'TEXT', 0, 0],
      ['size', 'REAL', 1, 0],
      ['extra', 'TEXT', 1, 0],
    ]);
  });

  it('says what to run when a column is missing, and that helps', async () => {
    verifies('resource.missing-column');
    const database = await fileDatabase();
    await database.write([{ sql: 'create table tickets (id integer primary key, Title text)' }]);
    await database.write([{ sql: "insert into tickets (title) values ('old')" }]);
    const things = resource('tickets', {
      ...title,
      word: Type.String({ default: "it's" }),
      urgent: 'boolean',
      note: Type.Optional(Type.String()),
      extra: 'json',
    });
    const problems = await started(database, things);
    expect(problems.map(({ code, rule, fix }) => [code, rule, fix])).toEqual([
      [
        'resource-columns',
        'the table "tickets" has no column "word"',
        `run: alter table "tickets" add column "word" text not null default 'it''s'`,
      ],
      [
        'resource-columns',
        'the table "tickets" has no column "urgent"',
        'run: alter table "tickets" add column "urgent" integer not null default 0',
      ],
      [
        'resource-columns',
        'the table "tickets" has no column "note"',
        'run: alter table "tickets" add column "note" text',
      ],
      [
        'resource-columns',
        'the table "tickets" has no column "extra"',
        `run: alter table "tickets" add column "extra" text not null default 'null'`,
      ],
    ]);
    for (const { fix = '' } of problems) await database.write([{ sql: fix.replace('run: ', '') }]);
    expect(await started(database, things)).toEqual([]);
  });

  it('asks for a migration where the table is of drizzle, or migrations change the database', async () => {
    verifies('resource.missing-column');
    const database = await fileDatabase();
    await database.write([{ sql: 'create table tickets (id integer primary key, title text)' }]);
    const notes = sqliteTable('tickets', {
      id: integer().primaryKey(),
      title: text(),
      note: text(),
    });
    const add = 'alter table "tickets" add column "note" text';
    const fixes = async (...things: readonly SqlDeclaration[]): Promise<unknown> =>
      (await started(database, ...things)).map(({ fix }) => fix?.replaceAll('`', '"').toLowerCase());
    const drizzled = `generate a migration: npx drizzle-kit generate; or write one: ${add}`;
    expect(await fixes(resource(notes))).toEqual([drizzled]);
    const plain = resource('tickets', { ...title, note: Type.Optional(Type.String()) });
    expect(await fixes(plain)).toEqual([`run: ${add}`]);
    const applied = { position: 1, name: '0001_first', sha256: '0', atMs: 0 };
    await database.write([{ sql: rememberSql(applied) }]);
    expect(await fixes(plain)).toEqual([`write a migration: ${add}`]);
    expect(await fixes(resource(notes))).toEqual([drizzled]);
  });

  it('shows the DDL of a table that must be there and is not, and leaves it to the reader', async () => {
    verifies('declare.resource.create-table');
    const database = await fileDatabase();
    const things = resource('tickets', title, { createTable: false });
    const problems = await started(database, things);
    expect(problems).toMatchObject([
      {
        code: 'resource-table',
        rule: 'there is no table "tickets"',
        fix: 'run: create table if not exists "tickets" ("id" integer primary key autoincrement, "title" text not null) strict',
      },
    ]);
    await database.write([{ sql: problems[0]?.fix?.replace('run: ', '') ?? '' }]);
    expect(await started(database, things)).toEqual([]);
  });

  it('refuses a table whose primary key is another, or is not numbered', async () => {
    const database = await fileDatabase();
    await database.write([{ sql: 'create table a (id integer, title text primary key)' }]);
    await database.write([{ sql: 'create table b (id int primary key, title text)' }]);
    await database.write([{ sql: 'create view c as select * from b' }]);
    await database.write([{ sql: 'create table d (id integer, title text, primary key (id, title))' }]);
    await database.write([{ sql: 'create table e (id integer primary key desc, title text)' }]);
    await database.write([{ sql: 'create table f (id integer primary key, title text) without rowid' }]);
    await database.write([{ sql: 'create table g (id integer, title text, primary key (id desc))' }]);
    await database.write([{ sql: 'create table h (id INTEGER primary key, title text unique)' }]);
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const problems = await started(database, ...names.map((name) => resource(name, title)));
    expect(problems.map(({ rule }) => rule)).toEqual([
      '"id" is not the primary key of the table "a"',
      'the database does not number the rows of "b": "id" is int, not integer',
      '"id" is not the primary key of the table "c"',
      '"id" is not the primary key of the table "d"',
      'the database does not number the rows of "e": "id" is of a table WITHOUT ROWID, or DESC',
      'the database does not number the rows of "f": "id" is of a table WITHOUT ROWID, or DESC',
    ]);
    const { ask } = await serve([resource('g', title), resource('h', title)], database);
    for (const table of ['g', 'h'])
      expect(await ask(`create_${table}`, { title: 'x' })).toMatchObject({ status: 201, value: { id: 1 } });
  });

  it('shows what the database computes, and refuses to be given it', async () => {
    verifies('resource.new-row');
    const database = await fileDatabase();
    await database.write([
      {
        sql: 'create table sums (id integer primary key, a integer, total integer generated always as (a * 2))',
      },
    ]);
    const fields = { a: 'integer', total: Type.Optional(Type.Integer()) } as const;
    const { ask } = await serve([resource('sums', fields)], database);
    expect(await ask('create_sums', { a: 2 })).toMatchObject({ status: 201, value: { total: 4 } });
    const said = { status: 422, detail: '/total is computed by the database' };
    expect(await ask('create_sums', { a: 2, total: 4 })).toMatchObject(said);
    expect(await ask('update_sums', { id: 1, total: 5 })).toMatchObject(said);
    expect(await ask('update_sums', { id: 1, a: 3 })).toMatchObject({ status: 200, value: { total: 6 } });
    expect(await ask('list_sums', { total: 6 })).toMatchObject({ value: [{ id: 1, a: 3 }] });
  });

  it('finds a column that no new row could give, of fields that were another table once', async () => {
    verifies('resource.new-row');
    const database = await fileDatabase();
    const fields = { a: 'string', b: 'integer', c: Type.Optional(Type.String()), k: 'boolean' } as const;
    expect(await started(database, resource('r', fields))).toEqual([]);
    await database.write([{ sql: "insert into r (a, b, k) values ('x', 5, 1)" }]);
    const problems = await started(database, resource('r', { a: 'string' }));
    expect(problems.map(({ code, rule, fix }) => [code, rule, fix])).toEqual([
      [
        'resource-new-row',
        '"b" of the table "r" is never null and has no default, and no field gives it',
        `write b: 'integer', or run: alter table "r" drop column "b"`,
      ],
      [
        'resource-new-row',
        '"k" of the table "r" is never null and has no default, and no field gives it',
        `write k: 'integer', or run: alter table "r" drop column "k"`,
      ],
    ]);
    expect(problems[0]?.at).toMatch(/sql-routes\.test\.ts:\d+$/);
    for (const { fix = '' } of problems) await database.write([{ sql: fix.replace(/^.*run: /, '') }]);
    expect(await started(database, resource('r', { a: 'string' }))).toEqual([]);
    const gone = await started(database, resource('r', { a: Type.Optional(Type.String()) }));
    expect(gone.map(({ rule }) => rule)).toEqual([
      '"a" of the table "r" is never null and has no default, and its field may be left out',
    ]);
  });

  it('finds a column that does not keep what its field takes', async () => {
    verifies('resource.column-type');
    const database = await fileDatabase();
    await started(
      database,
      resource('r', { a: 'string', b: 'integer', c: 'number', k: 'boolean', d: 'integer' }),
    );
    const changed = { a: 'integer', b: 'string', c: 'string', k: 'json', d: 'number' } as const;
    const problems = await started(
      database,
      resource('r', changed),
      resource('s', { a: 'string' }, { table: 'R' }),
    );
    expect(problems.map(({ declaration, code, rule, fix }) => [declaration, code, rule, fix])).toEqual([
      ...[
        ['a', 'text', 'integer', 'string', 'integer'],
        ['b', 'integer', 'string', 'integer', 'text'],
        ['c', 'real', 'string', 'number', 'text'],
        ['k', 'integer', 'json', 'integer', 'text'],
        ['d', 'integer', 'number', 'integer', 'real'],
      ].map(([name, type, kind, word, form]) => [
        'resource "r"',
        'resource-column-type',
        `"${name}" of the table "r" is ${type}, and its field is ${kind}`,
        `write ${name}: '${word}', or move the rows to a table where "${name}" is ${form}`,
      ]),
      // All at once, of all that is declared.
      ...['b', 'c', 'k', 'd'].map((name) => [
        'resource "s"',
        'resource-new-row',
        `"${name}" of the table "R" is never null and has no default, and no field gives it`,
        expect.stringContaining(`drop column "${name}"`),
      ]),
    ]);
  });

  it('lets tables of others be, of whatever types, where rows may fit', async () => {
    verifies('resource.column-type');
    const database = await fileDatabase();
    await database.write([
      {
        sql: `create table t (id integer primary key not null, day date not null, at datetime, yes boolean, cost decimal(10, 2),
          bare, bytes blob, spot point, name varchar(20), size float, n bigint, extra int, other text not null default 'x',
          full text generated always as (name || other), none text not null default (null))`,
      },
    ]);
    await database.write([{ sql: 'create table u (id text primary key not null, x any not null) strict' }]);
    const fields: Fields = {
      ...{ day: 'string', at: 'integer', yes: 'boolean', cost: 'number', bare: 'json', bytes: 'string' },
      ...{ spot: 'string', name: 'json', size: 'integer', n: 'number', extra: 'json' },
      ...{ other: Type.Optional(Type.String()), full: Type.Optional(Type.String()), none: 'string' },
    };
    expect(
      await started(database, resource('t', fields), resource('u', { id: 'string', x: 'json' })),
    ).toEqual([]);
    const { full: _, ...others } = fields;
    expect(await started(database, resource('t', { ...others, full: 'string' }))).toMatchObject([
      { code: 'resource-new-row', fix: 'let it be left out: full: Type.Optional(…)' },
    ]);
    expect(await started(database, resource('t', { ...others, name: 'integer', n: 'string' }))).toMatchObject(
      [
        { rule: '"name" of the table "t" is varchar(20), and its field is integer' },
        { rule: '"n" of the table "t" is bigint, and its field is string' },
      ],
    );
    expect(await started(database, resource('t', others, { primaryKey: 'day' }))).toMatchObject([
      { code: 'resource-columns' },
    ]);
  });

  it('keeps any JSON in a number column that is not strict, as it was', async () => {
    const database = await fileDatabase();
    await database.write([{ sql: 'create table t (id integer primary key, x int, y real)' }]);
    const { ask } = await serve([resource('t', { x: 'json', y: 'json' })], database);
    for (const x of [5, '5', 'a', 0.5, true, null, { a: [1] }])
      expect((await ask('create_t', { x, y: x })).value).toMatchObject({ x, y: x });
  });

  it('never complains of a table that it made', async () => {
    verifies('resource.column-type');
    const types = ['integer', 'number', 'string', 'boolean', 'json'] as const;
    const database = await fileDatabase();
    for (const type of types)
      for (const id of ['integer', 'string'] as const) {
        const given = toSchema(type);
        const made = resource(`${type}_${id}`, {
          ...{ id, plain: type, optional: Type.Optional(given) },
          ...{ filled: { ...given, default: null }, either: Type.Union([given, Type.Null()]) },
        });
        expect(await started(database, made)).toEqual([]);
        expect(await started(database, made)).toEqual([]);
      }
  });

  it('compares names as SQL does, whatever they hold', async () => {
    const database = await fileDatabase();
    await database.write([{ sql: 'create table "my ""odd"" table" (ID integer primary key, title text)' }]);
    const things = resource('things', { Title: 'string' }, { table: 'my "odd" table' });
    expect(await started(database, things, resource('more', title, { table: 'more "of" it' }))).toEqual([]);
  });

  it('has a sentence for every rule', () => {
    for (const sentence of Object.values(sqlRules)) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });
});
