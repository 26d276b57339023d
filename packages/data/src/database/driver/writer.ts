import type { Awaitable } from '@waymark/contract/engine';
import { SqlFault } from '../sql-fault.ts';
import type { SqlResult } from '../sql-result.ts';
import type { SqlText } from '../sql-text.ts';
import type { Connection } from './connection.ts';
import type { BoundStatement, OnStatement } from './driver.ts';
import { type GroupOutcome, runGroup, runOne } from './run-group.ts';

/**
 * Writes to a local database, one thing after another: here, where nothing waits for the disk, or on a thread that does. What
 * it throws has not been mapped yet.
 */
export interface Writer {
  /** A group of writes in one transaction. */
  group(works: readonly (readonly BoundStatement[])[]): Awaitable<GroupOutcome>;
  /** Begins a transaction. @throws when the database is locked */
  begin(): Awaitable<void>;
  /** In the transaction that is open. @throws {SqlFault} `ENDED` when none is */
  run(statement: BoundStatement): Awaitable<SqlResult>;
  runScript(statements: readonly SqlText[]): Awaitable<void>;
  /** @returns whether anything had to be written */
  commit(): Awaitable<boolean>;
  rollBack(): Awaitable<void>;
  /** Another connection has changed the schema. */
  forgetStatements(): void;
}

/** A writer over a connection of this thread. */
export class DirectWriter implements Writer {
  readonly #connection: Connection;
  readonly #onStatement: OnStatement;

  constructor(connection: Connection, onStatement: OnStatement) {
    this.#connection = connection;
    this.#onStatement = onStatement;
  }

  group(works: readonly (readonly BoundStatement[])[]): GroupOutcome {
    return runGroup(this.#connection, works, this.#onStatement);
  }

  begin(): void {
    try {
      this.#connection.begin();
    } catch (error) {
      this.#connection.rollBack();
      throw error;
    }
  }

  run(statement: BoundStatement): SqlResult {
    this.#checkOpen();
    return runOne(this.#connection, statement, this.#onStatement);
  }

  runScript(statements: readonly SqlText[]): void {
    this.#checkOpen();
    const [first] = statements;
    if (!first) return;
    const startMs = performance.now();
    this.#connection.runScript(statements);
    this.#onStatement(first, performance.now() - startMs);
  }

  commit(): boolean {
    this.#checkOpen();
    this.#connection.exec('COMMIT');
    return this.#connection.hasChanged;
  }

  rollBack(): void {
    this.#connection.rollBack();
  }

  forgetStatements(): void {
    this.#connection.forgetStatements();
  }

  /** SQLite undoes a transaction by itself when it must; what would run then would be stored alone. */
  #checkOpen(): void {
    if (!this.#connection.inTransaction) throw new SqlFault('ENDED');
  }
}
