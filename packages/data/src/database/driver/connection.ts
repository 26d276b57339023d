import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { BoundValue } from '../bind.ts';
import { BoundedCache } from '../bounded-cache.ts';
import { SqlFault, toSqlFault } from '../sql-fault.ts';
import { narrowNumbers, type SqlResult, toNumber } from '../sql-result.ts';
import type { SqlText } from '../sql-text.ts';
import { loadSqlite } from './node-sqlite.ts';
import { toOpenFault } from './to-open-fault.ts';

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
  /** Its columns stay as long as it stands: what has a `*` has those of its tables, which others may change. */
  readonly isFixed: boolean;
  columns: readonly string[] | undefined;
}

/** Pages of a copy that are read in one go: a few milliseconds. */
const pagesAtOnce = 1_000;

/** Prepared statements kept by each connection. */
const keptStatements = 500;

/**
 * One connection to a local database; every call blocks until it is done. Nothing outside this file touches the driver:
 *
 * - It never waits for a lock, and only `BEGIN IMMEDIATE` may meet one.
 * - Rows are read to the end. A cursor left half-way shows its connection an old state of the database for ever.
 * - What a process opens is opened by one copy of SQLite, that of node: another copy that opens and closes the same file
 *   drops the locks of this one.
 */
export class Connection {
  readonly #database: DatabaseSync;
  readonly #prepared = new BoundedCache<Prepared>(keptStatements);
  #hasChanged = false;
  #closed = false;

  /** @param path of a file, or `:memory:` @param setup PRAGMAs @param mode of a file: `ro` only reads it */
  constructor(path: string, setup: string, mode: 'ro' | 'rwc' = 'rwc') {
    const { DatabaseSync } = loadSqlite();
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(path, { timeout: 0, readOnly: mode === 'ro' });
      database.exec(setup);
    } catch (error) {
      database?.close();
      throw toOpenFault(error);
    }
    this.#database = database;
  }

  /** Runs statements without values or rows, one after another: PRAGMA, BEGIN, COMMIT, SAVEPOINT. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Begins to write. @throws when the database is locked */
  begin(): void {
    this.#hasChanged = false;
    this.exec('BEGIN IMMEDIATE');
  }

  /** Undoes what is open, if anything is. */
  rollBack(): void {
    if (!this.inTransaction) return;
    try {
      this.exec('ROLLBACK');
    } catch {
      // SQLite rolls back by itself when it has to; the next BEGIN shows whether it did.
    }
  }

  /** Whether a statement has changed anything since `begin`: a commit of nothing needs no disk. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  get inTransaction(): boolean {
    return !this.#closed && this.#database.isTransaction;
  }

  /** @throws whatever SQLite says about the statement, before anything ran */
  columns(text: SqlText): readonly string[] {
    return columnsOf(this.#get(text).statement);
  }

  /** Whether a statement gives rows back. */
  returnsRows(text: SqlText): boolean {
    return this.#get(text).returnsRows;
  }

  /**
   * @param take `first` leaves the rows after the first one unread; what changes something has done all of it before its
   *   first row comes
   */
  run(text: SqlText, values: BoundValue[], take: 'all' | 'first' = 'all'): SqlResult {
    const prepared = this.#get(text);
    try {
      const result = this.#step(text, prepared, values, take);
      if (text.kind === 'schema' || (text.kind !== 'read' && result.affected > 0)) this.#hasChanged = true;
      return result;
    } catch (error) {
      // Without values none can be to blame.
      const blames = values.length > 0 && this.#isGeneral(error) && this.#prepares(text.sql);
      throw blames ? new SqlFault('SQLITE_ERROR_VALUE') : error;
    }
  }

  /**
   * Copies the database, as it is when this begins, into a file that is there and empty; who writes meanwhile is not held. On a
   * thread.
   */
  async copyTo(path: string): Promise<void> {
    // What is being read stays as it is: a copy would begin anew with each commit of another process.
    this.exec('BEGIN');
    try {
      this.#database.prepare('select 1 from sqlite_schema').get();
      await loadSqlite().backup(this.#database, path, { rate: pagesAtOnce });
    } finally {
      this.rollBack();
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
    if (!returnsRows) {
      const { changes, lastInsertRowid } = statement.run(...toInput(text, values));
      const isSchema = text.kind === 'schema';
      if (isSchema) this.forgetStatements();
      return {
        columns: [],
        rows: [],
        affected: isSchema ? 0 : Number(changes),
        lastInsertId: isSchema ? null : toNumber(BigInt(lastInsertRowid)),
      };
    }
    let rows = readRows(text, statement, values, take);
    const known = prepared.columns;
    if (!known || !prepared.isFixed) prepared.columns = columnsOf(statement);
    const { columns = [] } = prepared;
    // Some releases of node give as many values of a row as it had columns when it was prepared.
    if (known && known.length !== columns.length && text.kind === 'read')
      rows = readRows(text, statement, values, take);
    return { columns, rows: narrowNumbers(columns, rows), affected: rows.length, lastInsertId: null };
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

  #get({ sql, kind }: SqlText): Prepared {
    return this.#prepared.get(sql, () => {
      const statement = this.#database.prepare(sql);
      const returnsRows = statement.columns().length > 0;
      statement.setAllowBareNamedParameters(false);
      statement.setReturnArrays(true);
      // What has changed something cannot be run again for its large integers, as what only reads can.
      statement.setReadBigInts(kind !== 'read');
      return { statement, returnsRows, isFixed: !/(?<!\()\*/.test(sql), columns: undefined };
    });
  }
}

/**
 * Rows as lists of values. Reading integers as bigint takes longer, so only what meets one beyond 2^53 does, from the start.
 */
function readRows(
  text: SqlText,
  statement: StatementSync,
  values: BoundValue[],
  take: 'all' | 'first',
): BoundValue[][] {
  const input = toInput(text, values);
  // The cast is what `setReturnArrays` promises.
  const read = () => (take === 'all' ? statement.all(...input) : firstOf(statement.get(...input)));
  try {
    const rows = read() as unknown as BoundValue[][];
    if (text.kind !== 'read' || !rows.some((row) => row.includes(leastInteger))) return rows;
  } catch (error) {
    if (text.kind !== 'read' || !isOutOfRange(error)) throw error;
  }
  statement.setReadBigInts(true);
  return read() as unknown as BoundValue[][];
}

/** The one beyond 2^53 that the driver does not refuse to give as a number: it asks for the size, and this has no positive. */
const leastInteger = -(2 ** 63);

function isOutOfRange(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
}

/** `get` gives undefined where there is no row. */
function firstOf(row: unknown): readonly unknown[] {
  return row === undefined ? [] : [row];
}

function columnsOf(statement: StatementSync): readonly string[] {
  return statement.columns().map(({ name }) => name);
}

/** The driver binds what has a name by an object. What stands at no place of the statement is bound to none. */
function toInput({ names }: SqlText, values: BoundValue[]): SQLInputValue[] {
  if (!names) return values;
  const named: Record<string, BoundValue> = {};
  for (let i = 0; i < values.length; i++) {
    const [name, value = null] = [names[i], values[i]];
    if (name !== undefined) named[name] = value;
  }
  return [named] as unknown as SQLInputValue[];
}
