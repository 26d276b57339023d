import type { Field } from '../fields/field.ts';
import type { SqlRuleFault } from '../sql-rules.ts';
import { type Affinity, affinityOf, contradicts } from './column-type.ts';
import { quote } from './quote.ts';
import { givenFields, type RowTable } from './row-table.ts';

/** A column as the database has it. */
export interface Column {
  /** As SQL compares names: in small letters. */
  readonly name: string;
  readonly written: string;
  /** In small letters, empty where there is none. */
  readonly type: string;
  /** Its position in the primary key, from 1. */
  readonly key: number;
  /** It is never null, and nothing fills it in. */
  readonly mustBeGiven: boolean;
  readonly isComputed: boolean;
  /** It is the number that SQLite gives each new row. */
  readonly isRowNumber: boolean;
  /** Of a STRICT table. */
  readonly isStrict: boolean;
}

/**
 * Finds what is certain to keep rows from being stored, or from being read as they were given.
 *
 * @param change how a table is changed: `run:`
 */
export function compareColumns(
  rowTable: RowTable,
  columns: readonly Column[],
  change: string,
): readonly SqlRuleFault[] {
  return columns.flatMap((column) => [
    ...compareGiving(rowTable, column, change),
    ...compareType(rowTable, column),
  ]);
}

/** Whether a new row has a value for a column that must have one, and none for one that is computed. */
function compareGiving(rowTable: RowTable, column: Column, change: string): readonly SqlRuleFault[] {
  const { table, onInsert, isDrizzle } = rowTable;
  const { name, written, key, mustBeGiven, isComputed } = column;
  if (key > 0) return [];
  const field = givenFields(rowTable).find((one) => columnName(one) === name);
  const isFilled = onInsert.some((filling) => filling.column.toLowerCase() === quote(name));
  const isAlwaysGiven = isFilled || (field !== undefined && !(field.optional && field.default === undefined));
  const code = 'resource-new-row';
  if (isComputed && isAlwaysGiven) {
    const rule = `the database computes "${written}" of the table ${table}, and every new row would give it`;
    const fix = isDrizzle
      ? 'declare it with generatedAlwaysAs'
      : `let it be left out: ${field?.name ?? written}: Type.Optional(…)`;
    return [{ code, rule, fix }];
  }
  if (!mustBeGiven || isAlwaysGiven) return [];
  const never = `"${written}" of the table ${table} is never null and has no default`;
  if (field) {
    const rule = `${never}, and its field may be left out`;
    const fix = isDrizzle
      ? 'declare it with notNull, or with a default'
      : 'let it be given, or give it a default';
    return [{ code, rule, fix }];
  }
  const drop = `${change} alter table ${table} drop column ${quote(written)}`;
  const fix = isDrizzle
    ? `declare it in the table, or ${drop}`
    : `write ${written}: '${words[affinityOf(column.type)]}', or ${drop}`;
  return [{ code, rule: `${never}, and no field gives it`, fix }];
}

/** Whether a column keeps what its field takes. What the database computes is nothing that was stored. */
function compareType(rowTable: RowTable, column: Column): readonly SqlRuleFault[] {
  const { table, tableColumns, isDrizzle, keyIsGenerated } = rowTable;
  const { name, written, type, key, isComputed, isStrict } = column;
  // Of a key that the database gives it is said that it must be an integer.
  if (key > 0 && keyIsGenerated) return [];
  const kept = tableColumns.find((one) => one.name.toLowerCase() === name)?.kept;
  if (!kept || isComputed || !contradicts(kept.form, type, isStrict)) return [];
  const rule = `"${written}" of the table ${table} is ${type}, and ${isDrizzle ? 'its declaration' : 'its field'} is ${kept.declared}`;
  const word = words[affinityOf(type)];
  const declare = isDrizzle ? 'declare what is there' : `write ${written}: '${word}'`;
  return [
    {
      code: 'resource-column-type',
      rule,
      fix: `${declare}, or move the rows to a table where "${written}" is ${kept.form === 'json' ? 'text' : kept.form}`,
    },
  ];
}

/** The type of field that any value of a column has a form in. */
const words: Readonly<Record<Affinity, string>> = {
  integer: 'integer',
  real: 'number',
  text: 'string',
  blob: 'string',
  numeric: 'string',
};

function columnName({ name, column }: Field): string {
  return (column?.name ?? name).toLowerCase();
}
