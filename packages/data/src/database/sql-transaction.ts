import type { Values } from '@waymark/contract';
import type { Transaction } from '@waymark/contract/stores';
import type { Arguments } from './bind.ts';
import { type SqlResult, toRecords } from './sql-result.ts';

/** One SQL statement and its values, by position or by name. */
export interface Statement {
  readonly sql: string;
  readonly args?: Arguments;
  /**
   * `first`: of a statement that reads, rows after the first one are not asked for. They may come all the same. `one`:
   * there is one at most, of whatever statement.
   */
  readonly rows?: 'first' | 'one';
}

/** An open transaction. It ends with the function it was given to. */
export class SqlTransaction {
  readonly #run: (statement: Statement) => Promise<SqlResult>;

  constructor(run: (statement: Statement) => Promise<SqlResult>) {
    this.#run = run;
  }

  /** The transaction behind a handle that `handle` gave. */
  static of(handle: Transaction): SqlTransaction {
    const transaction: unknown = handle;
    if (!(transaction instanceof SqlTransaction)) throw new TypeError('a transaction of another package');
    return transaction;
  }

  /** What other packages hold: `step.record(result, transaction.handle)`. */
  get handle(): Transaction {
    // Opaque to everybody else: the contract's type has no members that could be used.
    return this as unknown as Transaction;
  }

  /** A statement that fails undoes itself alone; the transaction goes on. */
  run(sql: string, args: Arguments = []): Promise<SqlResult> {
    return this.#run({ sql, args });
  }

  async many(sql: string, args: Arguments = []): Promise<readonly Values[]> {
    return toRecords(await this.#run({ sql, args }));
  }
}
