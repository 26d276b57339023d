import { type ToolResult, Type } from '@waymark/contract';
import type { Step } from '@waymark/contract/runs';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import {
  type Fields,
  type ResourceOptions,
  resource,
  type SqlDatabase,
  SqlTransaction,
} from '../../src/index.ts';
import { type Served, serve } from '../ask.ts';
import { fileDatabase } from '../open.ts';

const ticket: Fields = {
  title: 'string',
  urgent: Type.Boolean({ default: false }),
  note: Type.Optional(Type.String()),
};

async function served(
  fields: Fields = ticket,
  options: ResourceOptions = {},
): Promise<Served & { database: SqlDatabase }> {
  const database = await fileDatabase();
  return { database, ...(await serve([resource('tickets', fields, options)], database)) };
}

describe('resource', () => {
  it('makes five routes over a table', async () => {
    verifies('declare.resource', 'endpoint.resource.five', 'tool.name.resource');
    verifies('declare.resource.tools.default', 'declare.resource.scopes.default');
    const { table } = await served();
    expect([...table].map(({ method, path, name }) => [method, path, name])).toEqual([
      ['GET', '/tickets', 'list_tickets'],
      ['GET', '/tickets/{id}', 'get_tickets'],
      ['POST', '/tickets', 'create_tickets'],
      ['PATCH', '/tickets/{id}', 'update_tickets'],
      ['DELETE', '/tickets/{id}', 'delete_tickets'],
    ]);
    expect([...table].map(({ placement }) => placement)).toEqual(['any', 'any', 'owner', 'owner', 'owner']);
    expect([...table].map(({ engine, tool, scopes }) => [engine.kind, tool, scopes])).toEqual(
      Array(5).fill(['resource', false, []]),
    );
  });

  it('makes tools of all five when asked', async () => {
    verifies('endpoint.resource.tools');
    const { table } = await served(ticket, { tools: true });
    expect(table.tools().map(({ name }) => name)).toEqual(
      ['list', 'get', 'create', 'update', 'delete'].map((verb) => `${verb}_tickets`),
    );
  });

  it.each([
    [{ scopes: ['s'] }, 's', 's'],
    [{ scopes: ['s'], readScopes: ['r'] }, 'r', 's'],
    [{ scopes: ['s'], writeScopes: ['w'] }, 's', 'w'],
    [{ readScopes: ['r'], writeScopes: ['w'] }, 'r', 'w'],
    [{ readScopes: ['r'], writeScopes: [] }, 'r', undefined],
  ] as const)('guards reading and writing: %j', async (options, read, write) => {
    verifies(
      'declare.resource.scopes',
      'declare.resource.read-scopes',
      'declare.resource.read-scopes.default',
    );
    verifies('declare.resource.write-scopes', 'declare.resource.write-scopes.default');
    const { table } = await served(ticket, options);
    expect([...table].map(({ scopes }) => scopes[0])).toEqual([read, read, write, write, write]);
  });

  it('creates a row with a number of its own and says where it is', async () => {
    verifies('resource.create', 'resource.key.integer');
    const { ask } = await served();
    expect(await ask('create_tickets', { title: 'Æther 💡' })).toMatchObject({
      status: 201,
      headers: { location: '/tickets/1', etag: expect.stringMatching(/^"[\w-]{27}"$/) },
      value: { id: 1, title: 'Æther 💡', urgent: false, note: null },
    });
    expect((await ask('create_tickets', { title: '', urgent: true, note: null })).headers['location']).toBe(
      '/tickets/2',
    );
    expect((await ask('get_tickets', { id: 2 })).value).toEqual({
      id: 2,
      title: '',
      urgent: true,
      note: null,
    });
    for (const wrong of [{}, { title: null }, { title: 'a', id: 9 }, { title: 'a', urgent: 1 }])
      expect((await ask('create_tickets', wrong)).status).toBe(422);
  });

  it('never gives the number of a deleted row again', async () => {
    const { ask } = await served();
    await ask('create_tickets', { title: 'a' });
    await ask('delete_tickets', { id: 1 });
    expect((await ask('create_tickets', { title: 'b' })).value).toMatchObject({ id: 2 });
  });

  it('takes a primary key of another kind, and another name, from the caller', async () => {
    verifies('resource.key.other', 'resource.path-parameter');
    const { ask, table } = await served({ code: 'string', title: 'string' }, { primaryKey: 'code' });
    expect(table.get('get_tickets')?.path).toBe('/tickets/{code}');
    const created = await ask('create_tickets', { code: 'a/b ü', title: 'x' });
    expect(created).toMatchObject({ status: 201, headers: { location: '/tickets/a%2Fb%20%C3%BC' } });
    expect((await ask('get_tickets', { code: 'a/b ü' })).value).toEqual({ code: 'a/b ü', title: 'x' });
    expect(await ask('create_tickets', { code: 'a/b ü', title: 'y' })).toMatchObject({ status: 409 });
    for (const code of ['', 7, undefined])
      expect((await ask('create_tickets', { code, title: 'y' })).status).toBe(422);
  });

  it('gives one row or 404', async () => {
    verifies('resource.get');
    const { ask } = await served();
    await ask('create_tickets', { title: 'a' });
    expect((await ask('get_tickets', { id: 1 })).value).toEqual({
      id: 1,
      title: 'a',
      urgent: false,
      note: null,
    });
    expect(await ask('get_tickets', { id: 2 })).toMatchObject({
      status: 404,
      detail: 'tickets has no row with the id 2',
    });
    const { ask: askBooks } = await served({ isbn: 'string', title: 'string' }, { primaryKey: 'isbn' });
    const { detail = '' } = await askBooks('get_tickets', { isbn: 'x'.repeat(16_384) });
    expect(detail).toMatch(/^tickets has no row with the isbn "x+…$/);
    expect(detail.length).toBeLessThan(300);
    expect((await askBooks('get_tickets', { isbn: 'x'.repeat(16_385) })).status).toBe(422);
  });

  it('changes the given fields only', async () => {
    verifies('resource.update');
    const { ask } = await served();
    await ask('create_tickets', { title: 'a', urgent: true, note: 'n' });
    const rows = [];
    for (const change of [{ title: 'b' }, { note: null }, {}])
      rows.push((await ask('update_tickets', { id: 1, ...change })).value);
    expect(rows).toEqual([
      { id: 1, title: 'b', urgent: true, note: 'n' },
      { id: 1, title: 'b', urgent: true, note: null },
      { id: 1, title: 'b', urgent: true, note: null },
    ]);
    expect((await ask('get_tickets', { id: 1 })).value).toEqual(rows[2]);
    for (const change of [{ title: 'b' }, {}])
      expect((await ask('update_tickets', { id: 2, ...change })).status).toBe(404);
    expect((await ask('update_tickets', { id: 1, title: null })).status).toBe(422);
  });

  it('deletes a row', async () => {
    verifies('resource.delete');
    const { ask, database } = await served();
    await ask('create_tickets', { title: 'a' });
    await ask('create_tickets', { title: 'b' });
    expect(await ask('delete_tickets', { id: 1 })).toMatchObject({ status: 204, value: undefined });
    expect((await ask('delete_tickets', { id: 1 })).status).toBe(404);
    expect(await database.many('select title from tickets')).toEqual([{ title: 'b' }]);
  });

  it('stores each type of field and gives it back as it was', async () => {
    verifies('resource.field-types');
    const { ask, database } = await served({
      whole: 'integer',
      part: 'number',
      text: 'string',
      yes: 'boolean',
      any: 'json',
      list: Type.Array(Type.Integer()),
      choice: Type.Union([Type.Literal('a'), Type.Literal('b')]),
      count: Type.Integer({ minimum: 1 }),
      raw: { type: ['string', 'null'] },
    });
    const rows = [
      {
        whole: 2 ** 53 - 1,
        part: 0.1,
        text: 'Ünï 日本',
        yes: true,
        any: null,
        list: [],
        choice: 'a',
        count: 1,
        raw: null,
      },
      {
        whole: -(2 ** 53) + 1,
        part: 1e300,
        text: '',
        yes: false,
        any: { a: [1, 'ü', { b: null }] },
        list: [1, 2],
        choice: 'b',
        count: 2,
        raw: 'r',
      },
      {
        whole: 0,
        part: 2 ** 53,
        text: "'; drop table tickets; --",
        yes: true,
        any: 'a\0b',
        list: [3],
        choice: 'a',
        count: 3,
        raw: '',
      },
    ];
    for (const row of rows) {
      const { value } = await ask('create_tickets', row);
      expect(value).toEqual({ id: expect.any(Number), ...row });
    }
    expect((await ask('list_tickets')).value).toEqual(rows.map((row, i) => ({ id: i + 1, ...row })));
    const types = await database.many(
      'select typeof(whole) as w, typeof(part) as p, typeof(yes) as y from tickets',
    );
    expect(types).toEqual(Array(3).fill({ w: 'integer', p: 'real', y: 'integer' }));
    for (const wrong of [
      { whole: 2 ** 53 },
      { whole: -(2 ** 53) },
      { count: 0 },
      { choice: 'c' },
      { list: ['x'] },
    ])
      expect((await ask('create_tickets', { ...rows[0], ...wrong })).status).toBe(422);
  });

  it('describes its rows, so that documents and clients know them', async () => {
    const { table } = await served();
    const row = {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        title: { type: 'string' },
        urgent: { type: 'boolean' },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['id', 'title', 'urgent', 'note'],
    };
    expect(table.get('list_tickets')?.output).toEqual({ 200: { type: 'array', items: row } });
    expect(table.get('get_tickets')?.output).toEqual({ 200: row });
    expect(table.get('create_tickets')?.output).toEqual({ 201: row });
    expect(table.get('update_tickets')?.output).toEqual({ 200: row });
    expect(Object.keys(table.get('delete_tickets')?.output ?? {})).toEqual(['204']);
    expect(table.get('create_tickets')?.inputSchema).toMatchObject({
      properties: { urgent: { type: 'boolean', default: false } },
      required: ['title'],
    });
    expect(table.get('update_tickets')?.inputSchema).toMatchObject({
      properties: { urgent: { type: 'boolean' } },
      required: ['id'],
    });
  });

  it('leaves what it was not given to the table, and its other columns alone', async () => {
    const database = await fileDatabase();
    const sql =
      "create table things (no integer primary key, note text default 'from the table', hidden text default 'h')";
    await database.write([{ sql }]);
    const { ask } = await serve(
      [resource('notes', { note: Type.Optional(Type.String()) }, { table: 'things', primaryKey: 'no' })],
      database,
    );
    expect((await ask('create_notes')).value).toEqual({ no: 1, note: 'from the table' });
    expect((await ask('update_notes', { no: 1, note: null })).value).toEqual({ no: 1, note: null });
    expect(await database.many('select hidden from things')).toEqual([{ hidden: 'h' }]);
  });

  it('answers 409 for a constraint of the table', async () => {
    const database = await fileDatabase();
    await database.write([{ sql: 'create table tickets (id integer primary key, title text unique)' }]);
    const { ask } = await serve([resource('tickets', { title: 'string' })], database);
    await ask('create_tickets', { title: 'a' });
    await ask('create_tickets', { title: 'b' });
    expect((await ask('create_tickets', { title: 'a' })).status).toBe(409);
    expect(await ask('update_tickets', { id: 2, title: 'a' })).toMatchObject({
      status: 409,
      detail: 'a row with these values exists already',
    });
  });

  it('commits together with the step of a run', async () => {
    const { ask, database } = await served();
    const recorded: ToolResult[] = [];
    const step = {
      async record(result: ToolResult, handle: Parameters<typeof SqlTransaction.of>[0]) {
        expect(await SqlTransaction.of(handle).many('select count(*) as n from tickets')).toEqual([{ n: 1 }]);
        recorded.push(result);
      },
    } as unknown as Step;
    const { value } = await ask('create_tickets', { title: 'a' }, { step });
    expect(recorded).toEqual([{ ok: true, status: 201, value }]);
    expect(await database.many('select title from tickets')).toEqual([{ title: 'a' }]);
  });
});

describe('a primary key that is text', () => {
  it('is one that a path can lead to', async () => {
    const { ask } = await served({ code: 'string' }, { primaryKey: 'code' });
    for (const code of ['', '.', '..', 'a\nb', '\u007f', '\0'])
      expect([code, (await ask('create_tickets', { code })).status]).toEqual([code, 422]);
    for (const code of ['...', '.a', 'a.', '..a', 'a/b', ' ', '%', 'ü', '\u{1f600}'])
      expect([code, (await ask('create_tickets', { code })).status]).toEqual([code, 201]);
  });

  it.each([
    ['x', 'an ASCII character'],
    ['\u00fc', 'one of two bytes'],
    ['\u4e2d', 'one of three'],
    ['\u{1f600}', 'one of four'],
  ])('has at most 256 characters: %s', async (character) => {
    verifies('resource.key.length');
    const { ask, table } = await served({ code: 'string' }, { primaryKey: 'code' });
    for (const length of [255, 256]) {
      const code = character.repeat(length);
      const { status, headers } = await ask('create_tickets', { code });
      expect(status).toBe(201);
      expect(headers['location']?.length).toBeLessThan(3_200);
      expect((await ask('get_tickets', { code })).value).toEqual({ code });
    }
    expect(await ask('create_tickets', { code: character.repeat(257) })).toMatchObject({
      status: 422,
      detail: '/code must not have more than 256 characters',
    });
    expect(table.get('create_tickets')?.parameters[0]?.schema).toMatchObject({ maxLength: 256 });
  });

  it.each([
    [10, 10],
    [256, 256],
    [257, 256],
    [100_000, 256],
  ])('of a schema with at most %i characters has at most %i', async (maxLength, most) => {
    verifies('resource.key.length');
    const { ask } = await served({ code: Type.String({ maxLength }) }, { primaryKey: 'code' });
    expect((await ask('create_tickets', { code: 'x'.repeat(most) })).status).toBe(201);
    expect((await ask('create_tickets', { code: 'x'.repeat(most + 1) })).status).toBe(422);
  });

  it('that is longer, of a row that SQL wrote, still leads to it', async () => {
    const { ask, database } = await served({ code: 'string', title: 'string' }, { primaryKey: 'code' });
    const code = 'x'.repeat(300);
    await database.write([{ sql: 'insert into tickets values (?, ?)', args: [code, 'old'] }]);
    expect((await ask('get_tickets', { code })).value).toEqual({ code, title: 'old' });
    expect((await ask('update_tickets', { code, title: 'new' })).value).toEqual({ code, title: 'new' });
    expect((await ask('list_tickets', { code })).value).toEqual([{ code, title: 'new' }]);
    expect((await ask('delete_tickets', { code })).status).toBe(204);
  });
});

describe('the tag of a row', () => {
  it('is the same until the row changes', async () => {
    const { ask } = await served();
    const { etag } = (await ask('create_tickets', { title: 'a' })).headers;
    expect((await ask('get_tickets', { id: 1 })).headers['etag']).toBe(etag);
    const changed = (await ask('update_tickets', { id: 1, title: 'b' })).headers['etag'];
    expect(changed).not.toBe(etag);
    expect((await ask('update_tickets', { id: 1, title: 'a' })).headers['etag']).toBe(etag);
  });

  it('must match what If-Match says, or nothing changes', async () => {
    verifies('resource.if-match');
    const { ask } = await served();
    const { etag = '' } = (await ask('create_tickets', { title: 'a' })).headers;
    const change = (title: string, match: string) =>
      ask('update_tickets', { id: 1, title }, { headers: { 'if-match': match } });
    for (const match of ['"other"', `W/${etag}`, etag.slice(1, -1), ''])
      expect((await change('b', match)).status).toBe(412);
    expect(await change('b', `W/${etag}`)).toMatchObject({ detail: expect.stringContaining('weak') });
    expect(await ask('delete_tickets', { id: 1 }, { headers: { 'if-match': '"other"' } })).toMatchObject({
      status: 412,
      detail: 'the row has changed since it was read',
    });
    expect((await ask('get_tickets', { id: 1 })).value).toMatchObject({ title: 'a' });
    expect((await change('b', `"other", ${etag}`)).status).toBe(200);
    expect((await change('c', etag)).status).toBe(412);
    expect((await change('c', '*')).value).toMatchObject({ title: 'c' });
    for (const name of ['update_tickets', 'delete_tickets'])
      expect((await ask(name, { id: 9 }, { headers: { 'if-match': etag } })).status).toBe(404);
    const last = (await ask('get_tickets', { id: 1 })).headers['etag'] ?? '';
    expect((await ask('delete_tickets', { id: 1 }, { headers: { 'if-match': last } })).status).toBe(204);
  });

  it('must not match what If-None-Match says, or nothing changes', async () => {
    const { ask } = await served();
    const { etag = '' } = (await ask('create_tickets', { title: 'a' })).headers;
    const unless = (match: string, ifMatch?: string) => ({
      headers: { 'if-none-match': match, ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
    });
    for (const match of ['*', ` * `, etag, `W/${etag}`, `"other", ${etag}`])
      for (const name of ['update_tickets', 'delete_tickets'])
        expect(
          await ask(name, { id: 1, ...(name.startsWith('u') && { title: 'b' }) }, unless(match)),
        ).toMatchObject({
          status: 412,
          detail: 'there is such a row',
        });
    // Both hold, or none is done; the first says so first.
    const both = await ask('update_tickets', { id: 1, title: 'b' }, unless('*', '"other"'));
    expect(both).toMatchObject({ status: 412, detail: 'the row has changed since it was read' });
    expect((await ask('get_tickets', { id: 1 })).value).toMatchObject({ title: 'a' });
    expect((await ask('update_tickets', { id: 1, title: 'b' }, unless('"other"', etag))).status).toBe(200);
    // Where there is none, the change itself says so.
    expect((await ask('update_tickets', { id: 9, title: 'b' }, unless('*'))).status).toBe(404);
  });

  it('lets exactly one of many change a row that all of them read', async () => {
    const { ask } = await served();
    const { etag = '' } = (await ask('create_tickets', { title: 'a' })).headers;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        ask('update_tickets', { id: 1, title: `by ${i}` }, { headers: { 'if-match': etag } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)]);
  });

  it('loses no update of callers who read again when they are told', async () => {
    const { ask } = await served({ count: 'integer' });
    await ask('create_tickets', { count: 0 });
    const raise = async (): Promise<void> => {
      for (;;) {
        const { value, headers } = await ask('get_tickets', { id: 1 });
        const count = (value as { count: number }).count + 1;
        const changed = await ask(
          'update_tickets',
          { id: 1, count },
          { headers: { 'if-match': headers['etag'] ?? '' } },
        );
        if (changed.status === 200) return;
      }
    };
    await Promise.all(Array.from({ length: 8 }, raise));
    expect((await ask('get_tickets', { id: 1 })).value).toEqual({ id: 1, count: 8 });
  });
});
