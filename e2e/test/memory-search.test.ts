import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { officeNotes, officeQuestions } from './corpora/memory-questions.ts';
import { secrets } from './served.ts';
import { servedSql } from './sql-served.ts';

const caller = secrets.SHOP_KEY;

function household(app: Application): void {
  app.apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin'] });
  app.memory('notes');
}

interface Entry {
  readonly key: string;
  readonly value: string;
}

/** A memory that holds these entries, searched over HTTP and by its tool, which must find the same. */
async function memoryOf(entries: Readonly<Record<string, string>>) {
  const { send, call } = await servedSql(household);
  for (const [key, value] of Object.entries(entries))
    expect((await send('POST', '/notes/remember', { body: { key, value }, caller })).status).toBe(200);
  const search = async (query: string, limit?: number): Promise<readonly string[]> => {
    const parameters = new URLSearchParams({ query, ...(limit !== undefined && { limit: `${limit}` }) });
    const { status, value } = await send('GET', `/notes/search?${parameters.toString()}`, { caller });
    expect([query, status]).toEqual([query, 200]);
    const { structuredContent } = await call(
      'notes_search',
      { query, ...(limit !== undefined && { limit }) },
      caller,
    );
    expect(structuredContent?.result).toEqual(value);
    return (value as readonly Entry[]).map(({ key }) => key);
  };
  return { search, send };
}

/** What FTS5 and SQL would read as more than words, and what is found by the words alone. */
const expressions: readonly (readonly [query: string, keys: readonly string[]])[] = [
  ['"', []],
  ['""', []],
  ["'", []],
  ['*', []],
  ['(', []],
  [')', []],
  ['^', []],
  ['{}', []],
  ['"apple', ['fruit']],
  ['apple"', ['fruit']],
  ['apple*', ['fruit']],
  ['*apple', ['fruit']],
  ['^apple', ['fruit']],
  ['NEAR(apple pear, 2)', ['fruit', 'other', 'word']],
  ['NEAR(', ['word']],
  ['apple AND', ['fruit', 'word']],
  ['AND', ['word']],
  ['OR', ['word']],
  ['NOT apple', ['fruit', 'word']],
  ['-apple', ['fruit']],
  ['value:apple', ['fruit', 'word']],
  ['key : apple', ['fruit', 'word']],
  ['- key : apple', ['fruit', 'word']],
  ['{key value}: apple', ['fruit', 'word']],
  ['"apple" OR "pear"', ['fruit', 'other', 'word']],
  ["apple' or '1'='1", ['fruit', 'word']],
  ['apple + pear', ['fruit', 'other']],
  ['apple; drop table svc_notes', ['fruit']],
  ['apple -- pear', ['fruit', 'other']],
  ['apple /* pear */', ['fruit', 'other']],
  ['rank:bm25(10)', []],
  ['\u201capple\u201d', ['fruit']],
  ['APPLE', ['fruit']],
];

describe('a search in a memory', () => {
  it('finds the note that answers among the first five, nine times out of ten', async () => {
    verifies('memory.search');
    const { search } = await memoryOf(officeNotes);
    const missed: string[] = [];
    for (const [question, key] of officeQuestions)
      if (!(await search(question, 5)).includes(key)) missed.push(`${question}: ${key}`);
    expect(missed.length / officeQuestions.length, missed.join(', ')).toBeLessThanOrEqual(0.1);
  });

  it('takes signs for what they are', async () => {
    const signs = {
      percent: 'it is 100% sure',
      underscore: 'a file called snake_case here',
      letters: 'snakeXcase and 100 of them',
      star: 'multiply 6 * 7',
      arrow: 'from here -> there',
      quote: 'she said "hello" to him',
      semicolon: 'first; then',
    };
    const { search } = await memoryOf(signs);
    expect(await search('%')).toEqual(['percent']);
    expect(await search('_')).toEqual(['underscore']);
    expect(await search('*')).toEqual(['star']);
    expect(await search('->')).toEqual(['arrow']);
    expect(await search('"')).toEqual(['quote']);
    expect(await search(';')).toEqual(['semicolon']);
    expect(await search('%%')).toEqual([]);
    expect(await search('%_')).toEqual([]);
    // As a wildcard it would find both.
    expect(await search('snake_case')).toContain('underscore');
    expect(await search('100%')).toContain('percent');
  });

  it('reads operators and signs as words, and never as an expression', async () => {
    const { search } = await memoryOf({
      fruit: 'an apple a day',
      other: 'a pear a week',
      word: 'and or not near key value',
    });
    for (const [query, keys] of expressions)
      expect([query, (await search(query)).toSorted()]).toEqual([query, keys]);
  });

  it('answers every query that it takes, and refuses the rest with 422', async () => {
    const { search, send } = await memoryOf({ fruit: 'an apple a day' });
    const odd = ['\uffff', '\u202e', '\u0301', '\t\n', ' ', '\u{1f600}'.repeat(250), 'a '.repeat(500)];
    for (const query of [...odd, `apple ${'%'.repeat(900)}`]) await search(query);
    for (const query of ['', 'a'.repeat(1_001), '%\0']) {
      const parameters = new URLSearchParams({ query });
      expect([
        query,
        (await send('GET', `/notes/search?${parameters.toString()}`, { caller })).status,
      ]).toEqual([query, 422]);
    }
  });

  it('gives no more than the memory allows, however many are asked for', async () => {
    verifies('memory.search.limit', 'aside.memory.limit-clamped', 'limit.memory');
    const { search } = await memoryOf(
      Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`key-${i}`, 'an apple'])),
    );
    expect([
      (await search('apple')).length,
      (await search('apple', 9)).length,
      (await search('apple', 10)).length,
      (await search('apple', 11)).length,
      (await search('apple', 1e9)).length,
    ]).toEqual([10, 9, 10, 10, 10]);
  });
});
