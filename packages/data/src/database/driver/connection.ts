import { pathToFileURL } from 'node:url';
import Libsql from 'libsql';
import AsyncLibsql from 'libsql/promise';
import type { BoundValue } from '../bind.ts';
import { BoundedCache } from '../bounded-cache.ts';
import { SqlFault, toSqlFault } from '../sql-fault.ts';
import { narrowIntegers, type SqlResult } from '../sql-result.ts';
import type { SqlText } from '../sql-text.ts';
import type { Synchronous } from './driver.ts';

interface Prepared {
  readonly statement: Libsql.Statement;
  /** The same, when only the first row is wanted. */
  first: Libsql.Statement | undefined;
  readonly returnsRows: boolean;
  /** Read after it ran: what is prepared may still show the schema as it was. */
  columns: readonly string[] | undefined;
}

/** `exec` on a thread of the driver, whose two classes are one handle with other methods. */
const execAside: (this: Libsql.Database, sql: string) => Promise<void> = AsyncLibsql.prototype.exec;

/** Prepared statements kept by each connection. */
const keptStatements = 500;

/**
 * One connection to a local database; every call but `commit` blocks until it is done. Nothing outside this file touches the driver:
 *
 * - It never waits for a lock. A prepared statement that met one would stay unfinished, and later writes of its
 *   connection would report success without being stored: only `exec` may meet a lock, with `BEGIN IMMEDIATE`.
 * - Rows are read to the end. A cursor left half-way shows its connection an old state of the database for ever.
 * - What failed while it read the first row is prepared anew: it would be run with its old values for ever.
 * - A file is opened past the driver's layer for encryption, which hides that a read has failed: what happens to be in memory
 *   would be taken for the page.
 * - What reads all rows never reads the first one alone: once it found none, it would find none for ever.
 * - `EXPLAIN` is never run: its cursor is never finished, and COMMIT fails as long as it stands.
 */
export class Connection {
  readonly #database: Libsql.Database;
  readonly #prepared = new BoundedCache<Prepared>(keptStatements);
  readonly #inFile: boolean;
  /** Undefined until it was set. */
  #synchronous: Synchronous | undefined;
  #hasChanged = false;
  #closed = false;

  /** @param path of a file, or `:memory:` @param setup PRAGMAs @param mode of a file: `ro` only reads it */
  constructor(path: string, setup: string, mode: 'ro' | 'rwc' = 'rwc') {
    this.#inFile = path !== ':memory:';
    this.#database = new Libsql(this.#inFile ? toUri(path, mode) : path, { timeout: 0 });
    try {
      this.#database.exec(setup);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Runs statements without values or rows, one after another: PRAGMA, BEGIN, COMMIT, SAVEPOINT. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Begins to write, for a commit that outlasts what it says. @throws when the database is locked */
  begin(synchronous: Synchronous): void {
    if (this.#inFile && this.#synchronous !== synchronous) {
      // It cannot be changed later in the transaction.
      this.exec(`PRAGMA synchronous = ${synchronous}`);
      this.#synchronous = synchronous;
    }
    this.#hasChanged = false;
    this.exec('BEGIN IMMEDIATE');
  }

  /** Whether a statement has changed anything since `begin`: a commit of nothing needs no disk. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /**
   * COMMIT. Where it waits for the disk, a thread of the driver does it and the event loop goes on; nothing else may be asked
   * of this connection until it is done.
   */
  commit(): Promise<void> | undefined {
    if (!this.#inFile || this.#synchronous === 'normal') {
      this.exec('COMMIT');
      return undefined;
    }
    return this.execAside('COMMIT');
  }

  /** As `exec`, on a thread of the driver: nothing else may be asked of this connection until it is done. */
  execAside(sql: string): Promise<void> {
    return execAside.call(this.#database, sql);
  }

  /** Asking the driver after `close` would end the process. */
  get inTransaction(): boolean {
    return !this.#closed && this.#database.inTransaction;
  }

  /** @throws whatever SQLite says about the statement, before anything ran */
  columns(text: SqlText): readonly string[] {
    const { statement, returnsRows } = this.#get(text.sql);
    return returnsRows ? columnsOf(statement) : [];
  }

  /** Whether a statement gives rows back. */
  returnsRows(text: SqlText): boolean {
    return this.#get(text.sql).returnsRows;
  }

  /**
   * @param take `first` leaves the rows after the first one unread, in half of the time of `all`; what changes something
   *   has done all of it before its first row comes
   */
  run(text: SqlText, values: BoundValue[], take: 'all' | 'first' = 'all'): SqlResult {
    const prepared = this.#get(text.sql);
    try {
      const result = this.#step(text, prepared, values, take);
      if (text.kind === 'schema' || (text.kind !== 'read' && result.affected > 0)) this.#hasChanged = true;
      return result;
    } catch (error) {
      prepared.first = undefined;
      throw this.#isGeneral(error) && this.#prepares(text.sql) ? new SqlFault('SQLITE_ERROR_VALUE') : error;
    }
  }

  /** Runs statements without values that change the database, in one call of the driver. */
  runScript(statements: readonly SqlText[]): void {
    // What is behind a comment would be a part of it. Elsewhere a line break would stay in the text of an index.
    const ended = statements.map(({ sql }) => (sql.includes('--') ? `${sql}\n;` : `${sql};`));
    this.exec(ended.join('\n'));
    this.#hasChanged = true;
    this.forgetStatements();
  }

  #step(text: SqlText, prepared: Prepared, values: BoundValue[], take: 'all' | 'first'): SqlResult {
    const { statement, returnsRows } = prepared;
    if (text.kind === 'schema') {
      statement.run(values);
      this.forgetStatements();
      return { columns: [], rows: [], affected: 0, lastInsertId: null };
    }
    if (!returnsRows) {
      const { changes, lastInsertRowid } = statement.run(values);
      return { columns: [], rows: [], affected: changes, lastInsertId: lastInsertRowid };
    }
    // The cast is what `raw` and `safeIntegers` promise.
    const rows = (
      take === 'all' ? statement.all(values) : firstOf(this.#first(text, prepared).get(values))
    ) as BoundValue[][];
    // Another process may have changed the table since; the driver then reads the new columns.
    if (rows[0] && rows[0].length !== prepared.columns?.length) prepared.columns = undefined;
    prepared.columns ??= columnsOf(statement);
    const { columns } = prepared;
    return { columns, rows: narrowIntegers(columns, rows), affected: rows.length, lastInsertId: null };
  }

  /** After the schema changed, the names of columns may be others. */
  forgetStatements(): void {
    this.#prepared.clear();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#prepared.clear();
    this.#database.close();
  }

  #isGeneral(error: unknown): boolean {
    return toSqlFault(error)?.code === 'SQLITE_ERROR';
  }

  /** A statement that can be prepared and not run has a value that does not fit: broken JSON, a search text with odd signs. */
  #prepares(sql: string): boolean {
    try {
      this.#database.prepare(sql);
      return true;
    } catch {
      return false;
    }
  }

  #get(sql: string): Prepared {
    return this.#prepared.get(sql, () => {
      const statement = this.#database.prepare(sql);
      const returnsRows = statement.reader;
      if (returnsRows) statement.raw(true).safeIntegers(true);
      return { statement, first: undefined, returnsRows, columns: undefined };
    });
  }

  #first({ sql }: SqlText, prepared: Prepared): Libsql.Statement {
    prepared.first ??= this.#database.prepare(sql).raw(true).safeIntegers(true);
    return prepared.first;
  }
}

/** A path as it is, whatever its letters, for the layer of SQLite that is over the system itself. */
function toUri(path: string, mode: string): string {
  const system = process.platform === 'win32' ? 'win32' : 'unix';
  return `${pathToFileURL(path).href}?mode=${mode}&vfs=${system}`;
}

/** `get` ends its cursor by itself, and gives undefined where there is no row. */
function firstOf(row: unknown): readonly unknown[] {
  return row === undefined ? [] : [row];
}

function columnsOf(statement: Libsql.Statement): readonly string[] {
  return statement.columns().map(({ name }) => name);
}
