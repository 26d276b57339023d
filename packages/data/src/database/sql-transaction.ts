import type { Values } from '@waymark/contract';
import type { Transaction } from '@waymark/contract/stores';
import type { Arguments } from './bind.ts';
import { type SqlResult, toRecords } from './sql-result.ts';

/** SQL statement with the values of its placeholders, by position or by name. */
export interface Statement {
  readonly sql: string;
  readonly args?: Arguments;
  /**
   * Hint about the rows that are wanted; default: all. `first`: the caller reads the first row only, and further ones may
   * come or not. `one`: the statement gives one row at most.
   */
  readonly rows?: 'first' | 'one';
}

/** What a `SqlTransaction` runs its statements with. */
export interface TransactionParts {
  readonly run: (statement: Statement) => Promise<SqlResult>;
  readonly runAll: (statements: readonly Statement[]) => Promise<void>;
  /** Runs what sets, keeps or undoes a savepoint. */
  readonly mark: (sql: string) => Promise<void>;
}

/** Open transaction, valid until the function that got it from `SqlDatabase.transaction` settles. */
export class SqlTransaction {
  readonly #open: TransactionParts;
  #depth = 0;

  constructor(open: TransactionParts) {
    this.#open = open;
  }

  /** Gives the transaction behind a `handle`. @throws {TypeError} the handle is of another package */
  static of(handle: Transaction): SqlTransaction {
    const transaction: unknown = handle;
    if (!(transaction instanceof SqlTransaction)) throw new TypeError('a transaction of another package');
    return transaction;
  }

  /** Opaque handle to pass to other packages: `step.record(result, transaction.handle)`. */
  get handle(): Transaction {
    // Opaque to everybody else: the contract's type has no members that could be used.
    return this as unknown as Transaction;
  }

  /** Runs one statement. One that fails undoes itself alone, and the transaction goes on. */
  run(sql: string, args: Arguments = []): Promise<SqlResult> {
    return this.#open.run({ sql, args });
  }

  /**
   * Runs statements without values one after another, for what they change: one trip to a server. Those before one that fails
   * stay done until the transaction ends.
   */
  runAll(statements: readonly string[]): Promise<void> {
    return this.#open.runAll(statements.map((sql) => ({ sql })));
  }

  /** Reads the rows of one statement as objects by column. */
  async many(sql: string, args: Arguments = []): Promise<readonly Values[]> {
    return toRecords(await this.#open.run({ sql, args }));
  }

  /** Runs a function whose statements are undone together when it throws, while the transaction goes on. */
  async nested<T>(body: () => Promise<T>): Promise<T> {
    const name = `svc_nested_${this.#depth++}`;
    try {
      await this.#open.mark(`savepoint ${name}`);
      const result = await body().catch(async (error: unknown) => {
        await this.#open.mark(`rollback to ${name}`);
        await this.#open.mark(`release ${name}`);
        throw error;
      });
      await this.#open.mark(`release ${name}`);
      return result;
    } finally {
      this.#depth--;
    }
  }
}
