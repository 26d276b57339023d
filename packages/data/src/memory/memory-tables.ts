import type { Values } from '@waymark/contract';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { SqlTransaction } from '../database/sql-transaction.ts';

/** The tables of one memory, quoted as SQL takes them. All but the first are the index, which is made from the first. */
export interface MemoryTables {
  /** The entries: `svc_<name>`. */
  readonly entries: string;
  /** The number that the index knows an entry by, and the different words that it has. */
  readonly numbers: string;
  /** Full text of keys and values, by their stems; and which signs they have. */
  readonly words: string;
  /** The different words of each owner, and how many entries have each. */
  readonly spellings: string;
  /** Full text of these, by three letters in a row. */
  readonly trigrams: string;
}

/** Names the tables. Those of the index have endings that no other memory's tables can have, FTS5's own included. */
export function memoryTables(name: string): MemoryTables {
  return {
    entries: `"svc_${name}"`,
    numbers: `"svc__${name}__numbers"`,
    words: `"svc__${name}__words"`,
    spellings: `"svc__${name}__spellings"`,
    trigrams: `"svc__${name}__trigrams"`,
  };
}

// Rowids of their own would change with VACUUM. What is full text holds no text: it would be stored twice.
const createTables = ({ entries, numbers, words, spellings, trigrams }: MemoryTables): readonly string[] => [
  createEntries(entries),
  `create table ${numbers} (
    n integer primary key, owner text not null, key text not null, words text not null,
    unique (owner, key)) strict`,
  `create virtual table ${words} using fts5 (
    key, value, signs, content = '', contentless_delete = 1, tokenize = "porter ascii tokenchars '_'")`,
  `create table ${spellings} (
    n integer primary key, owner text not null, word text not null, entries integer not null,
    unique (owner, word)) strict`,
  `create virtual table ${trigrams} using fts5 (
    trigrams, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'")`,
];

function createEntries(entries: string): string {
  return `create table if not exists ${entries} (
    owner text not null, key text not null, value text not null, updated_at_ms integer not null,
    primary key (owner, key)) strict, without rowid`;
}

/**
 * Makes the tables. An index that lacks one of its tables is of another release, or did not come along with the
 * entries: what there is of it goes.
 */
export async function createMemoryTables(transaction: SqlTransaction, name: string): Promise<void> {
  // Another process may have made them since somebody looked.
  if (await hasMemoryTables(transaction, name)) return;
  const tables = memoryTables(name);
  const { entries: _, ...index } = tables;
  for (const table of Object.values(index)) await transaction.run(`drop table if exists ${table}`);
  for (const sql of createTables(tables)) await transaction.run(sql);
}

/** Whether all tables of a memory are there. */
export async function hasMemoryTables(
  connection: { many(sql: string, args: readonly unknown[]): Promise<readonly Values[]> },
  name: string,
): Promise<boolean> {
  const names = Object.values(memoryTables(name)).map((quoted: string) => quoted.slice(1, -1));
  const found = await connection.many(
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
