import { join } from 'node:path';
import type { ToolResult } from '@waymark/contract';
import type { Step } from '@waymark/contract/runs';
import type { Transaction } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { memory, SqlTransaction } from '../../src/index.ts';
import { memoryTables } from '../../src/memory/memory-tables.ts';
import { fileDatabase, testDatabase, testFolder } from '../open.ts';
import { person, serveMemories } from './serve.ts';

const ann = person('ann');

describe('what a memory stores', () => {
  it('is a table of owner, key, value and time, keyed by owner and key', async () => {
    verifies('memory.table');
    verifies('declare.memory.storage');
    verifies('product.memory-tables');
    const { database } = await serveMemories([memory('notes')]);
    expect(await database.many(`select name, type, pk from pragma_table_info('svc_notes')`)).toEqual([
      { name: 'owner', type: 'TEXT', pk: 1 },
      { name: 'key', type: 'TEXT', pk: 2 },
      { name: 'value', type: 'TEXT', pk: 0 },
      { name: 'updated_at_ms', type: 'INTEGER', pk: 0 },
    ]);
  });

  it('is there after the next start', async () => {
    const database = await fileDatabase();
    const first = await serveMemories([memory('notes')], database);
    await first.ask(ann, 'notes_remember', { key: 'k', value: 'apple' });
    const second = await serveMemories([memory('notes')], database);
    expect(await second.ask(ann, 'notes_search', { query: 'apples' })).toMatchObject({
      value: [{ key: 'k' }],
    });
  });

  it('does not keep a server from starting while another process writes for long', async () => {
    const url = `sqlite://${join(testFolder(), 'test.db')}`;
    const database = await testDatabase(url, { deadlineMs: 100 });
    await serveMemories([memory('notes')], database);
    const other = await testDatabase(url);
    await other.transaction(async (transaction) => {
      await transaction.run('create table others (n integer)');
      const { ask } = await serveMemories([memory('notes')], database);
      expect(await ask(ann, 'notes_search', { query: 'apple' })).toEqual({ status: 200, value: [] });
      expect(await ask(ann, 'notes_remember', { key: 'k', value: 'v' })).toMatchObject({ status: 503 });
    });
  });

  it('is found by its newest words only', async () => {
    const { ask } = await serveMemories([memory('notes')]);
    const keysOf = async (query: string) =>
      ((await ask(ann, 'notes_search', { query })).value as { key: string }[]).map(({ key }) => key);
    await ask(ann, 'notes_remember', { key: 'k', value: 'elephant' });
    await ask(ann, 'notes_remember', { key: 'k', value: 'crocodile' });
    for (const query of ['elephant', 'eleph', 'elefant']) expect(await keysOf(query)).toEqual([]);
    for (const query of ['crocodile', 'croco', 'crocodyle']) expect(await keysOf(query)).toEqual(['k']);
  });

  it("leaves no trace when it is forgotten, and is in no other entry's way", async () => {
    const { ask, database } = await serveMemories([memory('notes', { maxResults: 2 }), memory('plans')]);
    const keys = ['a', 'b', 'c'];
    for (const key of keys) await ask(ann, 'notes_remember', { key, value: 'apple apple' });
    await ask(ann, 'notes_remember', { key: 'kept', value: 'an apple among many other things' });
    for (const key of keys) await ask(ann, 'notes_forget', { key });
    expect(await ask(ann, 'notes_search', { query: 'apple' })).toMatchObject({ value: [{ key: 'kept' }] });
    await ask(ann, 'plans_remember', { key: 'kept', value: 'an apple among many other things' });
    const sizesOf = (name: string) =>
      Promise.all(
        Object.values(memoryTables(name)).map((table) => database.many(`select count(*) as n from ${table}`)),
      );
    expect(await sizesOf('notes')).toEqual(await sizesOf('plans'));
  });

  it('lends its words to slips of the pen as long as one entry has them', async () => {
    const { ask } = await serveMemories([memory('notes')]);
    const found = async () =>
      ((await ask(ann, 'notes_search', { query: 'elefant' })).value as { key: string }[]).map(
        ({ key }) => key,
      );
    await ask(ann, 'notes_remember', { key: 'a', value: 'elephant elephant' });
    await ask(ann, 'notes_remember', { key: 'b', value: 'an elephant' });
    await ask(ann, 'notes_remember', { key: 'a', value: 'crocodile' });
    expect(await found()).toEqual(['b']);
    await ask(ann, 'notes_remember', { key: 'b', value: 'the elephant again' });
    expect(await found()).toEqual(['b']);
    await ask(ann, 'notes_forget', { key: 'b' });
    await ask(ann, 'notes_remember', { key: 'c', value: 'an element' });
    // As near as the word that is gone.
    expect(await found()).toEqual(['c']);
    await ask(ann, 'notes_remember', { key: 'a', value: 'elephant' });
    expect(await found()).toEqual(['a']);
  });

  it('is found when its index is of another release, or did not come along', async () => {
    for (const lost of ['numbers', 'words', 'spellings', 'trigrams'] as const) {
      const database = await fileDatabase();
      const before = await serveMemories([memory('notes')], database);
      await before.ask(ann, 'notes_remember', { key: 'k', value: 'elephant -> zoo' });
      await database.write([{ sql: `drop table ${memoryTables('notes')[lost]}` }]);
      const { ask } = await serveMemories([memory('notes')], database);
      for (const query of ['elephants', 'eleph', 'elefant', '->'])
        expect(await ask(ann, 'notes_search', { query }), `${lost} ${query}`).toMatchObject({
          value: [{ key: 'k' }],
        });
    }
  });

  it('is found when it came with a copied table', async () => {
    const database = await fileDatabase();
    await serveMemories([memory('notes')], database);
    await database.write([
      {
        sql: `with recursive one (n) as (select 1 union all select n + 1 from one where n < 450)
          insert into svc_notes select 'ann', 'k' || n, 'copied ' || n, 1 from one`,
      },
    ]);
    const { ask } = await serveMemories([memory('notes')], database);
    expect(await ask(ann, 'notes_search', { query: '449' })).toMatchObject({ value: [{ key: 'k449' }] });
  });
});

describe('a memory used by a run', () => {
  const recorded: ToolResult[] = [];
  /** A journal in the same database. */
  const step = (end: 'kept' | 'lost'): Step =>
    ({
      record: async (result: ToolResult, transaction: Transaction) => {
        recorded.push(result);
        await SqlTransaction.of(transaction).run('insert into journal (n) values (1)');
        if (end === 'lost') throw new Error('the lease is gone');
      },
    }) as unknown as Step;

  it('changes entry, index and journal in one commit', async () => {
    const { ask, database } = await serveMemories([memory('notes')]);
    await database.write([{ sql: 'create table journal (n integer)' }]);
    const answer = await ask(ann, 'notes_remember', { key: 'k', value: 'apple' }, step('kept'));
    expect(recorded.at(-1)).toEqual({ ok: true, ...answer });
    await expect(ask(ann, 'notes_forget', { key: 'k' }, step('lost'))).rejects.toThrow('the lease is gone');
    await expect(ask(ann, 'notes_remember', { key: 'k', value: 'pear' }, step('lost'))).rejects.toThrow();
    expect(await database.many('select count(*) as n from journal')).toEqual([{ n: 1 }]);
    expect(await ask(ann, 'notes_search', { query: 'apple' })).toMatchObject({ value: [{ value: 'apple' }] });
    expect(await ask(ann, 'notes_search', { query: 'pear' })).toMatchObject({ value: [] });
    const gone = await ask(ann, 'notes_forget', { key: 'k' }, step('kept'));
    expect(recorded.at(-1)).toEqual({ ok: true, ...gone });
    expect(gone.value).toEqual({ affected: 1 });
  });

  it('lets the routes that change something commit with the step', async () => {
    const { plugin } = await serveMemories([memory('notes')]);
    expect(plugin.routes.map(({ engine }) => engine.durability)).toEqual([
      'transaction',
      undefined,
      undefined,
      'transaction',
    ]);
  });
});

describe('the entries that one principal may have', () => {
  it.each([
    [1, 200],
    [2, 200],
    [3, 409],
  ])('are those that are declared: of 2 the %ith is answered %i', async (count, status) => {
    verifies('memory.bounded');
    const { ask } = await serveMemories([memory('notes', { maxEntries: 2 })]);
    const statuses: number[] = [];
    for (let n = 1; n <= count; n++)
      statuses.push((await ask(ann, 'notes_remember', { key: `k${n}`, value: 'v' })).status);
    expect(statuses.at(-1)).toBe(status);
  });

  it('may be replaced and forgotten, are those of one memory, and take nothing from others', async () => {
    verifies('memory.bounded');
    const { ask } = await serveMemories([memory('notes', { maxEntries: 1 }), memory('others')]);
    await ask(ann, 'notes_remember', { key: 'k', value: 'old' });
    expect(await ask(ann, 'notes_remember', { key: 'l', value: 'v' })).toEqual({
      status: 409,
      value: 'no more than 1 of your entries are kept here; forget one, or replace one',
    });
    expect((await ask(ann, 'notes_remember', { key: 'k', value: 'new' })).status).toBe(200);
    expect((await ask(ann, 'others_remember', { key: 'l', value: 'v' })).status).toBe(200);
    expect((await ask(person('bob'), 'notes_remember', { key: 'l', value: 'v' })).status).toBe(200);
    await ask(ann, 'notes_forget', { key: 'k' });
    expect((await ask(ann, 'notes_remember', { key: 'l', value: 'v' })).status).toBe(200);
  });

  it.each([
    [9_999, 200],
    [10_000, 409],
  ])('are 10,000 unless declared: behind %i of them another is answered %i', async (count, status) => {
    verifies('memory.bounded');
    const { ask, database } = await serveMemories([memory('notes')]);
    await database.write([
      {
        sql: `with recursive c(n) as (select 1 union all select n + 1 from c where n < ?)
          insert into svc__notes__numbers (owner, key, words) select 'ann', 'k' || n, '[]' from c`,
        args: [count],
      },
    ]);
    expect((await ask(ann, 'notes_remember', { key: 'new', value: 'v' })).status).toBe(status);
  });
});
