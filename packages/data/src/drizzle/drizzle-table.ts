/**
 * Table declared with drizzle-orm for SQLite, `sqliteTable('items', { … })`, of whichever copy and version a program has.
 */
export interface DrizzleTable {
  readonly _: { readonly name: string; readonly config: { readonly dialect: 'sqlite' } };
  readonly $inferSelect: object;
  readonly $inferInsert: object;
}

/** A column of such a table: what each copy and version gives. */
export interface DrizzleColumn {
  readonly name: string;
  readonly columnType: string;
  /** What its values are in a program, in one word; in two, from version 1 of drizzle-orm on. */
  readonly dataType: string;
  readonly primary: boolean;
  readonly notNull: boolean;
  /** A value, or an expression. */
  readonly default: unknown;
  readonly defaultFn?: (() => unknown) | undefined;
  readonly onUpdateFn?: (() => unknown) | undefined;
  readonly isUnique: boolean;
  readonly uniqueName?: string | undefined;
  readonly generated?: { readonly as: unknown; readonly mode?: string } | undefined;
  readonly enumValues?: readonly string[] | undefined;
  readonly length?: number | undefined;
  readonly autoIncrement?: boolean | undefined;
  getSQLType(): string;
  mapToDriverValue(value: unknown): unknown;
  mapFromDriverValue(value: unknown): unknown;
}

/** What a table holds behind symbols that all copies share. */
export interface TableView {
  readonly name: string;
  /** The class of it: `SQLiteTable`, `PgTable`. */
  readonly kind: string;
  readonly columns: Readonly<Record<string, DrizzleColumn>>;
  readonly foreignKeys: readonly unknown[];
  /** What stands behind its columns: indexes, constraints. */
  readonly extras: readonly unknown[];
}

/** Whether something was made by drizzle-orm as a table or a view of any database. */
export function isDrizzleTable(value: unknown): value is DrizzleTable {
  return (
    typeof value === 'object' &&
    value !== null &&
    (member(value, 'IsDrizzleTable') === true || member(value, 'IsDrizzleView') === true)
  );
}

/** The name of a table, or of a view, in its database. */
export function nameOf(table: DrizzleTable): string {
  const view = member(table, 'ViewBaseConfig');
  return String(view === undefined ? member(table, 'Name') : Reflect.get(Object(view), 'name'));
}

/** Looks at a table; nothing of drizzle-orm is loaded for it. */
export function viewTable(table: DrizzleTable): TableView {
  const kind = member(table, 'IsDrizzleView') === true ? 'View' : entityOf(table);
  const columns = (member(table, 'Columns') ?? {}) as TableView['columns'];
  const extra = kind === 'SQLiteTable' ? member(table, 'ExtraConfigBuilder') : undefined;
  const extras = typeof extra === 'function' ? (extra as (of: object) => unknown)(columns) : [];
  return {
    ...{ name: nameOf(table), kind, columns },
    foreignKeys: (member(table, 'SQLiteInlineForeignKeys') ?? []) as readonly unknown[],
    extras: Array.isArray(extras) ? extras.flat() : Object.values(Object(extras)),
  };
}

/** The class of something that drizzle-orm made, by the name that it has in every copy; empty of anything else. */
export function entityOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  // A column may be called `constructor`: the class is asked of what stands behind the table.
  const { constructor: made } = Object(Object.getPrototypeOf(value)) as { readonly constructor?: unknown };
  const kind: unknown = Reflect.get(Object(made), Symbol.for('drizzle:entityKind'));
  return typeof kind === 'string' ? kind : '';
}

/** What somebody says of a column; those that are called as what every object has are not said anything of by that. */
export function ownMember<T>(said: Readonly<Record<string, T>>, column: string): T | undefined {
  return Object.hasOwn(said, column) ? said[column] : undefined;
}

function member(table: object, name: string): unknown {
  return Reflect.get(table, Symbol.for(`drizzle:${name}`));
}
