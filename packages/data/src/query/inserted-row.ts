import type { SqlDatabase } from '../database/sql-database.ts';
import type { SqlResult } from '../database/sql-result.ts';
import type { SqlText } from '../database/sql-text.ts';
import type { Statement } from '../database/sql-transaction.ts';
import { quote } from '../resource/quote.ts';
import { type Rowid, rowidOf } from '../rowid-of.ts';
import { insertTarget } from './insert-target.ts';

/**
 * Tells which row a statement inserted last. SQLite goes on naming the one before it, whatever table that is in, after what
 * inserts none: a change, an upsert that found a row, an insert into a table without rowids or into a view.
 */
export class InsertedRow {
  readonly #table: string | undefined;
  /** Whether it may affect rows and insert none. */
  readonly #mayChange: boolean;
  #rowid: Rowid | undefined;
  /** Says which row was named last, and whether it is in the table. */
  #glance: Statement | undefined;

  constructor(text: SqlText) {
    this.#table = insertTarget(text);
    this.#mayChange = /\bconflict\b/i.test(text.sql);
  }

  /** Looks at the table, once it is there; until then no row is named. */
  async look(database: Pick<SqlDatabase, 'many'>): Promise<void> {
    if (this.#table === undefined) return;
    this.#rowid = await rowidOf(this.#table, database);
    const { name } = this.#rowid ?? {};
    if (!this.#mayChange || name === undefined) return;
    const found = `select 1 from ${quote(this.#table)} where ${name} = last_insert_rowid()`;
    this.#glance = { sql: `select cast(last_insert_rowid() as text), exists (${found})` };
  }

  /** The statement, and around one that may change rows what says whether the row named last is a new one. */
  around(statement: Statement): readonly Statement[] {
    return this.#glance ? [this.#glance, statement, this.#glance] : [statement];
  }

  /** @returns the rows that were affected, and the rowid of the one inserted last; null where none was, or beyond 2^53 */
  read(results: readonly SqlResult[]): { readonly affected: number; readonly id: number | null } {
    const [first, written, after] = results;
    const { affected = 0, lastInsertId = null } = written ?? first ?? {};
    const isNew = after ? isOther(first?.rows[0], after.rows[0]) : !this.#mayChange;
    const named = this.#rowid && affected > 0 && isNew ? lastInsertId : null;
    return { affected, id: typeof named === 'number' ? named : null };
  }
}

/** Whether the row named last is another one than before: another number, or the same of a row that was not there. */
function isOther(
  [lastBefore, wasThere]: SqlResult['rows'][number] = [],
  [last, isThere]: SqlResult['rows'][number] = [],
): boolean {
  return last !== lastBefore || (wasThere === 0 && isThere === 1);
}
