import type { SqlDatabase } from '../database/sql-database.ts';
import type { MemoryTables } from './memory-tables.ts';
import { ownerMark } from './owner-mark.ts';
import { findSpellings } from './spellings.ts';
import { toWords } from './words.ts';

/** What is looked for in a memory. */
export interface MemorySearch {
  readonly owner: string;
  readonly query: string;
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

/** One word of a query as the index knows it. */
export interface Term {
  /** `"1_disk"` by its stem; several, by their beginning, are joined with OR. */
  readonly expression: string;
  /** Entries that have it, at least. */
  readonly entries: number;
}

/** Different words of a query that count; more say nothing more. */
const maxWords = 16;

/** Entries of one owner in which a word is to be nearly everywhere. */
export const common = 2_000;

/** Words that begin like one that is not there; the most frequent of them count. */
const maxBeginnings = 16;

/** Words of one beginning that are looked at. */
const maxSeen = 500;

/** Words of a query whose right spelling is looked for. */
const maxMisspelt = 4;

/** The words of a query, each by its stem, else by its beginning, else by what it is a slip of. */
export async function toTerms(
  database: SqlDatabase,
  tables: MemoryTables,
  { owner, query, signal }: MemorySearch,
): Promise<readonly Term[]> {
  const words = [...new Set(toWords(query))].slice(0, maxWords);
  const mark = ownerMark(owner);
  const { words: index, spellings } = tables;
  // A word that was written like that is not looked for by its stem: counting goes through the entries.
  const found = await database.many(
    `with known as materialized (
        select asked.key as i, asked.value ->> 0 as word, coalesce(
          (select entries from ${spellings} where owner = :owner and word = asked.value ->> 0),
          (select count(*) from (select 1 from ${index} where ${index} match asked.value ->> 1 limit ${common}))) as entries
        from json_each(:words) as asked
      )
      select entries, case when entries = 0 then (
        select json_group_array(json_array(word, entries)) from (
          select word, entries from (
            select one.word, one.entries from ${spellings} as one
            where one.owner = :owner and one.word > known.word and one.word < known.word || char(0x10ffff)
            limit ${maxSeen})
          order by entries desc limit ${maxBeginnings})) end as beginnings
      from known order by i`,
    { owner, words: JSON.stringify(words.map((word) => [word, term(mark, word)])) },
    signal,
  );
  const terms = new Map<string, Term>();
  const unknown: string[] = [];
  const add = (some: readonly (readonly [word: string, entries: number])[]): void => {
    const expression = some.map(([word]) => term(mark, word)).join(' OR ');
    terms.set(expression, { expression, entries: some.reduce((sum, [, entries]) => sum + entries, 0) });
  };
  for (const [i, word] of words.entries()) {
    const entries = Number(found[i]?.['entries']);
    const beginnings = JSON.parse(String(found[i]?.['beginnings'] ?? '[]')) as [string, number][];
    if (entries > 0) add([[word, entries]]);
    else if (beginnings.length > 0) add(beginnings);
    else unknown.push(word);
  }
  const meant = await findSpellings(database, tables, owner, unknown.slice(0, maxMisspelt), signal);
  for (const { word, entries } of meant) add([[word, entries]]);
  return [...terms.values()];
}

/** Words hold no quotes, so nothing in them is an operator. */
function term(mark: string, word: string): string {
  return `"${mark}${word}"`;
}
