import { setTimeout as sleep } from 'node:timers/promises';
import { toSqlFault } from '../sql-fault.ts';
import type { SqlResult } from '../sql-result.ts';
import type { SqlText } from '../sql-text.ts';
import { unavailable } from '../to-db-error.ts';
import type { Connection } from './connection.ts';
import { withDeadline } from './deadline.ts';
import type { BoundStatement, Driver, OnStatement, OpenTransaction, Synchronous } from './driver.ts';
import type { WriteQueue } from './write-queue.ts';

/** What a `LocalDriver` works with. */
export interface LocalParts {
  readonly writer: Connection;
  /** Opens the connection that reads and never writes; none in memory, which has one connection. */
  readonly openReader?: () => Connection;
  readonly queue: WriteQueue;
  /** The most that writes outlast. */
  readonly synchronous: Synchronous;
  /** How long a transaction may stay open. */
  readonly transactionMs: number;
  readonly onStatement: OnStatement;
  /** Called when it is closed: ends what else was opened over the file. */
  readonly onClose?: () => Promise<void>;
}

/** A database of this machine, in a file or in memory: one connection that writes, one that reads. */
export class LocalDriver implements Driver {
  readonly kind: 'file' | 'memory';
  readonly #parts: LocalParts;
  #reader: Connection | undefined;
  #closed = false;
  /** In memory: the transaction that readers wait for, since they share its connection. */
  #open: Promise<unknown> | undefined;

  constructor(parts: LocalParts) {
    this.#parts = parts;
    this.#reader = parts.openReader?.();
    this.kind = this.#reader ? 'file' : 'memory';
  }

  async read(statements: readonly BoundStatement[], signal?: AbortSignal): Promise<readonly SqlResult[]> {
    signal?.throwIfAborted();
    this.#checkOpen();
    if (!this.#reader) return this.#readMemory(statements);
    try {
      return this.#runRead(this.#reader, statements);
    } catch (error) {
      if (!toSqlFault(error)?.code.startsWith('SQLITE_BUSY')) throw error;
    }
    // Rare: another process repairs the log. The statement that met it is stuck, so its connection goes.
    const stuck = this.#reader;
    this.#reader = this.#parts.openReader?.() ?? stuck;
    if (this.#reader !== stuck) stuck.close();
    await sleep(20, undefined, signal ? { signal } : {});
    this.#checkOpen();
    return this.#runRead(this.#reader, statements);
  }

  write(
    statements: readonly BoundStatement[],
    signal?: AbortSignal,
    synchronous: Synchronous = 'full',
  ): Promise<readonly SqlResult[]> {
    return new Promise((resolve, reject) => {
      let results: readonly SqlResult[] = [];
      const job = {
        mode: 'group' as const,
        synchronous: this.#parts.synchronous === 'normal' ? 'normal' : synchronous,
        work: (connection: Connection, only: boolean): void => {
          results = only ? this.#runAll(connection, statements) : this.#runWhole(connection, statements);
        },
        done: () => resolve(results),
        failed: reject,
      };
      this.#parts.queue.add(job, signal);
    });
  }

  transaction<T>(body: (open: OpenTransaction) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      let result: T;
      let end = (): void => undefined;
      const job = {
        mode: 'alone' as const,
        synchronous: this.#parts.synchronous,
        work: async (connection: Connection): Promise<void> => {
          this.#open = new Promise((ended) => {
            end = () => {
              this.#open = undefined;
              ended(undefined);
            };
          });
          result = await this.#runBody(connection, body, signal);
        },
        // Only now it is committed or undone, and may be seen.
        done: () => {
          end();
          resolve(result);
        },
        failed: (error: unknown) => {
          end();
          reject(error);
        },
      };
      this.#parts.queue.add(job, signal);
    });
  }

  async columns(text: SqlText): Promise<readonly string[]> {
    this.#checkOpen();
    return (this.#reader ?? this.#parts.writer).columns(text);
  }

  async close(): Promise<void> {
    await this.#parts.queue.close();
    await this.#parts.onClose?.();
    this.#closed = true;
    this.#reader?.close();
    if (this.#reader) this.#putLogBack();
    this.#parts.writer.close();
  }

  /** The driver lets go of a file some time later; whoever copies it meanwhile finds all of it in one piece. */
  #putLogBack(): void {
    try {
      this.#parts.writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Another process reads or writes: it puts the log back when it ends.
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw unavailable('is closed');
  }

  async #runBody<T>(
    connection: Connection,
    body: (open: OpenTransaction) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    let ended = false;
    const checkOpen = (): void => {
      if (ended || !connection.inTransaction) throw unavailable('has ended this transaction');
    };
    const open: OpenTransaction = {
      run: async (statement) => {
        checkOpen();
        return this.#runOne(connection, statement);
      },
      runAll: async (statements) => {
        checkOpen();
        this.#runScript(connection, statements);
      },
    };
    try {
      return await withDeadline(body(open), this.#parts.transactionMs, signal);
    } finally {
      ended = true;
    }
  }

  async #readMemory(statements: readonly BoundStatement[]): Promise<readonly SqlResult[]> {
    while (this.#open) await this.#open;
    this.#checkOpen();
    const { writer } = this.#parts;
    writer.exec('PRAGMA query_only = ON');
    try {
      return this.#runRead(writer, statements);
    } finally {
      writer.exec('PRAGMA query_only = OFF');
    }
  }

  /** Several statements see one state of the database. */
  #runRead(connection: Connection, statements: readonly BoundStatement[]): readonly SqlResult[] {
    if (statements.length === 1) return this.#runAll(connection, statements);
    connection.exec('BEGIN');
    try {
      return this.#runAll(connection, statements);
    } finally {
      if (connection.inTransaction) connection.exec('ROLLBACK');
    }
  }

  /** One statement is whole by itself; several, or one whose rows may be refused, are undone together. */
  #runWhole(connection: Connection, statements: readonly BoundStatement[]): readonly SqlResult[] {
    const [first] = statements;
    if (statements.length === 1 && first && !connection.returnsRows(first.text))
      return [this.#runOne(connection, first)];
    connection.exec('SAVEPOINT work');
    try {
      const results = this.#runAll(connection, statements);
      connection.exec('RELEASE work');
      return results;
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK TO work; RELEASE work');
      throw error;
    }
  }

  #runAll(connection: Connection, statements: readonly BoundStatement[]): readonly SqlResult[] {
    return statements.map((one) => this.#runOne(connection, one));
  }

  #runScript(connection: Connection, statements: readonly SqlText[]): void {
    const [first] = statements;
    if (!first) return;
    const startMs = performance.now();
    connection.runScript(statements);
    this.#parts.onStatement(first, performance.now() - startMs);
    this.#reader?.forgetStatements();
  }

  #runOne(connection: Connection, { text, values, rows }: BoundStatement): SqlResult {
    const startMs = performance.now();
    const result = connection.run(text, values, rows);
    this.#parts.onStatement(text, performance.now() - startMs);
    if (text.kind === 'schema') this.#reader?.forgetStatements();
    return result;
  }
}
