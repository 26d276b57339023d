import type { ToolResult } from '@waymark/contract';
import type { Step } from '@waymark/contract/runs';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type Fields, type ResourceOptions, resource, type SqlDatabase } from '../../src/index.ts';
import { type Served, serve } from '../ask.ts';
import { fileDatabase } from '../open.ts';

const noteFields: Fields = { text: 'string', version: 'integer' };

async function served(
  statements: readonly string[],
  fields: Fields = noteFields,
  options: ResourceOptions = {},
): Promise<Served & { readonly database: SqlDatabase }> {
  const database = await fileDatabase();
  for (const sql of statements) await database.write([{ sql }]);
  const declaration = resource('notes', fields, { createTable: false, ...options });
  return { database, ...(await serve([declaration], database)) };
}

const table = 'create table notes (id integer primary key, text text not null, version integer default 0)';
const count = `create trigger counted after update of text on notes begin
  update notes set version = version + 1 where id = new.id; end`;
const trim = `create trigger trimmed after insert on notes begin
  insert into log values (new.id), (new.id);
  update notes set text = trim(text) where id = new.id; end`;
const log = 'create table log (id integer)';

describe('the row that a write answers', () => {
  it('is the one that stands once the triggers of its table are done, with its tag', async () => {
    verifies('resource.create', 'resource.update');
    const { ask } = await served([table, log, count, trim]);
    const created = await ask('create_notes', { text: ' a ', version: 0 });
    expect(created).toMatchObject({ status: 201, headers: { location: '/notes/1' }, value: { text: 'a' } });
    expect(await ask('get_notes', { id: 1 })).toMatchObject({
      value: created.value,
      headers: { etag: created.headers['etag'] },
    });
    const changed = await ask('update_notes', { id: 1, text: 'b' });
    expect(changed.value).toEqual({ id: 1, text: 'b', version: 2 });
    // Its tag is the row's: it may be sent back.
    const headers = { 'if-match': changed.headers['etag'] ?? '' };
    expect(await ask('update_notes', { id: 1, text: 'c' }, { headers })).toMatchObject({
      status: 200,
      value: { id: 1, text: 'c', version: 3 },
    });
    expect((await ask('update_notes', { id: 1, text: 'd' }, { headers })).status).toBe(412);
  });

  it('is that of each of many who write at once', async () => {
    const { ask } = await served([table, log, count, trim]);
    const texts = Array.from({ length: 20 }, (_, i) => `${i}`);
    const answers = await Promise.all(
      texts.map((text) => ask('create_notes', { text: ` ${text} `, version: 0 })),
    );
    expect(answers.map(({ value }) => value)).toMatchObject(texts.map((text) => ({ text })));
  });

  it('is what the step of a run records', async () => {
    const { ask } = await served([table, count]);
    await ask('create_notes', { text: 'a', version: 0 });
    const recorded: ToolResult[] = [];
    const step = { record: async (one: ToolResult) => void recorded.push(one) } as unknown as Step;
    await ask('update_notes', { id: 1, text: 'b' }, { step });
    expect(recorded).toMatchObject([{ value: { text: 'b', version: 1 } }]);
  });

  it('of a key that is text is found where a trigger has moved it to', async () => {
    const { ask } = await served(
      [
        'create table notes (code text primary key not null, rowid text)',
        `create trigger lowered after insert on notes begin
          update notes set code = lower(code) where code = new.code; end`,
      ],
      { code: 'string', rowid: 'string' },
      { primaryKey: 'code' },
    );
    expect(await ask('create_notes', { code: 'AB', rowid: 'x' })).toMatchObject({
      headers: { location: '/notes/ab' },
      value: { code: 'ab', rowid: 'x' },
    });
  });

  it('of a table without rowids is found by the key that was given', async () => {
    const { ask } = await served(
      [
        'create table notes (code text primary key not null, text text) without rowid',
        'create trigger t after insert on notes begin update notes set text = trim(text) where code = new.code; end',
      ],
      { code: 'string', text: 'string' },
      { primaryKey: 'code' },
    );
    expect((await ask('create_notes', { code: 'a', text: ' x ' })).value).toEqual({ code: 'a', text: 'x' });
  });

  it('is the row as it was written, without an address, where a trigger took it away', async () => {
    const { ask, database } = await served([
      table,
      log,
      'create trigger taken after insert on notes begin insert into log values (new.id); delete from notes where id = new.id; end',
      'create trigger moved after update on notes begin update notes set id = id + 100 where id = new.id; end',
    ]);
    const created = await ask('create_notes', { text: 'a', version: 0 });
    expect(created).toMatchObject({ status: 201, headers: {}, value: { id: 1, text: 'a' } });
    expect(Object.keys(created.headers)).not.toContain('location');
    expect(Object.keys(created.headers)).not.toContain('etag');
    await database.write([{ sql: 'drop trigger taken' }]);
    await ask('create_notes', { text: 'b', version: 0 });
    const moved = await ask('update_notes', { id: 1, text: 'c' });
    expect(moved).toMatchObject({ status: 200, value: { id: 1, text: 'c' } });
    expect(Object.keys(moved.headers)).not.toContain('etag');
  });

  it('is changed by a key that refers to its own table, too', async () => {
    const { ask } = await served(
      [
        'create table notes (id integer primary key, code text unique, above text references notes (code) on update cascade)',
        "insert into notes values (1, 'a', 'a')",
      ],
      { code: 'string', above: 'string' },
    );
    expect((await ask('update_notes', { id: 1, code: 'b' })).value).toEqual({ id: 1, code: 'b', above: 'b' });
  });

  it('costs a table without rules of that kind nothing', async () => {
    const { ask, database } = await served([table, 'create table others (id integer primary key)']);
    const asked: number[] = [];
    const write = database.write.bind(database);
    database.write = (statements, ...rest) => {
      asked.push(statements.length);
      return write(statements, ...rest);
    };
    await ask('create_notes', { text: 'a', version: 0 });
    await ask('update_notes', { id: 1, text: 'b' });
    await ask('delete_notes', { id: 1 });
    expect(asked).toEqual([1, 1, 1]);
  });
});

describe('a write that its table ignores', () => {
  const ignored = (event: string) =>
    `create trigger kept_${event} before ${event} on notes begin select raise(ignore); end`;
  const detail = 'a rule of the table kept this from being done';

  it('is 409, and 404 where there is no row', async () => {
    const { ask, database } = await served([table, ignored('insert'), ignored('update'), ignored('delete')]);
    expect(await ask('create_notes', { text: 'a', version: 0 })).toMatchObject({ status: 409, detail });
    await database.write([{ sql: 'drop trigger kept_insert' }]);
    await ask('create_notes', { text: 'a', version: 0 });
    for (const headers of [{}, { 'if-none-match': '"other"' }]) {
      expect(await ask('update_notes', { id: 1, text: 'b' }, { headers })).toMatchObject({
        status: 409,
        detail,
      });
      expect(await ask('delete_notes', { id: 1 }, { headers })).toMatchObject({ status: 409, detail });
    }
    expect((await ask('update_notes', { id: 2, text: 'b' })).status).toBe(404);
    expect((await ask('delete_notes', { id: 2 })).status).toBe(404);
    expect((await ask('get_notes', { id: 1 })).value).toEqual({ id: 1, text: 'a', version: 0 });
  });

  it('is 409 where a constraint says so', async () => {
    const { ask } = await served([
      'create table notes (id integer primary key, text text unique on conflict ignore, version integer)',
    ]);
    await ask('create_notes', { text: 'a', version: 0 });
    await ask('create_notes', { text: 'b', version: 0 });
    expect(await ask('create_notes', { text: 'a', version: 0 })).toMatchObject({ status: 409, detail });
    expect(await ask('update_notes', { id: 2, text: 'a' })).toMatchObject({ status: 409, detail });
  });

  it('is 409 where the trigger came after the start', async () => {
    const { ask, database } = await served([table]);
    await database.write([{ sql: ignored('insert') }]);
    expect(await ask('create_notes', { text: 'a', version: 0 })).toMatchObject({ status: 409, detail });
  });
});
