import { narrow } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { memory } from '../../src/index.ts';
import { MemoryStore } from '../../src/memory/memory-store.ts';
import { ownerMark } from '../../src/memory/owner-mark.ts';
import { fileDatabase } from '../open.ts';
import { person, serveMemories } from './serve.ts';

const ann = person('ann');
const bob = person('bob');
const annsAgent = narrow(ann, 'agent:desk', []);

describe('the owner of an entry', () => {
  it('is the principal at the start of the chain: an agent shares with its caller', async () => {
    verifies('memory.owner');
    const { ask, database } = await serveMemories([memory('notes')]);
    await ask(annsAgent, 'notes_remember', { key: 'from', value: 'agent' });
    await ask(ann, 'notes_remember', { key: 'of', value: 'ann' });
    expect(await ask(ann, 'notes_recall', { key: 'from' })).toMatchObject({ value: { value: 'agent' } });
    expect(await ask(annsAgent, 'notes_recall', { key: 'of' })).toMatchObject({ value: { value: 'ann' } });
    expect(await database.many('select distinct owner from svc_notes')).toEqual([{ owner: 'ann' }]);
  });

  it('is the only one who reaches it, by none of the four tools', async () => {
    const { ask } = await serveMemories([memory('notes')]);
    const keys = ['shared', 'colour', 'a%', 'x_y'];
    for (const key of keys) {
      await ask(annsAgent, 'notes_remember', { key, value: `ann's secret databases ${key}` });
      await ask(bob, 'notes_remember', { key, value: `bob's secret databases ${key}` });
    }
    await ask(ann, 'notes_remember', { key: 'only', value: 'ann alone knows the quartz' });
    const texts = async (who: typeof ann, query: string) =>
      JSON.stringify((await ask(who, 'notes_search', { query, limit: 10 })).value);
    // By a word, its stem, its beginning, a slip, sounds of the index itself, and signs.
    const queries = [
      'secret',
      'database',
      'datab',
      'databsaes',
      'ann',
      'bob',
      "'",
      '%',
      `${ownerMark('ann')}quartz`,
    ];
    for (const query of [...queries, 'quartz', 'quar', 'quartzz', 'only', 'owner:ann']) {
      expect(await texts(bob, query)).not.toContain('ann');
      expect(await texts(ann, query)).not.toContain('bob');
      expect(await texts(annsAgent, query)).not.toContain('bob');
      expect(await texts(person('new'), query)).toBe('[]');
    }
    expect(await texts(bob, 'secret')).toContain('bob');
    expect(await ask(bob, 'notes_recall', { key: 'only' })).toMatchObject({ status: 404 });
    expect(await ask(bob, 'notes_forget', { key: 'only' })).toMatchObject({ value: { affected: 0 } });
    await ask(bob, 'notes_remember', { key: 'only', value: "bob's own" });
    for (const key of keys)
      expect(await ask(bob, 'notes_forget', { key })).toMatchObject({ value: { affected: 1 } });
    expect(await ask(ann, 'notes_recall', { key: 'only' })).toMatchObject({
      value: { value: 'ann alone knows the quartz' },
    });
    expect(JSON.parse(await texts(ann, 'secret databases'))).toHaveLength(keys.length);
  });

  it('is asked for also when the index holds the words of another under the same mark', async () => {
    const database = await fileDatabase();
    const store = new MemoryStore(database, 'notes');
    await store.open();
    await database.write(store.remember('ann', { key: 'k', value: 'quartz', updated_at_ms: 1 }));
    // As if the two owners had one mark: the index says ann's, the table says bob's.
    await database.write([
      { sql: `update svc__notes__numbers set owner = 'bob'` },
      { sql: `update svc_notes set owner = 'bob'` },
    ]);
    for (const query of ['quartz', 'quar', 'quarzt'])
      expect(await store.search('ann', query, 10)).toEqual([]);
  });

  it('finds it however many others have the same words', async () => {
    const { ask } = await serveMemories([memory('notes', { maxResults: 1 })]);
    for (let i = 0; i < 5; i++)
      await ask(person(`other-${i}`), 'notes_remember', { key: 'apple', value: 'apple' });
    await ask(ann, 'notes_remember', { key: 'k', value: 'one apple among many other things' });
    expect(await ask(ann, 'notes_search', { query: 'apple' })).toMatchObject({ value: [{ key: 'k' }] });
  });

  it('has nothing in another memory', async () => {
    const { ask } = await serveMemories([memory('notes'), memory('plans')]);
    await ask(ann, 'notes_remember', { key: 'k', value: 'apple' });
    expect(await ask(ann, 'plans_recall', { key: 'k' })).toMatchObject({ status: 404 });
    expect(await ask(ann, 'plans_search', { query: 'apple' })).toMatchObject({ value: [] });
  });
});
