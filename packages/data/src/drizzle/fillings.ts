import { quote } from '../resource/quote.ts';
import type { Filling } from '../resource/row-table.ts';
import type { DrizzleColumn } from './drizzle-table.ts';
import { isExpression, renderSql } from './render-sql.ts';

/** Whether a row may be made without a value of this column. */
export function mayBeLeftOut(column: DrizzleColumn): boolean {
  return !column.notNull || column.generated !== undefined || insertFilling('', column) !== undefined;
}

/** The value that a column has where nobody gives one; undefined where that is none, or is made anew each time. */
export function literalOf({ default: fallback }: DrizzleColumn): unknown {
  return fallback === null || isExpression(fallback) ? undefined : fallback;
}

/** What goes into a new row where nobody gives it, in the order in which drizzle-orm looks for it. */
export function insertFilling(name: string, column: DrizzleColumn): Filling | undefined {
  const { default: fallback, defaultFn, onUpdateFn } = column;
  if (fallback !== undefined && fallback !== null) return filling(name, column, () => fallback);
  const make = defaultFn ?? onUpdateFn;
  return make && filling(name, column, make);
}

/** What goes into a row that changes where nobody gives it. */
export function updateFilling(name: string, column: DrizzleColumn): Filling | undefined {
  return column.onUpdateFn && filling(name, column, column.onUpdateFn);
}

function filling(name: string, column: DrizzleColumn, make: () => unknown): Filling {
  return {
    ...{ name, column: quote(column.name) },
    fill() {
      const value = make();
      if (isExpression(value)) return { sql: `(${renderSql(value)})`, args: [] };
      return {
        sql: '?',
        args: [value === null || value === undefined ? null : column.mapToDriverValue(value)],
      };
    },
  };
}
