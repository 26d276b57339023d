import type { Values } from '@waymark/contract';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { SqlTransaction, Statement } from '../database/sql-transaction.ts';
import { findEntries } from './find-entries.ts';
import type { MemoryEntry } from './memory-entry.ts';
import { createMemoryTables, hasMemoryTables, type MemoryTables, memoryTables } from './memory-tables.ts';
import { ownerMark } from './owner-mark.ts';
import { learnWords, unlearnWords } from './spellings.ts';
import { toSigns, toWords } from './words.ts';

/** Entries that are indexed in one transaction when the index lacks them. */
const indexedAtOnce = 200;

/** The entries of one memory. Each method is for one owner and reaches nothing of the others. */
export class MemoryStore {
  readonly #database: SqlDatabase;
  readonly #name: string;
  readonly #tables: MemoryTables;

  constructor(database: SqlDatabase, name: string) {
    this.#database = database;
    this.#name = name;
    this.#tables = memoryTables(name);
  }

  /**
   * Makes the tables, and indexes entries that were not put in by `remember`: those of a copied or restored table. Where
   * nothing is missing it only reads: a server starts while the database is locked.
   */
  async open(): Promise<void> {
    if (!(await hasMemoryTables(this.#database, this.#name)))
      await this.#database.transaction((transaction) => createMemoryTables(transaction, this.#name));
    while ((await this.#unindexed(this.#database)).length > 0)
      await this.#database.transaction((transaction) => this.#indexMissing(transaction));
  }

  /** Statements that add an entry or replace it, for one transaction. */
  remember(owner: string, { key, value, updated_at_ms }: MemoryEntry): readonly Statement[] {
    return [
      {
        sql: `insert into ${this.#tables.entries} (owner, key, value, updated_at_ms) values (?, ?, ?, ?)
          on conflict (owner, key) do update set value = excluded.value, updated_at_ms = excluded.updated_at_ms`,
        args: [owner, key, value, updated_at_ms],
      },
      ...this.#index(owner, key, value),
    ];
  }

  /** Whether an owner may put something under a key: there is an entry already, or there are fewer than so many. */
  hasRoom(owner: string, key: string, maxEntries: number): Statement {
    const { entries, numbers } = this.#tables;
    return {
      sql: `select exists (select 1 from ${entries} where owner = :owner and key = :key)
        or (select count(*) from (select 1 from ${numbers} where owner = :owner limit :maxEntries)) < :maxEntries`,
      args: { owner, key, maxEntries },
    };
  }

  /** Statements that take an entry away, for one transaction; the last one affects a row when there was one. */
  forget(owner: string, key: string): readonly Statement[] {
    const { entries, numbers, words } = this.#tables;
    const args = [owner, key];
    return [
      ...unlearnWords(this.#tables, owner, key),
      {
        sql: `delete from ${words} where rowid = (select n from ${numbers} where owner = ? and key = ?)`,
        args,
      },
      { sql: `delete from ${numbers} where owner = ? and key = ?`, args },
      { sql: `delete from ${entries} where owner = ? and key = ?`, args },
    ];
  }

  async recall(owner: string, key: string, signal?: AbortSignal): Promise<MemoryEntry | undefined> {
    const { entries } = this.#tables;
    const sql = `select key, value, updated_at_ms from ${entries} where owner = ? and key = ?`;
    const [row] = await this.#database.many(sql, [owner, key], signal);
    // The columns of a strict table.
    return row as MemoryEntry | undefined;
  }

  /** The entries that fit best, best first. */
  search(owner: string, query: string, limit: number, signal?: AbortSignal): Promise<readonly MemoryEntry[]> {
    return findEntries(this.#database, this.#tables, { owner, query, limit, signal });
  }

  /** What is in the old entry and in the new one is counted before it is taken back, so that it is not looked up anew. */
  #index(owner: string, key: string, value: string): readonly Statement[] {
    const { numbers, words } = this.#tables;
    const mark = ownerMark(owner);
    const marked = (parts: readonly string[]) => parts.map((part) => mark + part).join(' ');
    const inKey = toWords(key);
    const inValue = toWords(value);
    const signs = toSigns(key + value);
    const different = [...new Set([...inKey, ...inValue])];
    return [
      ...learnWords(this.#tables, owner, different),
      ...unlearnWords(this.#tables, owner, key),
      {
        sql: `insert into ${numbers} (owner, key, words) values (?, ?, ?)
          on conflict (owner, key) do update set words = excluded.words`,
        args: [owner, key, JSON.stringify(different)],
      },
      {
        sql: `replace into ${words} (rowid, key, value, signs)
          select n, ?, ?, ? from ${numbers} where owner = ? and key = ?`,
        args: [marked(inKey), marked(inValue), marked(signs), owner, key],
      },
    ];
  }

  async #indexMissing(transaction: SqlTransaction): Promise<void> {
    for (const { owner, key, value } of await this.#unindexed(transaction))
      for (const { sql, args } of this.#index(String(owner), String(key), String(value)))
        await transaction.run(sql, args);
  }

  #unindexed(connection: { many(sql: string): Promise<readonly Values[]> }): Promise<readonly Values[]> {
    const { entries, numbers } = this.#tables;
    return connection.many(
      `select owner, key, value from ${entries} as entry
        where not exists (select 1 from ${numbers} as one where one.owner = entry.owner and one.key = entry.key)
        limit ${indexedAtOnce}`,
    );
  }
}
