import { nearest } from '@waymark/contract';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { MemoryTables } from './memory-tables.ts';
import { ownerMark } from './owner-mark.ts';
import { toTrigrams, toWords } from './words.ts';

/** What is looked for in a memory. */
export interface MemorySearch {
  readonly owner: string;
  readonly query: string;
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

/** Different words of a query that count; more say nothing more. */
const maxWords = 16;

/** Entries of one owner in which a word is to be nearly everywhere. */
const common = 2_000;

/** Entries in which the right spelling of a word is looked for. */
const maxCandidates = 8;

/** Characters of a value in which it is looked for. */
const readForSpelling = 4_000;

/**
 * The words as the index knows them: `"1_disk"` by its stem, `"1_dis"*` by its beginning. Words that are nearly
 * everywhere are left out where there are others: they say little, and ranking by them takes long.
 */
export async function toTerms(
  database: SqlDatabase,
  tables: MemoryTables,
  search: MemorySearch,
): Promise<readonly string[]> {
  const words = [...new Set(toWords(search.query))].slice(0, maxWords);
  const mark = ownerMark(search.owner);
  const { words: index } = tables;
  const found = await database.many(
    `select entries, entries = 0 and exists (select 1 from ${index} where ${index} match word || '*') as begins
      from (
        select asked.key as n, asked.value as word,
          (select count(*) from (select 1 from ${index} where ${index} match asked.value limit ${common})) as entries
        from json_each(?) as asked)
      order by n`,
    [JSON.stringify(words.map((word) => term(mark, word)))],
    search.signal,
  );
  const rare = new Set<string>();
  const everywhere = new Set<string>();
  for (const [i, word] of words.entries()) {
    const { entries = 0, begins = 0 } = found[i] ?? {};
    const known = term(mark, word);
    if (entries === common) everywhere.add(known);
    else if (entries !== 0) rare.add(known);
    else if (begins !== 0) rare.add(`${known}*`);
    else {
      const meant = await findSpelling(database, tables, word, search);
      if (meant !== undefined) rare.add(term(mark, meant));
    }
  }
  return [...(rare.size > 0 ? rare : everywhere)];
}

/** The word of the owner that is spelt almost like a word: two slips, one where it has less than six characters. */
async function findSpelling(
  database: SqlDatabase,
  { entries, numbers, trigrams }: MemoryTables,
  word: string,
  { owner, signal }: MemorySearch,
): Promise<string | undefined> {
  const length = Array.from(word).length;
  if (length < 4) return undefined;
  const mark = ownerMark(owner);
  const parts = toTrigrams([word]).map((part) => term(mark, part));
  const rows = await database.many(
    `select entry.key, substr(entry.value, 1, ${readForSpelling}) as value
      from (
        select ${trigrams}.rowid as n, count(*) as shared
        from json_each(:parts) as part cross join ${trigrams} on ${trigrams} match part.value
        group by 1) as candidate
      cross join ${numbers} as number on number.n = candidate.n and number.owner = :owner
      cross join ${entries} as entry on entry.owner = number.owner and entry.key = number.key
      order by candidate.shared desc, length(entry.value)
      limit ${maxCandidates}`,
    { owner, parts: JSON.stringify(parts) },
    signal,
  );
  const known = new Set(
    rows.flatMap(({ key, value }) => [...toWords(String(key)), ...toWords(String(value))]),
  );
  return nearest(word, known, length < 6 ? 1 : 2);
}

/** Words hold no quotes, so nothing in them is an operator. */
function term(mark: string, word: string): string {
  return `"${mark}${word}"`;
}
