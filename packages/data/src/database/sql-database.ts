import { AsyncLocalStorage } from 'node:async_hooks';
import { HTTPError, type Values } from '@waymark/contract';
import type { Database, Log, Trouble } from '@waymark/contract/engine';
import { type Arguments, bindAll } from './bind.ts';
import { BoundedCache } from './bounded-cache.ts';
import type {
  BoundStatement,
  Driver,
  OpenTransaction,
  Synchronous,
  TransactionKept,
} from './driver/driver.ts';
import type { Script } from './driver/script.ts';
import type { SignalGiver } from './driver/signal-giver.ts';
import { toSqlFault } from './sql-fault.ts';
import { type SqlResult, toRecords } from './sql-result.ts';
import { parseSql, type SqlText, SqlTextError } from './sql-text.ts';
import { SqlTransaction, type Statement } from './sql-transaction.ts';
import { toDbError } from './to-db-error.ts';
import { DatabaseTroubles } from './watch/database-troubles.ts';

/** Result of `SqlDatabase.check`: the kind, parameters and columns of a statement, or the problem with it. */
export type CheckedSql = Awaited<ReturnType<Database['check']>>;

/** Parts of a `SqlDatabase`. */
export interface SqlDatabaseParts {
  readonly kind: Driver['kind'];
  readonly log: Log;
  readonly connect: () => Promise<Driver>;
  /** Path of a file. */
  readonly file?: string;
  /** Told what statements meet. */
  readonly troubles?: DatabaseTroubles;
}

/** Statements whose text is kept in read form. */
const keptTexts = 500;

/**
 * SQL database: a file, memory, or a remote server. `declareDatabase` and `openDatabase` make one.
 *
 * Its methods throw an `HTTPError` that may be answered to callers, or a mistake of the program. What is logged never
 * holds the values of a statement.
 */
export class SqlDatabase implements Database {
  readonly kind: 'file' | 'memory' | 'remote';
  /** Path of the file; undefined for memory and remote databases. */
  readonly file: string | undefined;
  readonly #connect: () => Promise<Driver>;
  readonly #log: Log;
  readonly #troubles: DatabaseTroubles;
  #users = 0;
  #opening: Promise<Driver> | undefined;
  #opened: Driver | undefined;
  readonly #texts = new BoundedCache<SqlText>(keptTexts);
  // Work that a transaction left behind runs in its context, too: only an open one counts.
  readonly #inside = new AsyncLocalStorage<{ open: boolean }>();

  constructor({ kind, log, connect, file, troubles = new DatabaseTroubles(file) }: SqlDatabaseParts) {
    this.kind = kind;
    this.file = file;
    this.#connect = connect;
    this.#log = log;
    this.#troubles = troubles;
  }

  /**
   * What is known to keep the database from being used: its file is gone, its disk full, its server out of reach. Empty
   * while all is well; looks nothing up.
   */
  troubles(): readonly Trouble[] {
    return this.#troubles.list;
  }

  /**
   * Opens the database, or shares it when it is open already, as one from `openDatabase` is. Each `open` needs its own
   * `close`.
   *
   * @throws {DeclarationError} the same as `openDatabase`; `open` may be tried again
   */
  async open(): Promise<void> {
    this.#users++;
    try {
      this.#opening ??= this.#connect();
      this.#opened = await this.#opening;
    } catch (error) {
      this.#users--;
      this.#opening = undefined;
      throw error;
    }
  }

  /** Reads the rows of one statement as objects by column. Does not wait for writers. */
  async many(sql: string, params: Arguments = [], signal?: AbortSignal): Promise<readonly Values[]> {
    const [result] = await this.read([{ sql, args: params }], signal);
    return result ? toRecords(result) : [];
  }

  /**
   * Runs statements that read, all on one state of the database.
   *
   * @throws {HTTPError} 422 bad values · 503 out of reach
   */
  read(statements: readonly Statement[], signal?: AbortSignal): Promise<readonly SqlResult[]> {
    return this.#guard(statements, () =>
      this.#hear(this.#driver.read(this.#bindReading(statements), signal)),
    );
  }

  /**
   * What `read` gives, at once: undefined where something has to be waited for. A database of this machine answers before
   * anybody could give up.
   */
  readNow(statements: readonly Statement[]): readonly SqlResult[] | undefined {
    this.#refuseInside();
    const driver = this.#driver;
    if (!driver.readNow) return undefined;
    try {
      return driver.readNow(this.#bindReading(statements));
    } catch (error) {
      throw this.#toAnswer(statements, error);
    }
  }

  /**
   * Runs statements in one commit, all or none; settles when they are stored.
   *
   * @param signal withdraws the statements while they wait for their turn; whatever has one is asked for it when they wait
   * @param synchronous for a file: `normal` gives up durability over a power cut for this write; default: the option
   * of the database
   * @throws {HTTPError} 409 a constraint · 422 bad values · 503 busy for too long, full, out of reach
   */
  write(
    statements: readonly Statement[],
    signal?: AbortSignal | SignalGiver,
    synchronous?: Synchronous,
  ): Promise<readonly SqlResult[]> {
    return this.#guard(statements, () =>
      this.#hear(this.#driver.write(this.#bind(statements), signal, synchronous)),
    );
  }

  /**
   * Runs statements of unknown kind: as `read` when all of them read, else as `write`.
   *
   * @internal
   */
  run(statements: readonly Statement[]): Promise<readonly SqlResult[]> {
    return statements.every(({ sql }) => this.#text(sql).kind === 'read')
      ? this.read(statements)
      : this.write(statements);
  }

  /**
   * Runs a function while nothing else writes; commits when it resolves, and undoes everything when it throws.
   *
   * Await nothing but the transaction in it: all writers wait meanwhile, and after `transactionMs` (default 5 s) it is
   * undone with a 503. Using the database itself inside is refused, as it would wait for its own transaction.
   *
   * @param kept where this one is kept otherwise than all
   */
  async transaction<T>(
    body: (transaction: SqlTransaction) => Promise<T>,
    signal?: AbortSignal,
    kept?: TransactionKept,
  ): Promise<T> {
    this.#refuseInside();
    const state: { open: boolean; thrown?: unknown } = { open: true };
    // It runs when its turn comes, in a queue that somebody else may have set going.
    const inCallersContext = AsyncLocalStorage.snapshot();
    const work = async (open: OpenTransaction): Promise<T> => {
      const transaction = new SqlTransaction({
        run: (statement) => this.#map([statement], () => open.run(this.#bindOne(statement))),
        runAll: (statements) =>
          this.#map(statements, () => open.runAll(this.#bind(statements).map(({ text }) => text))),
        mark: (sql) => this.#map([], async () => void (await open.run({ text: parseSql(sql), values: [] }))),
      });
      try {
        return await inCallersContext(() => this.#inside.run(state, () => body(transaction)));
      } catch (error) {
        state.thrown = error;
        throw error;
      } finally {
        state.open = false;
      }
    };
    try {
      return await this.#hear(this.#driver.transaction(work, signal, kept));
    } catch (error) {
      // What the function throws is its own affair, also when it looks like trouble with a server.
      throw error === state.thrown ? error : this.#toAnswer([], error);
    }
  }

  /**
   * Runs statements of a file in one transaction, or nothing of them.
   *
   * @throws {ScriptFault} it was undone
   * @internal
   */
  script(script: Script): Promise<void> {
    this.#refuseInside();
    return this.#hear(this.#driver.script(script));
  }

  /**
   * Checks a statement without running it: its tables and columns must exist. A remote database does not tell the
   * columns of the result.
   */
  async check(sql: string): Promise<CheckedSql> {
    try {
      const text = this.#text(sql);
      const { kind, parameters } = text;
      return { ok: true, reads: kind === 'read', parameters, columns: await this.#driver.columns(text) };
    } catch (error) {
      const mapped = toDbError(error);
      if (mapped instanceof HTTPError) throw mapped;
      // No values are bound, so the driver's own words say nothing but what the SQL says.
      return { ok: false, problem: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Closes the database once every `open` was closed: takes nothing more, and lets writes that wait finish. */
  async close(): Promise<void> {
    if (this.#users === 0 || --this.#users > 0) return;
    const opening = this.#opening;
    this.#opening = undefined;
    // Not awaited when it is open: what comes right after is refused.
    const driver = this.#opened ?? (await opening);
    await driver?.close();
  }

  get #driver(): Driver {
    if (!this.#opened) throw new Error('the database is not open: that is done when the application starts');
    return this.#opened;
  }

  /** A server that answers can be reached; of a file, its queue knows more. */
  #hear<T>(answer: Promise<T>): Promise<T> {
    return this.kind === 'remote' ? this.#heard(answer) : answer;
  }

  async #heard<T>(answer: Promise<T>): Promise<T> {
    const answered = await answer;
    this.#troubles.worked(true);
    return answered;
  }

  #bind(statements: readonly Statement[]): readonly BoundStatement[] {
    return statements.map((statement) => this.#bindOne(statement));
  }

  #bindReading(statements: readonly Statement[]): readonly BoundStatement[] {
    const bound = this.#bind(statements);
    for (const { text } of bound) if (text.kind !== 'read') throw new SqlTextError('does not only read');
    return bound;
  }

  #bindOne({ sql, args, rows }: Statement): BoundStatement {
    const text = this.#text(sql);
    const values = bindAll(text, args);
    // Of a statement that changes something, all rows are counted.
    const first = rows === 'one' || (rows === 'first' && text.kind === 'read');
    return first ? { text, values, rows: 'first' } : { text, values };
  }

  #text(sql: string): SqlText {
    return this.#texts.get(sql, (source) => {
      const text = parseSql(source);
      if (text.kind === 'control')
        throw new SqlTextError(
          `begins with ${text.verb}; only SELECT, INSERT, UPDATE, DELETE and DDL run here`,
        );
      return text;
    });
  }

  async #guard<T>(statements: readonly Statement[], work: () => Promise<T>): Promise<T> {
    this.#refuseInside();
    return this.#map(statements, work);
  }

  #refuseInside(): void {
    if (this.#inside.getStore()?.open)
      throw new Error('inside a transaction, use the transaction and not the database');
  }

  async #map<T>(statements: readonly Statement[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#toAnswer(statements, error);
    }
  }

  #toAnswer(statements: readonly Statement[], error: unknown): unknown {
    const mapped = toDbError(error);
    const fault = toSqlFault(error);
    if (fault) this.#troubles.met(fault);
    if (fault && mapped !== error) this.#report(statements, fault.message, mapped);
    return mapped;
  }

  #report(statements: readonly Statement[], fault: string, mapped: unknown): void {
    const status = mapped instanceof HTTPError ? mapped.status : 500;
    const level = status < 500 ? 'debug' : status === 503 ? 'warn' : 'error';
    const sql = statements.map(({ sql }) => sql).join('; ');
    this.#log(level, 'the database refused', { fault, ...(sql === '' ? {} : { sql: sql.slice(0, 2_000) }) });
  }
}
