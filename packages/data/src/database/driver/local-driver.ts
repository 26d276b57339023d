import { setTimeout as sleep } from 'node:timers/promises';
import { SqlFault, toSqlFault } from '../sql-fault.ts';
import type { SqlResult } from '../sql-result.ts';
import type { SqlText } from '../sql-text.ts';
import { unavailable } from '../to-db-error.ts';
import type { Connection } from './connection.ts';
import { withDeadline } from './deadline.ts';
import type {
  BoundStatement,
  Driver,
  OnStatement,
  OpenTransaction,
  Synchronous,
  TransactionKept,
} from './driver.ts';
import { runAll } from './run-group.ts';
import { runScript } from './run-script.ts';
import type { Script } from './script.ts';
import type { SignalGiver } from './signal-giver.ts';
import type { ThreadWriter } from './thread-writer.ts';
import { whenUnlocked } from './when-unlocked.ts';
import type { AloneJob, GroupJob, WriteQueue } from './write-queue.ts';
import type { Writer } from './writer.ts';

/** What a `LocalDriver` works with. */
export interface LocalParts {
  readonly connection: Connection;
  readonly writer: Writer;
  /** Writes what has to outlast the end of the power, on a thread; none where nothing does. */
  readonly aside?: ThreadWriter | undefined;
  /** Opens the connection that reads and never writes; none in memory, which has one connection. */
  readonly openReader?: () => Connection;
  /** Opens one more that writes, for a script: what is set for that is set for nobody else; none in memory. */
  readonly openWriter?: () => Connection;
  readonly queue: WriteQueue;
  /** The most that writes outlast. */
  readonly synchronous: Synchronous;
  /** How long a transaction may stay open. */
  readonly transactionMs: number;
  readonly onStatement: OnStatement;
  /** Whose the write or the transaction is that is asked for now. */
  readonly callerOf?: (() => unknown) | undefined;
  /** Called when it is closed: ends what else was opened over the file. */
  readonly onClose?: () => Promise<void>;
}

/** How often a read is tried again that met a lock. */
const mostReads = 5;

/** A database of this machine, in a file or in memory: one connection that writes, one that reads. */
export class LocalDriver implements Driver {
  readonly kind: 'file' | 'memory';
  readonly #parts: LocalParts;
  readonly #reader: Connection | undefined;
  #closed = false;
  /** In memory: the transaction that readers wait for, since they share its connection. */
  #open: Promise<unknown> | undefined;

  constructor(parts: LocalParts) {
    this.#parts = parts;
    this.#reader = parts.openReader?.();
    this.kind = this.#reader ? 'file' : 'memory';
  }

  async read(statements: readonly BoundStatement[], signal?: AbortSignal): Promise<readonly SqlResult[]> {
    for (let tries = 0; ; tries++) {
      signal?.throwIfAborted();
      while (this.#open && !this.#reader) await this.#open;
      const now = this.#read(statements, tries >= mostReads);
      if (now) return now;
      await sleep(20, undefined, signal ? { signal } : {});
    }
  }

  readNow(statements: readonly BoundStatement[]): readonly SqlResult[] | undefined {
    return this.#open && !this.#reader ? undefined : this.#read(statements, false);
  }

  /** Undefined when another process repairs the log, which is rare and takes a moment. */
  #read(statements: readonly BoundStatement[], isLast: boolean): readonly SqlResult[] | undefined {
    this.#checkOpen();
    if (!this.#reader) return this.#readMemory(statements);
    try {
      return this.#runRead(this.#reader, statements);
    } catch (error) {
      if (isLast || !toSqlFault(error)?.code.startsWith('SQLITE_BUSY')) throw error;
      return undefined;
    }
  }

  write(
    statements: readonly BoundStatement[],
    signal?: AbortSignal | SignalGiver,
    synchronous: Synchronous = 'full',
  ): Promise<readonly SqlResult[]> {
    return new Promise((resolve, reject) => {
      const changesSchema = statements.some(({ text }) => text.kind === 'schema');
      const job: GroupJob = {
        mode: 'group',
        synchronous: this.#parts.synchronous === 'normal' ? 'normal' : synchronous,
        caller: this.#parts.callerOf?.(),
        statements,
        done: (results) => {
          if (changesSchema) this.#forgetStatements();
          resolve(results);
        },
        failed: reject,
      };
      this.#parts.queue.add(job, signal);
    });
  }

  transaction<T>(
    body: (open: OpenTransaction) => Promise<T>,
    signal?: AbortSignal,
    { synchronous = this.#parts.synchronous, openMs = this.#parts.transactionMs }: TransactionKept = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      let result: T;
      let end = (): void => undefined;
      const job: AloneJob = {
        mode: 'alone',
        synchronous,
        caller: this.#parts.callerOf?.(),
        work: async (writer) => {
          this.#open = new Promise((ended) => {
            end = () => {
              this.#open = undefined;
              ended(undefined);
            };
          });
          result = await this.#runBody(writer, body, openMs, signal);
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

  async script(script: Script): Promise<void> {
    this.#checkOpen();
    const { openWriter, connection } = this.#parts;
    while (this.#open && !openWriter) await this.#open;
    const own = openWriter ? await whenUnlocked(script.waitMs, openWriter) : connection;
    try {
      await whenUnlocked(script.waitMs, () => runScript(own, script));
    } finally {
      if (own !== connection) own.close();
      this.#forgetStatements();
    }
  }

  async columns(text: SqlText): Promise<readonly string[]> {
    this.#checkOpen();
    return (this.#reader ?? this.#parts.connection).columns(text);
  }

  async close(): Promise<void> {
    await this.#parts.queue.close();
    await this.#parts.onClose?.();
    this.#closed = true;
    await this.#parts.aside?.close();
    this.#reader?.close();
    if (this.#reader) this.#putLogBack();
    this.#parts.connection.close();
  }

  /** Others may still have the file open; whoever copies it meanwhile finds all of it in one piece. */
  #putLogBack(): void {
    try {
      this.#parts.connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Another process reads or writes: it puts the log back when it ends.
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw unavailable('is closed');
  }

  async #runBody<T>(
    writer: Writer,
    body: (open: OpenTransaction) => Promise<T>,
    openMs: number,
    signal?: AbortSignal,
  ): Promise<T> {
    let ended = false;
    const checkOpen = (): void => {
      if (ended) throw new SqlFault('ENDED');
    };
    const open: OpenTransaction = {
      run: async (statement) => {
        checkOpen();
        const result = await writer.run(statement);
        if (statement.text.kind === 'schema') this.#forgetStatements();
        return result;
      },
      runAll: async (statements) => {
        checkOpen();
        await writer.runScript(statements);
        this.#forgetStatements();
      },
    };
    try {
      return await withDeadline(body(open), openMs, signal);
    } finally {
      ended = true;
    }
  }

  /** It shares its connection with whoever writes. */
  #readMemory(statements: readonly BoundStatement[]): readonly SqlResult[] {
    const { connection } = this.#parts;
    connection.exec('PRAGMA query_only = ON');
    try {
      return this.#runRead(connection, statements);
    } finally {
      connection.exec('PRAGMA query_only = OFF');
    }
  }

  /** Several statements see one state of the database. */
  #runRead(connection: Connection, statements: readonly BoundStatement[]): readonly SqlResult[] {
    const { onStatement } = this.#parts;
    if (statements.length === 1) return runAll(connection, statements, onStatement);
    connection.exec('BEGIN');
    try {
      return runAll(connection, statements, onStatement);
    } finally {
      if (connection.inTransaction) connection.exec('ROLLBACK');
    }
  }

  /** The schema has changed through one of the connections. */
  #forgetStatements(): void {
    this.#reader?.forgetStatements();
    this.#parts.writer.forgetStatements();
    this.#parts.aside?.forgetStatements();
  }
}
