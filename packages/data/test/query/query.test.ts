import { from, type ToolResult, Type } from '@waymark/contract';
import type { Step } from '@waymark/contract/runs';
import type { Transaction } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type QueryDeclaration, query, type SqlDatabase, SqlTransaction } from '../../src/index.ts';
import { ada, type Served, serve } from '../ask.ts';
import { fileDatabase } from '../open.ts';

const tables = [
  'create table tickets (id integer primary key, title text unique, cents integer, owner text) strict',
  "insert into tickets (title, cents, owner) values ('No light', 5, 'ada'), ('Æther 💡', 7, 'bob')",
];

async function opened(): Promise<SqlDatabase> {
  const database = await fileDatabase();
  for (const sql of tables) await database.write([{ sql }]);
  return database;
}

async function served(...declarations: readonly QueryDeclaration[]): Promise<Served> {
  return serve(declarations, await opened());
}

describe('query', () => {
  it('answers its method and path with an array of rows', async () => {
    verifies('declare.query', 'declare.query.params.default', 'declare.query.returns.default', 'query.many');
    const { ask, table } = await served(
      query('GET', '/tickets', 'select id, title from tickets order by id'),
    );
    expect(table.get('get_tickets')).toMatchObject({
      method: 'GET',
      path: '/tickets',
      engine: { kind: 'query' },
    });
    expect(await ask('get_tickets')).toMatchObject({
      status: 200,
      value: [
        { id: 1, title: 'No light' },
        { id: 2, title: 'Æther 💡' },
      ],
    });
  });

  it('gives one row, or 404', async () => {
    verifies('query.one', 'query.params.map');
    const { ask, table } = await served(
      query('GET', '/tickets/{id}', 'select title, cents from tickets where id = :id', {
        params: { id: 'integer' },
        returns: 'one',
      }),
    );
    expect(table.get('get_tickets_by_id')?.inputSchema).toEqual({
      type: 'object',
      properties: { id: { type: 'integer' } },
      required: ['id'],
      additionalProperties: false,
    });
    expect((await ask('get_tickets_by_id', { id: 2 })).value).toEqual({ title: 'Æther 💡', cents: 7 });
    expect(await ask('get_tickets_by_id', { id: 3 })).toMatchObject({
      status: 404,
      detail: 'there is no such row',
    });
    expect((await ask('get_tickets_by_id', { id: '2' })).status).toBe(422);
  });

  it('says how many rows it affected, and which one it inserted', async () => {
    verifies('query.affected', 'declare.query.returns');
    const { ask } = await served(
      query('POST', '/tickets', 'insert into tickets (title) values (?)', {
        params: ['title'],
        returns: 'affected',
      }),
      query('PUT', '/tickets', 'update tickets set cents = cents + 1', { returns: 'affected' }),
      query(
        'PATCH',
        '/tickets',
        'insert into tickets (title) values (?) on conflict do update set cents = 0',
        {
          params: ['title'],
          returns: 'affected',
        },
      ),
      query('DELETE', '/tickets', 'delete from tickets where id = ?', {
        params: { id: 'integer' },
        returns: 'affected',
      }),
    );
    expect((await ask('create_tickets', { title: 'New' })).value).toEqual({ affected: 1, last_insert_id: 3 });
    expect((await ask('replace_tickets')).value).toEqual({ affected: 3, last_insert_id: null });
    expect((await ask('update_tickets', { title: 'New' })).value).toEqual({
      affected: 1,
      last_insert_id: null,
    });
    expect((await ask('delete_tickets', { id: 9 })).value).toEqual({ affected: 0, last_insert_id: null });
  });

  it('names no row when it inserted none', async () => {
    const { ask } = await served(
      query('POST', '/tickets', 'insert or ignore into tickets (title) values (?)', {
        params: ['title'],
        returns: 'affected',
      }),
    );
    expect((await ask('create_tickets', { title: 'New' })).value).toEqual({ affected: 1, last_insert_id: 3 });
    expect((await ask('create_tickets', { title: 'New' })).value).toEqual({
      affected: 0,
      last_insert_id: null,
    });
  });

  it('names a row of its own table or none, whatever was inserted before', async () => {
    verifies('query.affected');
    const database = await opened();
    const others = [
      'create table words (word text primary key, times integer default 1) without rowid',
      'create table counts (no integer primary key, word text unique, times integer default 1)',
      'create table shadows (rowid text, word text unique)',
      'create table log (word text)',
      'create trigger counted after update on counts begin insert into log values (new.word), (new.word); end',
      'create view seen as select word from counts',
      'create trigger saw instead of insert on seen begin insert into counts (word) values (new.word); end',
    ];
    for (const sql of others) await database.write([{ sql }]);
    const named = (path: string, sql: string) =>
      query('POST', path, sql, { params: { word: 'string' }, returns: 'affected' });
    const more = 'on conflict (word) do update set times = times + 1';
    const { ask } = await serve(
      [
        named('/tickets', 'insert into tickets (title) values (:word)'),
        named('/words', 'insert into words (word) values (:word)'),
        named('/words2', `insert into words (word) values (:word) ${more}`),
        named('/words3', 'replace into words (word) values (:word)'),
        named('/counts', `insert into counts (word) values (:word) ${more}`),
        named('/counts3', 'replace into "counts" (word) values (:word)'),
        named(
          '/shadows',
          `insert into main . shadows values ('5', :word) on conflict do update set rowid = '2'`,
        ),
        named('/seen', 'insert into seen values (:word)'),
      ],
      database,
    );
    const id = async (name: string, word: string) =>
      (await ask(`create_${name}`, { word })).value as { readonly last_insert_id: number | null };
    expect(await id('tickets', 'a')).toEqual({ affected: 1, last_insert_id: 3 });
    expect(await id('words', 'a')).toEqual({ affected: 1, last_insert_id: null });
    expect(await id('words2', 'b')).toEqual({ affected: 1, last_insert_id: null });
    expect(await id('words3', 'c')).toEqual({ affected: 1, last_insert_id: null });
    expect(await id('seen', 'of a view')).toMatchObject({ last_insert_id: null });
    expect(await id('counts', 'a')).toEqual({ affected: 1, last_insert_id: 2 });
    expect(await id('counts', 'a')).toEqual({ affected: 1, last_insert_id: null });
    // The same number as in another table, once of a row that is new, and once of one that was there.
    expect(await id('counts3', 'b')).toEqual({ affected: 1, last_insert_id: 3 });
    expect(await id('tickets', 'b')).toEqual({ affected: 1, last_insert_id: 4 });
    expect(await id('counts', 'c')).toEqual({ affected: 1, last_insert_id: 4 });
    expect(await id('tickets', 'c')).toEqual({ affected: 1, last_insert_id: 5 });
    expect(await id('counts', 'c')).toEqual({ affected: 1, last_insert_id: null });
    expect(await id('counts3', 'c')).toEqual({ affected: 1, last_insert_id: 5 });
    expect(await id('shadows', 'a')).toEqual({ affected: 1, last_insert_id: 1 });
    expect(await id('tickets', 'd')).toEqual({ affected: 1, last_insert_id: 6 });
    expect(await id('shadows', 'a')).toEqual({ affected: 1, last_insert_id: null });
  });

  it('names no row whose number JSON would round', async () => {
    const { ask } = await served(
      query('POST', '/tickets', `insert into tickets (id) values (${2n ** 53n + 1n})`, {
        returns: 'affected',
      }),
    );
    expect((await ask('create_tickets')).value).toEqual({ affected: 1, last_insert_id: null });
  });

  it('names the row that an upsert inserted inside a run', async () => {
    const database = await opened();
    const sql = 'insert into tickets (title) values (?) on conflict (title) do update set cents = 1';
    const { ask } = await serve(
      [query('POST', '/tickets', sql, { params: ['title'], returns: 'affected' })],
      database,
    );
    const step = { record: async () => undefined } as unknown as Step;
    expect((await ask('create_tickets', { title: 'a' }, { step })).value).toMatchObject({
      last_insert_id: 3,
    });
    expect((await ask('create_tickets', { title: 'a' }, { step })).value).toMatchObject({
      last_insert_id: null,
    });
  });

  it('gives the rows of a statement that changes and returns them', async () => {
    const { ask } = await served(
      query('POST', '/rise', 'update tickets set cents = cents * 2 returning id, cents', {}),
    );
    expect((await ask('create_rise')).value).toEqual([
      { id: 1, cents: 10 },
      { id: 2, cents: 14 },
    ]);
  });

  it('binds ? in the order of the params and :name by name, one name in several places', async () => {
    verifies('query.placeholders', 'query.params.list');
    const { ask } = await served(
      query('GET', '/a', 'select ? as first, ? as second', { params: ['x', 'y'] }),
      query('GET', '/b', "select :y || ':' || :x as text, :x as x", { params: ['x', 'y'] }),
    );
    expect((await ask('get_a', { y: 'Y', x: 'X' })).value).toEqual([{ first: 'X', second: 'Y' }]);
    expect((await ask('get_b', { y: 'Y', x: 'X' })).value).toEqual([{ text: 'Y:X', x: 'X' }]);
    expect((await ask('get_a', { x: 'X' })).status).toBe(422);
  });

  it('binds integers as integers, up to where JSON would round them', async () => {
    verifies('query.integers');
    const { ask } = await served(
      query('GET', '/type', 'select typeof(:n) as type, :n as n', { params: { n: 'integer' } }),
    );
    const largest = Number.MAX_SAFE_INTEGER;
    for (const n of [0, -1, largest, -largest])
      expect((await ask('get_type', { n })).value).toEqual([{ type: 'integer', n }]);
    for (const n of [largest + 1, -largest - 1, 1.5]) expect((await ask('get_type', { n })).status).toBe(422);
  });

  it('binds null for what is left out, true as 1, and objects as JSON', async () => {
    const { ask } = await served(
      query('POST', '/bind', "select :no as no, typeof(:no) as type, :yes as yes, :map ->> 'a' as a", {
        params: { no: Type.Optional(Type.String()), yes: 'boolean', map: Type.Object({ a: Type.Integer() }) },
      }),
    );
    expect((await ask('create_bind', { yes: true, map: { a: 3 } })).value).toEqual([
      { no: null, type: 'null', yes: 1, a: 3 },
    ]);
  });

  it.each([
    ['a list of names', ['urgent'], 422],
    ['a map of types', { urgent: 'boolean' }, 422],
    ['one that may be left out', { urgent: Type.Optional(Type.Boolean()) }, 200],
    ['one with a default', { urgent: Type.Boolean({ default: true }) }, 200],
  ] as const)('must be given its params, but for those that say otherwise: %s', async (_, params, status) => {
    const sql = 'select 1 as found where (:urgent is null or :urgent = 1)';
    const { ask } = await served(query('GET', '/a', sql, { params }));
    const answer = await ask('get_a', {});
    expect(answer.status).toBe(status);
    if (status === 422) expect(answer.detail).toContain('urgent');
    else expect(answer.value).toEqual([{ found: 1 }]);
  });

  it('takes its parameters from path, query and body like any route', async () => {
    verifies('face.source.query-declaration');
    const { table } = await served(
      query('GET', '/a/{id}', 'select :id, :q', { params: ['id', 'q'] }),
      query('POST', '/a/{id}', 'select :id, :q, :b', {
        params: { id: 'integer', q: from('query', Type.String()), b: 'string' },
      }),
    );
    const places = (name: string) => table.get(name)?.parameters.map(({ name, place }) => [name, place]);
    expect(places('get_a_by_id')).toEqual([
      ['id', 'path'],
      ['q', 'query'],
    ]);
    expect(places('create_a_by_id')).toEqual([
      ['id', 'path'],
      ['q', 'query'],
      ['b', 'body'],
    ]);
  });

  it('binds @principal to the root of the chain, whatever a caller says', async () => {
    verifies('declare.query.principal', 'query.principal-not-supplied', 'aside.anonymous.no-principal');
    const { ask, table } = await served(
      query('GET', '/mine', 'select title from tickets where owner = @principal', { params: ['@principal'] }),
      query('GET', '/also', 'select title from tickets where owner = ? and id = ?', {
        params: ['@principal', 'id'],
      }),
    );
    expect(table.get('get_mine')?.parameters).toEqual([]);
    const agent = { ...ada, id: 'agent:triage' };
    expect((await ask('get_mine', {}, { principal: agent })).value).toEqual([{ title: 'No light' }]);
    for (const name of ['@principal', 'principal'])
      expect((await ask('get_mine', { [name]: 'bob' }, { principal: ada })).status).toBe(422);
    expect((await ask('get_also', { id: 1 }, { principal: ada })).value).toEqual([{ title: 'No light' }]);
    expect((await ask('get_also', { id: 2 }, { principal: ada })).value).toEqual([]);
    expect((await ask('get_mine')).status).toBe(401);
  });

  it('answers 409 for a constraint and 422 for other bad values, without a word of SQL', async () => {
    verifies('query.constraint', 'query.bad-values', 'query.no-sql-outside');
    const { ask } = await served(
      query('POST', '/tickets', 'insert into tickets (title, cents) values (:title, :cents)', {
        params: ['title', 'cents'],
        returns: 'affected',
      }),
      query('GET', '/json', "select json_extract(?, '$.a') as a", { params: ['text'] }),
    );
    const answers = [
      await ask('create_tickets', { title: 'No light', cents: 1 }),
      await ask('create_tickets', { title: 'Secret', cents: 'much' }),
      await ask('create_tickets', { title: 'a\0b', cents: 1 }),
      await ask('get_json', { text: '{' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 422, 422, 422]);
    for (const { detail } of answers)
      expect(detail).not.toMatch(/insert|tickets|title|select|Secret|sqlite/i);
  });

  it('describes the row it is told of, and reads booleans and JSON as such', async () => {
    const { ask, table } = await served(
      query('GET', '/row', `select 1 as yes, '{"a":[1]}' as map, null as gone, x'0102' as bytes`, {
        returns: 'one',
        row: { yes: 'boolean', map: 'json', gone: Type.Optional(Type.String()), bytes: 'string' },
      }),
    );
    expect((await ask('get_row')).value).toEqual({ yes: true, map: { a: [1] }, gone: null, bytes: 'AQI=' });
    expect(table.get('get_row')?.output[200]).toMatchObject({
      properties: { yes: { type: 'boolean' }, gone: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      required: ['yes', 'map', 'gone', 'bytes'],
    });
  });

  it('refuses a number of which JSON would make null, and stores nothing of what returns one', async () => {
    const database = await opened();
    const { ask } = await serve(
      [
        query('GET', '/far', 'select cents * 9e999 as far from tickets'),
        query('POST', '/far', "insert into tickets (title) values ('far') returning -9e999 as far"),
        query('GET', '/kept', 'select \'{"a":1e999}\' as kept', { row: { kept: 'json' } }),
      ],
      database,
    );
    const message = 'holds a number beyond 1.8e308, of which JSON makes null';
    await expect(ask('get_far')).rejects.toThrow(`column "far" ${message}`);
    await expect(ask('create_far')).rejects.toThrow(`column "far" ${message}`);
    await expect(ask('get_kept')).rejects.toThrow('column "kept" holds');
    expect(await database.many('select count(*) as n from tickets')).toEqual([{ n: 2 }]);
  });

  it('refuses a column that is called __proto__ and came after the start, and drops none', async () => {
    const database = await opened();
    const { ask } = await serve([query('GET', '/all', 'select * from tickets')], database);
    await database.write([{ sql: `alter table tickets add column "__proto__" text default '{"a":1}'` }]);
    const refusal = 'column "__proto__" cannot be a member of a row; select it as another name';
    await expect(ask('get_all')).rejects.toThrow(refusal);
    await expect(database.many('select "__proto__" from tickets')).rejects.toThrow(refusal);
    expect(await database.many('select "__proto__" as proto from tickets where id = 1')).toEqual([
      { proto: '{"a":1}' },
    ]);
  });

  it('commits together with the step of a run, and not at all when that fails', async () => {
    const database = await opened();
    const { ask, table } = await serve(
      [query('DELETE', '/tickets', 'delete from tickets', { returns: 'affected' })],
      database,
    );
    expect(table.get('delete_tickets')).toMatchObject({
      placement: 'owner',
      engine: { durability: 'transaction' },
    });
    const recorded: ToolResult[] = [];
    const stepThat = (then: () => void) =>
      ({
        async record(result: ToolResult, handle: Transaction) {
          await SqlTransaction.of(handle).run("insert into tickets (title) values ('step')");
          recorded.push(result);
          then();
        },
      }) as unknown as Step;
    const fails = stepThat(() => {
      throw new Error('no step');
    });
    await expect(ask('delete_tickets', {}, { step: fails })).rejects.toThrow('no step');
    expect(await database.many('select count(*) as n from tickets')).toEqual([{ n: 2 }]);
    const answer = await ask('delete_tickets', {}, { step: stepThat(() => undefined) });
    expect(answer.value).toEqual({ affected: 2, last_insert_id: null });
    expect(recorded.at(-1)).toEqual({ ok: true, status: 200, value: answer.value });
    expect(await database.many('select title from tickets')).toEqual([{ title: 'step' }]);
  });
});
