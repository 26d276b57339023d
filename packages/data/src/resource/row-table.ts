import { type Field, type FieldKind, type Fields, toField } from '../fields/field.ts';
import { keyPattern, maxKeyLength } from '../key-pattern.ts';
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
  const columns = fields.map((field) => quote(field.name)).join(', ');
  return {
    name,
    table: quote(table),
    key,
    keyIsGenerated: key.kind === 'integer',
    fields,
    columns,
    selectOne: `select ${columns} from ${quote(table)} where ${quote(key.name)} = ?`,
  };
}

/** Characters that a request has room for in its path, and more: keys of other writers are as long as they are. */
const longestKey = 16_384;

/** A row that no path leads to would be lost. */
function toKey(field: Field): Field {
  return field.kind === 'string' ? withKeyPattern(field) : field;
}

function withKeyPattern(field: Field): Field {
  const schema = { pattern: keyPattern, maxLength: longestKey, ...field.schema };
  return { ...field, schema, rowSchema: schema };
}

/** The fields that a new row is given. Rows with longer keys, of other writers, are still read, changed and deleted. */
export function givenFields({ fields, key, keyIsGenerated }: RowTable): readonly Field[] {
  return keyIsGenerated
    ? fields.filter((field) => field !== key)
    : fields.map((field) => (field === key ? withMaxLength(key) : field));
}

function withMaxLength(field: Field): Field {
  const { maxLength = maxKeyLength } = field.schema as { readonly maxLength?: number };
  return { ...field, schema: { ...field.schema, maxLength: Math.min(maxLength, maxKeyLength) } };
}

/** The SQL that makes the table. */
export function createTableSql({ table, fields, key }: RowTable): string {
  const columns = fields.map((field) => (field === key ? keySql(field) : columnSql(field)));
  return `create table if not exists ${table} (${columns.join(', ')}) strict`;
}

/** The SQL that adds a column to a table with rows: one that is never null needs a value for them. */
export function addColumnSql(table: string, field: Field): string {
  const filling = field.nullable ? '' : ` default ${literal(field)}`;
  return `alter table ${table} add column ${columnSql(field)}${filling}`;
}

/** A name as SQL writes it, whatever it holds. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const columnTypes: Readonly<Record<FieldKind, string>> = {
  integer: 'integer',
  number: 'real',
  string: 'text',
  boolean: 'integer',
  json: 'text',
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
  if (kind === 'json') return text(JSON.stringify(fallback ?? null));
  if (kind === 'string') return text(typeof fallback === 'string' ? fallback : '');
  return String(Number(fallback ?? 0));
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
