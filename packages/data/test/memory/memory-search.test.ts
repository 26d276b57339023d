import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { memory } from '../../src/index.ts';
import { MemoryStore } from '../../src/memory/memory-store.ts';
import { fileDatabase } from '../open.ts';
import { notes, questions } from './household-notes.ts';
import { person, serveMemories } from './serve.ts';

const ann = person('ann');

async function searchOver(entries: Readonly<Record<string, string>>) {
  const { ask } = await serveMemories([memory('notes')]);
  for (const [key, value] of Object.entries(entries)) await ask(ann, 'notes_remember', { key, value });
  return async (query: string): Promise<readonly string[]> => {
    const { status, value } = await ask(ann, 'notes_search', { query });
    expect(status).toBe(200);
    return (value as readonly { key: string }[]).map(({ key }) => key);
  };
}

describe('a search in a memory', () => {
  it('puts first what has more of the words, and the key before the value', async () => {
    const search = await searchOver({
      one: 'the boiler hums',
      both: 'the boiler pressure is low',
      boiler: 'call the plumber',
      none: 'the cat sleeps',
    });
    expect((await search('boiler pressure'))[0]).toBe('both');
    expect(await search('boiler')).toEqual(['boiler', expect.any(String), expect.any(String)]);
    expect(await search('dragon')).toEqual([]);
  });

  it('finds stems, then beginnings, then slips of the pen', async () => {
    verifies('memory.search');
    const search = await searchOver({
      a: 'repairing ladders',
      b: 'a repository of photographs',
      c: 'calendar',
    });
    expect(await search('repaired ladder')).toEqual(['a']);
    // No beginning of `repairing`, and three letters away from it: the stem alone.
    expect(await search('repaired')).toEqual(['a']);
    expect(await search('photogr')).toEqual(['b']);
    expect(await search('calender')).toEqual(['c']);
    // A word that is there is taken as it is written.
    expect(await search('repair')).toEqual(['a']);
    expect(await search('rep')).toEqual(expect.arrayContaining(['a', 'b']));
  });

  it('allows two slips in a word, one in a word below six letters, none below four', async () => {
    const search = await searchOver({ a: 'cat', b: 'calendar', c: 'door', d: 'roar', e: 'table' });
    expect(await search('cot')).toEqual([]);
    expect(await search('oar')).toEqual([]);
    expect(await search('kalemdur')).toEqual([]);
    expect(await search('moor')).toEqual(['c']);
    expect(await search('mour')).toEqual([]);
    expect(await search('tabla')).toEqual(['e']);
    expect(await search('tabxy')).toEqual([]);
    // Two neighbours that changed places are one.
    expect(await search('tabel')).toEqual(['e']);
    expect(await search('claednar')).toEqual(['b']);
  });

  it('takes signs of SQL and of full text literally', async () => {
    const search = await searchOver({
      percent: 'a discount of 50%',
      under: 'snake_case names',
      camel: 'snakeXcase names',
      quote: `she said "it's" fine`,
      words: 'NEAR AND OR NOT',
      plain: 'entirely different',
    });
    expect(await search('%')).toEqual(['percent']);
    expect(await search('_')).toEqual(['under']);
    expect(await search('"')).toEqual(['quote']);
    expect(await search("'")).toEqual(['quote']);
    expect(await search('*')).toEqual([]);
    expect(await search('   ')).toEqual([]);
    expect(await search('snake_case')).toEqual(['under']);
    expect(await search('snake%case')).toEqual(['under']);
    expect(await search('50%')).toEqual(['percent']);
    expect(await search('-plain')).toEqual(['plain']);
    expect(await search('NOT fine')).toEqual(expect.arrayContaining(['words', 'quote']));
    const broken = [
      '"',
      '""',
      '"a',
      'a"b',
      '(',
      ')',
      'a AND',
      'OR',
      'NEAR(',
      'key:',
      'value : x',
      '^a',
      'a*',
      '{',
      '+',
    ];
    for (const query of [...broken, "'; drop table svc_notes; --", '\\', '?', ':terms', '-', '[a]'])
      expect(Array.isArray(await search(query))).toBe(true);
    expect(await search('plain')).toEqual(['plain']);
  });

  it('reads words of any script, without case and accents', async () => {
    const search = await searchOver({
      größe: 'Die Größe der Tür',
      cafe: 'Café à la crème, naïve İstanbul',
      ключ: 'Ключи лежат в ящике',
      鍵: '鍵は台所の引き出しにあります',
      مفتاح: 'المفتاح في المطبخ',
      열쇠: '부엌 서랍에 열쇠가 있다',
      emoji: 'party 🎉 on friday',
    });
    expect(await search('GROSSE tur')).not.toEqual([]);
    expect(await search('grösse')).toEqual(['größe']);
    expect(await search('CAFE creme')).toEqual(['cafe']);
    expect(await search('istanbul')).toEqual(['cafe']);
    expect(await search('ключи')).toEqual(['ключ']);
    expect(await search('台所')).toEqual(['鍵']);
    expect(await search('المطبخ')).toEqual(['مفتاح']);
    expect(await search('열쇠')).toEqual(['열쇠']);
    expect(await search('🎉')).toEqual(['emoji']);
  });

  it('reads sixteen different words of a query, and more do no harm', async () => {
    const search = await searchOver({ a: 'apple', b: 'banana' });
    const others = (count: number) => Array.from({ length: count }, (_, i) => `zz${i}zz`).join(' ');
    expect(await search(`${others(14)} apple`)).toEqual(['a']);
    expect(await search(`${others(15)} apple`)).toEqual(['a']);
    expect(await search(`${others(16)} apple`)).toEqual([]);
    expect(await search(`apple ${others(100)}`)).toEqual(['a']);
  });

  it('leaves out a word of 2,000 entries and more where there are others', async () => {
    const database = await fileDatabase({ synchronous: 'normal' });
    const store = new MemoryStore(database, 'notes');
    await store.open();
    const remember = async (keys: readonly string[]) =>
      database.write(
        keys.flatMap((key) => store.remember('ann', { key, value: 'common', updated_at_ms: 1 })),
      );
    await remember(Array.from({ length: 1_998 }, (_, i) => `k${i}`));
    await database.write(store.remember('ann', { key: 'k', value: 'common rare', updated_at_ms: 1 }));
    expect(await store.search('ann', 'common rare', 10)).toHaveLength(10);
    await remember(['one-more']);
    expect(await store.search('ann', 'common rare', 10)).toMatchObject([{ key: 'k' }]);
    expect(await store.search('ann', 'common', 10)).toHaveLength(10);
  });

  it('finds what was meant among the first five for nine of ten questions', async () => {
    const search = await searchOver(notes);
    const missed: string[] = [];
    for (const [question, key] of questions)
      if (!(await search(question)).slice(0, 5).includes(key)) missed.push(question);
    expect(questions.length).toBeGreaterThanOrEqual(40);
    expect(missed.length / questions.length, missed.join(', ')).toBeLessThanOrEqual(0.1);
  });

  it('ranks a bounded number of entries and still finds those that have most of the words', async () => {
    const database = await fileDatabase({ synchronous: 'normal' });
    const store = new MemoryStore(database, 'notes');
    await store.open();
    const fill = (word: string) =>
      database.write(
        Array.from({ length: 400 }, (_, i) =>
          store.remember('ann', { key: `${word} ${i}`, value: word, updated_at_ms: 1 }),
        ).flat(),
      );
    // The oldest of all that have one of the words.
    await database.write(store.remember('ann', { key: 'meant', value: 'red boat', updated_at_ms: 1 }));
    await database.write(store.remember('ann', { key: 'old', value: 'red', updated_at_ms: 1 }));
    await fill('red');
    await fill('boat');
    const first = (await store.search('ann', 'red boat', 10)).map(({ key }) => key);
    expect(first[0]).toBe('meant');
    expect(new Set(first).size).toBe(10);
    // Of one word alone those that have it in their key, and of these the last ones.
    expect((await store.search('ann', 'red', 10)).map(({ key }) => key)).not.toContain('old');
    // Asked for more than are ranked, it gives more.
    expect(await store.search('ann', 'red', 402)).toHaveLength(402);
  });
});
