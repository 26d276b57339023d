import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { resource } from '../../src/index.ts';
import { serve } from '../ask.ts';
import { fileDatabase } from '../open.ts';

/** Stores each value, also in a field whose name SQL has a use for, and gives what finds rows by one. */
async function stored(values: readonly unknown[]) {
  const database = await fileDatabase();
  const fields = { j: Type.Optional(Type.Unknown()), type: 'json' } as const;
  const { ask } = await serve([resource('items', fields)], database);
  for (const value of values) expect((await ask('create_items', { j: value, type: value })).status).toBe(201);
  return {
    database,
    async find(json: string, field = 'j') {
      const { status, value } = await ask('list_items', { [field]: json });
      expect(status).toBe(200);
      return (value as readonly { id: number }[]).map(({ id }) => id);
    },
  };
}

describe('a list filtered by JSON', () => {
  it('does not depend on the order of members, at any level', async () => {
    verifies('resource.list.filter');
    const { find } = await stored([
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { a: 2, b: 1 },
      { a: 1, b: '2' },
      { x: [{ c: null, 'd"."e': { f: true, g: 1.5 } }, 1], y: 'ü' },
    ]);
    for (const field of ['j', 'type']) {
      expect(await find('{"b":2,"a":1}', field)).toEqual([1, 2]);
      expect(await find('{ "a": 1.0, "b": 2e0 }', field)).toEqual([1, 2]);
      expect(await find('{"b":"2","a":1}', field)).toEqual([4]);
      expect(await find('{"y":"ü","x":[{"d\\"\\".\\"e":1},1]}', field)).toEqual([]);
      expect(await find('{"y":"ü","x":[{"d\\".\\"e":{"g":1.5,"f":true},"c":null},1]}', field)).toEqual([5]);
    }
  });

  it('depends on everything else', async () => {
    const { find } = await stored([
      [{ a: 1, b: 2 }, 3],
      { a: { b: 1, c: 2 } },
      { a: 1, b: null },
      { 'a.b': 1, c: 2 },
      { a: true, b: 1234 },
    ]);
    for (const other of [
      '[3,{"a":1,"b":2}]',
      '{"a":{"b":2,"c":1}}',
      '{"b":1,"a":null}',
      '{"a":1,"b":"ll"}',
      '{"c":2,"a":{"b":1}}',
      '{"a":1234,"b":true}',
      '{"a":1}',
      '{"a":1,"b":null,"c":2}',
    ])
      expect(await find(other)).toEqual([]);
    expect(await find('[{"b":2,"a":1},3]')).toEqual([1]);
  });

  it('answers for text that is no JSON of its own, and for levels that SQLite does not read', async () => {
    const deep = `${'['.repeat(1200)}{"a":1,"b":2}${']'.repeat(1200)}`;
    const { database, find } = await stored([{ a: 1, b: 2 }, JSON.parse(deep)]);
    await database.write([
      { sql: 'insert into items (j, type) values (?, ?)', args: ['{"a":1,"b":2]', '1'] },
    ]);
    expect(await find('{"b":2,"a":1}')).toEqual([1]);
    expect(await find(deep)).toEqual([2]);
  });
});
