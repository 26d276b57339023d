import { type Field, type FieldKind, type Fields, toField } from '../fields/field.ts';
import { keyPattern, maxKeyLength } from '../key-pattern.ts';
import type { StoredForm } from './column-type.ts';
import { quote, quoteText } from './quote.ts';
import type { ResourceDeclaration } from './resource.ts';

/** A resource and its table, read. */
export interface RowTable {
  readonly name: string;
  readonly table: string;
  readonly key: Field;
  /** The database gives the key of a new row. */
  readonly keyIsGenerated: boolean;
  /** All of them, the key included, in the order in which rows show them. */
  readonly fields: readonly Field[];
  /** What rows are read with: the columns in the order of `fields`. */
  readonly columns: string;
  /** The statement that reads the row of a key. */
  readonly selectOne: string;
  /** Whether the schema of drizzle is where it is changed. */
  readonly isDrizzle: boolean;
  /** The columns that the table must have. */
  readonly tableColumns: readonly TableColumn[];
  /** The statements that make the table. */
  readonly creation: readonly string[];
  /** The tables that its rows refer to, and the statements that make them. */
  readonly references: readonly { readonly name: string; readonly creation: readonly string[] }[];
  /** What a new row holds where nothing is given. */
  readonly onInsert: readonly Filling[];
  /** What a row that changes holds where nothing is given. */
  readonly onUpdate: readonly Filling[];
}

/** A column that must be there. */
export interface TableColumn {
  readonly name: string;
  /** The SQL that adds it. */
  readonly add: string;
  /** What is stored in it, and as what it was declared; undefined where any type may do. */
  readonly kept?: { readonly form: StoredForm; readonly declared: string } | undefined;
}

/** What the program puts into a column where nobody gives it. */
export interface Filling {
  /** The field that nobody gave; of a column that is in no route, none has this name. */
  readonly name: string;
  /** As SQL writes it. */
  readonly column: string;
  /** One value, and the SQL that stands for it. */
  readonly fill: () => { readonly sql: string; readonly args: readonly unknown[] };
}

/** Reads a resource that is well declared. */
export function toRowTable({ name, options }: ResourceDeclaration): RowTable {
  const { table = name, primaryKey = 'id' } = options.given;
  const { fields: types } = options;
  const all: Fields = Object.hasOwn(types, primaryKey) ? types : { [primaryKey]: 'integer', ...types };
  const key = toKey(toField(primaryKey, all[primaryKey] ?? 'integer'));
  const fields = Object.entries(all).map(([field, type]) =>
    field === primaryKey ? key : toField(field, type),
  );
  return {
    ...toReadTable({ name, table: quote(table), key, keyIsGenerated: key.kind === 'integer', fields }),
    isDrizzle: false,
    tableColumns: fields.map((field) => ({
      ...{ name: field.name, add: addColumnSql(quote(table), field) },
      kept: { form: forms[field.kind], declared: field.kind },
    })),
    creation: [createTableSql(quote(table), fields, key)],
    references: [],
    onInsert: [],
    onUpdate: [],
  };
}

type ReadKeys = 'name' | 'table' | 'key' | 'keyIsGenerated' | 'fields';

/** How a table is read. */
export function toReadTable(
  table: Pick<RowTable, ReadKeys>,
): Pick<RowTable, ReadKeys | 'columns' | 'selectOne'> {
  const columns = table.fields.map((field) => field.column?.read ?? columnOf(field)).join(', ');
  const selectOne = `select ${columns} from ${table.table} where ${columnOf(table.key)} = ?`;
  return { ...table, columns, selectOne };
}

/** The column of a field, as SQL writes it. */
export function columnOf({ name, column }: Field): string {
  return quote(column?.name ?? name);
}

/** Characters that a request has room for in its path, and more: keys of other writers are as long as they are. */
const longestKey = 16_384;

/** A row that no path leads to would be lost. */
export function toKey(field: Field): Field {
  return field.kind === 'string' ? withKeyPattern(field) : field;
}

function withKeyPattern(field: Field): Field {
  const schema = { pattern: keyPattern, maxLength: longestKey, ...field.schema };
  return { ...field, schema, rowSchema: schema };
}

/** The fields that a new row is given. Rows with longer keys, of other writers, are still read, changed and deleted. */
export function givenFields({ fields, key, keyIsGenerated }: RowTable): readonly Field[] {
  const given = fields.filter(({ column }) => !column?.isComputed);
  return keyIsGenerated
    ? given.filter((field) => field !== key)
    : given.map((field) => (field === key ? withMaxLength(key) : field));
}

function withMaxLength(field: Field): Field {
  if (field.kind !== 'string') return field;
  const { maxLength = maxKeyLength } = field.schema as { readonly maxLength?: number };
  return { ...field, schema: { ...field.schema, maxLength: Math.min(maxLength, maxKeyLength) } };
}

function createTableSql(table: string, fields: readonly Field[], key: Field): string {
  const columns = fields.map((field) => (field === key ? keySql(field) : columnSql(field)));
  return `create table if not exists ${table} (${columns.join(', ')}) strict`;
}

/** The SQL that adds a column to a table with rows: one that is never null needs a value for them. */
function addColumnSql(table: string, field: Field): string {
  const filling = field.nullable ? '' : ` default ${literal(field)}`;
  return `alter table ${table} add column ${columnSql(field)}${filling}`;
}

const columnTypes: Readonly<Record<FieldKind, string>> = {
  integer: 'integer',
  number: 'real',
  string: 'text',
  boolean: 'integer',
  json: 'text',
};

const forms: Readonly<Record<FieldKind, StoredForm>> = {
  integer: 'integer',
  number: 'real',
  string: 'text',
  boolean: 'integer',
  json: 'json',
};

/** The id of a deleted row is not given again: whoever still holds it must not change another row. */
function keySql({ name, kind }: Field): string {
  return kind === 'integer'
    ? `${quote(name)} integer primary key autoincrement`
    : `${quote(name)} text primary key not null`;
}

function columnSql({ name, kind, nullable }: Field): string {
  return `${quote(name)} ${columnTypes[kind]}${nullable ? '' : ' not null'}`;
}

function literal({ kind, default: fallback }: Field): string {
  if (kind === 'json') return quoteText(JSON.stringify(fallback ?? null));
  if (kind === 'string') return quoteText(typeof fallback === 'string' ? fallback : '');
  return String(Number(fallback ?? 0));
}
