import type { Values } from '@waymark/contract';
import type { BoundValue } from './bind.ts';

/** Value as it is read from a column. Integers up to 2^53 are numbers, larger ones bigints. */
export type SqlValue = null | string | number | bigint | Uint8Array;

/** Result of one statement: its rows, or what it changed. */
export interface SqlResult {
  readonly columns: readonly string[];
  /** Values of each row, in the order of `columns`. */
  readonly rows: readonly (readonly SqlValue[])[];
  /** Rows inserted, changed or deleted; with `RETURNING`, rows returned. */
  readonly affected: number;
  /** The rowid of the row inserted last; null when the statement returns rows. */
  readonly lastInsertId: number | bigint | null;
}

/** Why a number is not kept: an integer would be rounded, an infinite one become null. */
export type UnkeptNumber = 'integer' | 'infinite';

/** A number that JavaScript or JSON would make another value of: it is refused, never changed. */
export class UnkeptNumberError extends Error {
  override readonly name = 'UnkeptNumberError';
  readonly column: string | undefined;
  readonly kind: UnkeptNumber;

  /** @param column undefined where a server does not say which */
  constructor(column: string | undefined, kind: UnkeptNumber) {
    const [its, quoted] = column === undefined ? ['a column', '…'] : [`column "${column}"`, `"${column}"`];
    super(
      kind === 'integer'
        ? `${its} holds an integer beyond 2^53; select cast(${column ?? '…'} as text)`
        : `${its} holds a number beyond 1.8e308, of which JSON makes null; select cast(${quoted} as text)`,
    );
    this.column = column;
    this.kind = kind;
  }
}

/** A column whose values would be lost: written to an object it becomes its prototype, or nothing. */
export const lostColumn = '__proto__';

/** @throws there is a `lostColumn`: as a member, whoever reads the JSON and copies it would lose it, or worse */
export function checkNames(columns: readonly string[]): void {
  if (columns.includes(lostColumn))
    throw new Error(`column "${lostColumn}" cannot be a member of a row; select it as another name`);
}

/** The rows as objects. Of two columns with one name, the last counts. @throws {Error} one is called `__proto__` */
export function toRecords({ columns, rows }: Pick<SqlResult, 'columns' | 'rows'>): Values[] {
  checkNames(columns);
  return rows.map((row) => {
    const record: Record<string, SqlValue> = {};
    for (let i = 0; i < columns.length; i++) record[columns[i] ?? ''] = row[i] ?? null;
    return record;
  });
}

/** A rowid as a number, where that holds it. */
export function toNumber(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/**
 * Integers as numbers, in place: rows come fresh from a driver that gives bigint where a number could not hold it.
 *
 * @throws {UnkeptNumberError} also of an infinite number: as a value to be stored it is refused, too
 */
export function narrowNumbers(columns: readonly string[], rows: BoundValue[][]): SqlValue[][] {
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) {
      const value = row[i];
      if (typeof value === 'bigint') row[i] = narrowInteger(value, columns[i] ?? '');
      else if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
        throw new UnkeptNumberError(columns[i] ?? '', 'infinite');
    }
  }
  return rows;
}

function narrowInteger(value: bigint, column: string): number {
  const narrowed = Number(value);
  if (!Number.isSafeInteger(narrowed)) throw new UnkeptNumberError(column, 'integer');
  return narrowed;
}
