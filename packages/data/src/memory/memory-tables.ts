import type { SqlDatabase } from '../database/sql-database.ts';
import type { SqlTransaction } from '../database/sql-transaction.ts';

/** The tables of one memory, quoted as SQL takes them. */
export interface MemoryTables {
  /** The entries: `svc_<name>`. */
  readonly entries: string;
  /** The number that both indexes know an entry by. */
  readonly numbers: string;
  /** Full text of keys and values, by their stems. */
  readonly words: string;
  /** Full text of keys and values, by three letters in a row. */
  readonly trigrams: string;
}

/** Names the tables. Those of the index have endings that no other memory's tables can have, FTS5's own included. */
export function memoryTables(name: string): MemoryTables {
  return {
    entries: `"svc_${name}"`,
    numbers: `"svc__${name}__numbers"`,
    words: `"svc__${name}__words"`,
    trigrams: `"svc__${name}__trigrams"`,
  };
}

// Rowids of their own would change with VACUUM. The indexes hold no text: it would be stored twice.
const createTables = ({ entries, numbers, words, trigrams }: MemoryTables): readonly string[] => [
  createEntries(entries),
  `create table if not exists ${numbers} (
    n integer primary key, owner text not null, key text not null, unique (owner, key)) strict`,
  `create virtual table if not exists ${words} using fts5 (
    key, value, content = '', contentless_delete = 1, tokenize = "porter ascii tokenchars '_'")`,
  `create virtual table if not exists ${trigrams} using fts5 (
    trigrams, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'")`,
];

function createEntries(entries: string): string {
  return `create table if not exists ${entries} (
    owner text not null, key text not null, value text not null, updated_at_ms integer not null,
    primary key (owner, key)) strict, without rowid`;
}

/** Makes the tables that are missing. */
export async function createMemoryTables(transaction: SqlTransaction, tables: MemoryTables): Promise<void> {
  for (const sql of createTables(tables)) await transaction.run(sql);
}

/** Whether all tables of a memory are there. */
export async function hasMemoryTables(database: SqlDatabase, name: string): Promise<boolean> {
  const { entries, numbers, words, trigrams } = memoryTables(name);
  const names = [entries, numbers, words, trigrams].map((quoted) => quoted.slice(1, -1));
  const found = await database.many(
    `select name from sqlite_schema where type = 'table' and name in (select value from json_each(?))`,
    [JSON.stringify(names)],
  );
  return found.length === names.length;
}

/** The columns in the order of the table, and where each stands in the primary key. */
const shape = ['owner TEXT 1', 'key TEXT 2', 'value TEXT 0', 'updated_at_ms INTEGER 0'];

/**
 * Says how the table that a memory finds differs from the one it would make; undefined when there is none, or when it
 * is the same.
 */
export async function findDrift(database: SqlDatabase, name: string): Promise<string | undefined> {
  const columns = await database.many(
    `select name || ' ' || upper(type) || ' ' || pk as shape from pragma_table_info(?) order by cid`,
    [`svc_${name}`],
  );
  const found = columns.map((column) => String(column['shape']));
  if (found.length === 0 || found.join() === shape.join()) return undefined;
  const described = found.map((one) => one.replace(/ (\w*) \d+$/, ' $1').trim());
  return `its table svc_${name} has other columns than a memory: ${described.slice(0, 20).join(', ')}`;
}
