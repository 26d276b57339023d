import { anonymous } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { memory } from '../../src/index.ts';
import { person, serveMemories } from './serve.ts';

const ann = person('ann');

describe('the routes of a memory', () => {
  it('are four tools under its name', async () => {
    verifies('declare.memory.remember');
    verifies('declare.memory.recall');
    verifies('declare.memory.search');
    verifies('declare.memory.forget');
    const { plugin } = await serveMemories([memory('notes')]);
    expect(new Set(plugin.routes.map(({ facts }) => facts.memory))).toEqual(new Set(['notes']));
    const rows = plugin.routes.map(({ name, method, path, tool, engine, parameters }) => ({
      ...{ name, tool, at: `${method} ${path}`, engine: engine.kind },
      takes: parameters.map((one) => `${one.name} in ${one.place}${one.required ? '' : '?'}`).join(', '),
    }));
    expect(rows).toEqual([
      {
        name: 'notes_remember',
        tool: true,
        at: 'POST /notes/remember',
        engine: 'memory',
        takes: 'key in body, value in body',
      },
      {
        name: 'notes_recall',
        tool: true,
        at: 'GET /notes/recall/{key}',
        engine: 'memory',
        takes: 'key in path',
      },
      {
        name: 'notes_search',
        tool: true,
        at: 'GET /notes/search',
        engine: 'memory',
        takes: 'query in query, limit in query?',
      },
      {
        name: 'notes_forget',
        tool: true,
        at: 'DELETE /notes/forget/{key}',
        engine: 'memory',
        takes: 'key in path',
      },
    ]);
  });

  it('are under memory when it has no name', async () => {
    verifies('declare.memory.name.default');
    const { plugin, database } = await serveMemories([memory()]);
    expect(plugin.routes.map(({ path }) => path.split('/')[1])).toEqual(Array(4).fill('memory'));
    expect(await database.many('select count(*) as entries from svc_memory')).toEqual([{ entries: 0 }]);
  });

  it.each(['.', '..', 'line1\nline2', '\x7f'])('refuse a key that no path leads to: %j', async (key) => {
    const { ask } = await serveMemories([memory('notes')]);
    expect((await ask(ann, 'notes_remember', { key, value: 'private' })).status).toBe(422);
  });

  it('remember an entry and replace it', async () => {
    verifies('memory.remember');
    const { ask, host } = await serveMemories([memory('notes')]);
    const first = { key: 'colour', value: 'blue', updated_at_ms: host.now() };
    expect(await ask(ann, 'notes_remember', { key: 'colour', value: 'blue' })).toEqual({
      status: 200,
      value: first,
    });
    await host.clock.advance(1_500);
    await ask(ann, 'notes_remember', { key: 'colour', value: 'green' });
    expect(await ask(ann, 'notes_recall', { key: 'colour' })).toEqual({
      status: 200,
      value: { key: 'colour', value: 'green', updated_at_ms: first.updated_at_ms + 1_500 },
    });
    expect((await ask(ann, 'notes_search', { query: 'blue green' })).value).toHaveLength(1);
  });

  it('answer 404 for a key under which nothing is kept', async () => {
    verifies('memory.recall');
    const { ask } = await serveMemories([memory('notes')]);
    await ask(ann, 'notes_remember', { key: 'a', value: '1' });
    expect(await ask(ann, 'notes_recall', { key: 'b' })).toEqual({
      status: 404,
      value: 'nothing is kept under this key',
    });
    expect(await ask(ann, 'notes_recall', { key: 'A' })).toMatchObject({ status: 404 });
  });

  it('say whether anything was forgotten', async () => {
    verifies('memory.forget');
    const { ask } = await serveMemories([memory('notes')]);
    await ask(ann, 'notes_remember', { key: 'a', value: 'apple' });
    expect(await ask(ann, 'notes_forget', { key: 'a' })).toEqual({ status: 200, value: { affected: 1 } });
    expect(await ask(ann, 'notes_forget', { key: 'a' })).toEqual({ status: 200, value: { affected: 0 } });
    expect(await ask(ann, 'notes_recall', { key: 'a' })).toMatchObject({ status: 404 });
    expect(await ask(ann, 'notes_search', { query: 'apple' })).toEqual({ status: 200, value: [] });
  });

  it('find ten entries when nothing is said, and never more than the memory allows', async () => {
    verifies('declare.memory.max-results.default');
    verifies('limit.memory');
    verifies('memory.search.limit');
    verifies('aside.memory.limit-clamped');
    const { ask } = await serveMemories([memory('notes'), memory('few', { maxResults: 3 })]);
    for (let i = 0; i < 12; i++)
      for (const name of ['notes', 'few'])
        await ask(ann, `${name}_remember`, { key: `k${i}`, value: 'apple' });
    const found = async (tool: string, limit?: number) =>
      ((await ask(ann, tool, { query: 'apple', ...(limit && { limit }) })).value as unknown[]).length;
    expect(await found('notes_search')).toBe(10);
    expect(await found('few_search')).toBe(3);
    expect([
      await found('few_search', 2),
      await found('few_search', 3),
      await found('few_search', 4),
    ]).toEqual([2, 3, 3]);
    expect(await found('notes_search', 1_000_000)).toBe(10);
    for (const limit of [0, -1, 1.5])
      expect(await ask(ann, 'notes_search', { query: 'apple', limit })).toMatchObject({ status: 422 });
  });

  it.each([
    ['scopes alone', { scopes: ['s'] }, { remember: ['s'], recall: ['s'], search: ['s'], forget: ['s'] }],
    ['nothing', {}, { remember: [], recall: [], search: [], forget: [] }],
    [
      'read scopes',
      { scopes: ['s'], readScopes: ['r'] },
      { remember: ['s'], recall: ['r'], search: ['r'], forget: ['s'] },
    ],
    [
      'write scopes',
      { scopes: ['s'], writeScopes: ['w'] },
      { remember: ['w'], recall: ['s'], search: ['s'], forget: ['w'] },
    ],
  ])('ask for the scopes that are declared: %s', async (_, options, expected) => {
    verifies('declare.memory.scopes');
    verifies('declare.memory.scopes.default');
    verifies('declare.memory.read-scopes.default');
    verifies('declare.memory.write-scopes.default');
    const { plugin } = await serveMemories([memory('m', options)]);
    const scopes = Object.fromEntries(plugin.routes.map(({ name, scopes }) => [name.slice(2), scopes]));
    expect(scopes).toEqual(expected);
  });

  it('refuse anonymous callers, before their input is looked at', async () => {
    verifies('aside.anonymous.no-memory');
    const { ask } = await serveMemories([memory('notes')]);
    for (const tool of memory('notes').tools)
      expect(await ask(anonymous(), tool, {})).toEqual({
        status: 401,
        value: 'authentication is needed: a memory belongs to somebody',
      });
  });

  it('refuse anonymous callers also where nobody guards them', async () => {
    const { plugin } = await serveMemories([memory('notes')]);
    const input = { key: 'a', value: 'b', query: 'c', limit: 1 };
    for (const { engine } of plugin.routes) {
      const answer = async () => engine.answer?.({ principal: anonymous(), input } as never);
      await expect(answer()).rejects.toMatchObject({ status: 401 });
    }
  });
});

describe('the bounds of a memory', () => {
  const sizes = [
    ['key', 256],
    ['value', 16_384],
  ] as const;

  it.each(sizes)('takes a %s of %i characters and none of one more', async (name, most) => {
    const { ask } = await serveMemories([memory('notes')]);
    const remember = (text: string) => ask(ann, 'notes_remember', { key: 'k', value: 'v', [name]: text });
    expect(await remember('x'.repeat(most - 1))).toMatchObject({ status: 200 });
    expect(await remember('🎉'.repeat(most))).toMatchObject({ status: 200 });
    expect(await remember('x'.repeat(most + 1))).toMatchObject({ status: 422 });
    expect(await remember('🎉'.repeat(most + 1))).toMatchObject({ status: 422 });
  });

  it('takes an empty value and no empty key or query', async () => {
    const { ask } = await serveMemories([memory('notes')]);
    expect(await ask(ann, 'notes_remember', { key: 'k', value: '' })).toMatchObject({ status: 200 });
    expect(await ask(ann, 'notes_remember', { key: '', value: 'v' })).toMatchObject({ status: 422 });
    expect(await ask(ann, 'notes_search', { query: '' })).toMatchObject({ status: 422 });
  });

  it('takes a query of 1,000 characters and none of one more', async () => {
    const { ask } = await serveMemories([memory('notes')]);
    const search = (length: number) =>
      ask(ann, 'notes_search', { query: 'ab '.repeat(400).slice(0, length) });
    expect(await search(999)).toMatchObject({ status: 200 });
    expect(await search(1_000)).toMatchObject({ status: 200 });
    expect(await search(1_001)).toMatchObject({ status: 422 });
  });

  it('refuses a null character, which would be cut', async () => {
    const { ask } = await serveMemories([memory('notes')]);
    expect(await ask(ann, 'notes_remember', { key: 'a\0b', value: 'v' })).toMatchObject({ status: 422 });
    expect(await ask(ann, 'notes_recall', { key: 'a' })).toMatchObject({ status: 404 });
  });
});
