import { type Json, Type } from '@waymark/contract';
import type { SqlValue } from '../database/sql-result.ts';
import type { FieldColumn, FieldKind } from '../fields/field.ts';
import { refused } from '../fields/stored.ts';
import { quote } from '../resource/quote.ts';
import type { DrizzleColumn } from './drizzle-table.ts';
import { toDecimal } from './to-decimal.ts';

/** What the values of a column are in JSON, and how they get there. */
export interface ColumnForm {
  /** Undefined: what is in the program says it, not the column. */
  readonly kind: FieldKind | undefined;
  /** Of a value that is not null; without what only one column of the kind has. */
  readonly schema: object;
  readonly stored?: Omit<FieldColumn, 'name'>;
}

/** The form of a column in JSON; undefined where it has none. */
export function formOf(name: string, column: DrizzleColumn): ColumnForm | undefined {
  const sqlName = quote(column.name);
  switch (column.columnType) {
    case 'SQLiteText':
      return { kind: 'string', schema: textSchema(column) };
    case 'SQLiteInteger':
      return { kind: 'integer', schema: Type.Integer() };
    case 'SQLiteReal':
      return { kind: 'number', schema: Type.Number() };
    case 'SQLiteBoolean':
      return { kind: 'boolean', schema: Type.Boolean() };
    case 'SQLiteTextJson':
      return { kind: 'json', schema: Type.Unknown() };
    case 'SQLiteBlobJson':
      return {
        ...{ kind: 'json', schema: Type.Unknown() },
        stored: { read: `cast(${sqlName} as text)`, write: 'cast(? as blob)' },
      };
    // It holds integers beyond 2^53, and decimals that are numbers there: so it is read in the form that it is wanted in.
    case 'SQLiteNumeric':
      return {
        ...{ kind: 'string', schema: Type.String() },
        stored: { read: `cast(${sqlName} as text)`, encode: (value) => toDecimal(name, value) },
      };
    case 'SQLiteNumericNumber':
      return { kind: 'number', schema: Type.Number(), stored: { read: `cast(${sqlName} as real)` } };
    case 'SQLiteTimestamp':
      return {
        ...{ kind: 'string', schema: Type.String({ format: 'date-time' }) },
        stored: toTimes(name, column),
      };
    case 'SQLiteCustomColumn':
      return { kind: undefined, schema: {}, stored: toCustom(column) };
    default:
      return undefined;
  }
}

function textSchema({ enumValues, length }: DrizzleColumn): object {
  // What is an enum by its type alone has no values.
  if (enumValues && enumValues.length > 0) return { type: 'string', enum: [...enumValues] };
  return length === undefined ? Type.String() : Type.String({ maxLength: length });
}

/** Times are text in JSON, as a `Date` becomes it, and a number in the database. */
function toTimes(name: string, column: DrizzleColumn): Omit<FieldColumn, 'name'> {
  return {
    encode(value) {
      const time = new Date(String(value));
      if (Number.isNaN(time.getTime())) throw refused(`/${name}`, 'must be a date and a time');
      return column.mapToDriverValue(time);
    },
    decode: (value) => toJson(column.mapFromDriverValue(value)),
  };
}

function toCustom(column: DrizzleColumn): Omit<FieldColumn, 'name'> {
  return {
    encode: (value) => column.mapToDriverValue(value),
    decode: (value: NonNullable<SqlValue>) => toJson(column.mapFromDriverValue(value)),
  };
}

/** As `JSON.stringify` writes it: a time that is none, of another writer, is null. */
function toJson(value: unknown): Json {
  return value instanceof Date ? value.toJSON() : (value as Json);
}
