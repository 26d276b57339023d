import type { SqlDatabase } from '../database/sql-database.ts';
import type { MemoryEntry } from './memory-store.ts';
import type { MemoryTables } from './memory-tables.ts';
import { type MemorySearch, toTerms } from './search-terms.ts';
import { toWords } from './words.ts';

/**
 * Finds the entries that have most of the query's words, best first.
 *
 * A word that its owner has nowhere, not even by its stem, stands for the words that begin with it; failing that, for
 * those that are spelt almost like it. What the query holds besides words means nothing.
 */
export async function findEntries(
  database: SqlDatabase,
  tables: MemoryTables,
  search: MemorySearch,
): Promise<readonly MemoryEntry[]> {
  const { owner, query, limit, signal } = search;
  if (toWords(query).length === 0) return findText(database, tables, search);
  const terms = await toTerms(database, tables, search);
  if (terms.length === 0) return [];
  const { entries, numbers, words: index } = tables;
  // Only the best are looked up; CROSS JOIN keeps that order. A word in the key says more than one in the value.
  const rows = await database.many(
    `select entry.key, entry.value, entry.updated_at_ms
      from (
        select rowid as n, rank as distance from ${index}
        where ${index} match :terms and rank match 'bm25(2.0, 1.0)' order by rank limit :limit) as best
      cross join ${numbers} as number on number.n = best.n and number.owner = :owner
      cross join ${entries} as entry on entry.owner = number.owner and entry.key = number.key
      order by best.distance, entry.updated_at_ms desc`,
    { owner, terms: terms.join(' OR '), limit },
    signal,
  );
  return toEntries(rows);
}

/** Of a query without words (`%`, `->`) the very characters count. */
async function findText(
  database: SqlDatabase,
  { entries }: MemoryTables,
  { owner, query, limit, signal }: MemorySearch,
): Promise<readonly MemoryEntry[]> {
  const text = query.trim();
  if (text === '') return [];
  const rows = await database.many(
    `select key, value, updated_at_ms from ${entries}
      where owner = :owner and (instr(key, :text) > 0 or instr(value, :text) > 0)
      order by updated_at_ms desc limit :limit`,
    { owner, text, limit },
    signal,
  );
  return toEntries(rows);
}

/** The columns of a strict table. */
function toEntries(rows: readonly object[]): readonly MemoryEntry[] {
  return rows as readonly MemoryEntry[];
}
