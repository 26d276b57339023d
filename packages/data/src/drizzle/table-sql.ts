import { quote } from '../resource/quote.ts';
import { type DrizzleColumn, type DrizzleTable, entityOf, nameOf, type TableView } from './drizzle-table.ts';
import { literalOf } from './fillings.ts';
import { isExpression, renderSql, renderValue } from './render-sql.ts';

/** The statements that make a table, with the constraints and indexes that it declares: as drizzle-kit names them. */
export function creationOf({ name, columns, foreignKeys, extras }: TableView): readonly string[] {
  const all = Object.values(columns);
  const key = keyColumns({ columns, extras });
  const parts = [
    ...all.map((column) => columnSql(column, key)),
    ...[...foreignKeys, ...extras].map((extra) => constraintSql(extra)),
  ].filter((part) => part !== undefined);
  return [
    `create table if not exists ${quote(name)} (${parts.join(', ')})`,
    ...all.filter(({ isUnique }) => isUnique).map((column) => uniqueSql(name, [column], column.uniqueName)),
    ...extras.map((extra) => indexSql(name, extra)).filter((statement) => statement !== undefined),
  ];
}

/** The statement that adds a column to a table with rows: one that is never null needs a value for them. */
export function additionOf({ name, foreignKeys, extras }: TableView, column: DrizzleColumn): string {
  const { notNull, generated } = column;
  const key = toForeignKeys([...foreignKeys, ...extras])
    .map((one) => targetOf(one))
    .find(({ columns }) => columns.length === 1 && columns.includes(column));
  const literal = literalOf(column);
  const none = /^(int|real|num)/i.test(column.getSQLType()) ? '0' : "''";
  const value = literal === undefined ? none : renderValue(column.mapToDriverValue(literal));
  const filled = !generated && (notNull || literal !== undefined);
  return [
    ...[`alter table ${quote(name)} add column ${quote(column.name)} ${column.getSQLType()}`],
    ...(notNull ? ['not null'] : []),
    ...(filled ? [`default ${value}`] : []),
    ...(key ? [key.sql] : []),
    // What is stored could not be added to rows that are there.
    ...(generated ? [`generated always as (${expressionSql(generated.as)}) virtual`] : []),
  ].join(' ');
}

/** The columns of the primary key, wherever they are named. */
export function keyColumns({
  columns,
  extras,
}: Pick<TableView, 'columns' | 'extras'>): readonly DrizzleColumn[] {
  const named = extras.filter((extra) => entityOf(extra) === 'SQLitePrimaryKeyBuilder') as readonly Columns[];
  return [
    ...Object.values(columns).filter(({ primary }) => primary),
    ...named.flatMap(({ columns: more }) => more),
  ];
}

/** The tables that rows of this one refer to. */
export function referencesOf({ foreignKeys, extras }: TableView): readonly DrizzleTable[] {
  return toForeignKeys([...foreignKeys, ...extras]).map((key) => key.reference().foreignTable);
}

/** What names columns: a key, a unique constraint. */
interface Columns {
  readonly columns: readonly DrizzleColumn[];
  readonly name?: string | undefined;
}

function columnSql(column: DrizzleColumn, key: readonly DrizzleColumn[]): string {
  const { name, notNull, generated, default: fallback } = column;
  const isKey = key.length === 1 && key.includes(column);
  return [
    ...[quote(name), column.getSQLType()],
    ...(isKey ? ['primary key'] : []),
    ...(isKey && column.autoIncrement ? ['autoincrement'] : []),
    ...(notNull || isKey ? ['not null'] : []),
    ...(fallback === undefined || fallback === null ? [] : [`default ${defaultSql(column)}`]),
    ...(generated
      ? [`generated always as (${expressionSql(generated.as)}) ${generated.mode ?? 'virtual'}`]
      : []),
  ].join(' ');
}

function defaultSql(column: DrizzleColumn): string {
  const { default: fallback } = column;
  return isExpression(fallback) ? `(${renderSql(fallback)})` : renderValue(column.mapToDriverValue(fallback));
}

/** What a computed column is computed from: an expression, or a function that gives one. */
function expressionSql(as: unknown): string {
  const expression = typeof as === 'function' ? (as as () => unknown)() : as;
  return isExpression(expression) ? renderSql(expression) : String(expression);
}

/** A column or an expression in an index. */
function partSql(part: unknown): string {
  return isExpression(part) ? renderSql(part) : quote((part as DrizzleColumn).name);
}

function uniqueSql(table: string, columns: readonly DrizzleColumn[], name: string | undefined): string {
  const names = columns.map((column) => column.name);
  const index = name ?? `${table}_${names.join('_')}_unique`;
  return `create unique index if not exists ${quote(index)} on ${quote(table)} (${names.map(quote).join(', ')})`;
}

function indexSql(table: string, extra: unknown): string | undefined {
  const kind = entityOf(extra);
  if (kind === 'SQLiteUniqueConstraintBuilder') {
    const { columns, name } = extra as Columns;
    return uniqueSql(table, columns, name);
  }
  if (kind !== 'SQLiteIndexBuilder') return undefined;
  const { config } = extra as IndexBuilder;
  const where = isExpression(config.where) ? ` where ${renderSql(config.where)}` : '';
  return `create ${config.unique ? 'unique ' : ''}index if not exists ${quote(config.name)} on ${quote(table)} (${config.columns.map(partSql).join(', ')})${where}`;
}

interface IndexBuilder {
  readonly config: {
    readonly name: string;
    readonly unique: boolean;
    readonly columns: readonly unknown[];
    readonly where?: unknown;
  };
}

/** A foreign key, which may be a builder of one, or a check. */
function constraintSql(extra: unknown): string | undefined {
  if (entityOf(extra) === 'SQLiteCheckBuilder') {
    const { name, value } = extra as { readonly name: string; readonly value: unknown };
    return `constraint ${quote(name)} check (${expressionSql(value)})`;
  }
  const [key] = toForeignKeys([extra]);
  if (!key) return undefined;
  const { columns, sql } = targetOf(key);
  return `foreign key (${listSql(columns)}) ${sql}`;
}

/** The columns of a foreign key, and what they refer to. */
function targetOf(key: ForeignKey): { readonly columns: readonly DrizzleColumn[]; readonly sql: string } {
  const { columns, foreignColumns, foreignTable } = key.reference();
  const actions = [
    ...actionSql('update', [key.onUpdate, key._onUpdate]),
    ...actionSql('delete', [key.onDelete, key._onDelete]),
  ];
  const sql = `references ${quote(nameOf(foreignTable))} (${listSql(foreignColumns)})${actions.join('')}`;
  return { columns, sql };
}

function listSql(columns: readonly DrizzleColumn[]): string {
  return columns.map(({ name }) => quote(name)).join(', ');
}

function toForeignKeys(extras: readonly unknown[]): readonly ForeignKey[] {
  return extras.filter((extra): extra is ForeignKey =>
    ['SQLiteForeignKey', 'SQLiteForeignKeyBuilder'].includes(entityOf(extra)),
  );
}

function actionSql(event: string, words: readonly unknown[]): readonly string[] {
  const word = words.find((one) => typeof one === 'string');
  return word === undefined ? [] : [` on ${event} ${word}`];
}

interface ForeignKey {
  readonly reference: () => {
    readonly columns: readonly DrizzleColumn[];
    readonly foreignColumns: readonly DrizzleColumn[];
    readonly foreignTable: DrizzleTable;
  };
  /** Of a builder these are methods, and the words are behind an underscore. */
  readonly onUpdate?: unknown;
  readonly onDelete?: unknown;
  readonly _onUpdate?: unknown;
  readonly _onDelete?: unknown;
}
