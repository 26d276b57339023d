import type { SqlDatabase } from '../database/sql-database.ts';
import type { MemoryEntry } from './memory-entry.ts';
import type { MemoryTables } from './memory-tables.ts';
import { ownerMark } from './owner-mark.ts';
import { planSearch } from './search-plan.ts';
import { type MemorySearch, toTerms } from './search-terms.ts';
import { toSigns, toWords } from './words.ts';

/** Entries that are ranked for one search, unless it asks for more; of more than these, the last ones added. */
const ranked = 300;

/** Different signs of a query without words that the index is asked for. */
const maxSigns = 8;

/**
 * Finds the entries that have most of the query's words, best first.
 *
 * A word that its owner has nowhere, not even by its stem, stands for the words that begin with it; failing that, for
 * the one that is spelt almost like it. What the query holds besides words means nothing.
 */
export async function findEntries(
  database: SqlDatabase,
  tables: MemoryTables,
  search: MemorySearch,
): Promise<readonly MemoryEntry[]> {
  const { query, limit } = search;
  if (toWords(query).length === 0) return findText(database, tables, search);
  const plan = planSearch(await toTerms(database, tables, search), Math.max(ranked, limit));
  if (!plan) return [];
  const best = await rankEntries(database, tables, search, plan.narrow);
  if (best.length >= limit || plan.wide === plan.narrow) return best;
  const found = new Set(best.map(({ key }) => key));
  const others = await rankEntries(database, tables, search, plan.wide);
  return [...best, ...others.filter(({ key }) => !found.has(key))].slice(0, limit);
}

async function rankEntries(
  database: SqlDatabase,
  { entries, numbers, words: index }: MemoryTables,
  { owner, limit, signal }: MemorySearch,
  terms: string,
): Promise<readonly MemoryEntry[]> {
  // Only the best are looked up; CROSS JOIN keeps that order. A word in the key says more than one in the value.
  const rows = await database.many(
    `select entry.key, entry.value, entry.updated_at_ms
      from (
        select n, distance from (
          select rowid as n, bm25(${index}, 2.0, 1.0, 0.0) as distance from ${index}
          where ${index} match :terms order by rowid desc limit :ranked)
        order by distance limit :limit) as best
      cross join ${numbers} as number on number.n = best.n and number.owner = :owner
      cross join ${entries} as entry on entry.owner = number.owner and entry.key = number.key
      order by best.distance, entry.updated_at_ms desc`,
    { owner, terms, ranked: Math.max(ranked, limit), limit },
    signal,
  );
  return toEntries(rows);
}

/** Of a query without words (`%`, `->`) the very characters count. */
async function findText(
  database: SqlDatabase,
  { entries, numbers, words: index }: MemoryTables,
  { owner, query, limit, signal }: MemorySearch,
): Promise<readonly MemoryEntry[]> {
  const mark = ownerMark(owner);
  const signs = toSigns(query).slice(0, maxSigns);
  if (signs.length === 0) return [];
  const rows = await database.many(
    `select entry.key, entry.value, entry.updated_at_ms
      from (
        select rowid as n from ${index} where ${index} match :signs order by rowid desc limit :read) as near
      cross join ${numbers} as number on number.n = near.n and number.owner = :owner
      cross join ${entries} as entry on entry.owner = number.owner and entry.key = number.key
      where instr(entry.key, :text) > 0 or instr(entry.value, :text) > 0
      order by entry.updated_at_ms desc limit :limit`,
    {
      ...{ owner, limit, text: query.trim(), read: Math.max(ranked, limit) },
      signs: signs.map((sign) => `"${mark}${sign}"`).join(' AND '),
    },
    signal,
  );
  return toEntries(rows);
}

/** The columns of a strict table. */
function toEntries(rows: readonly object[]): readonly MemoryEntry[] {
  return rows as readonly MemoryEntry[];
}
