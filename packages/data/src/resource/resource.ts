import { callSite, type Declaration } from '@waymark/contract/declaring';
import { type DrizzleTable, isDrizzleTable, nameOf } from '../drizzle/drizzle-table.ts';
import type { Fields, FieldType } from '../fields/field.ts';

/** Options of a resource, besides its fields. Every one has a default. */
export interface ResourceOptions {
  /** Name of the table; default: the name of the resource. */
  readonly table?: string;
  /**
   * Name of the primary key; default: `id`. Unless it is among the fields, it is an integer that the database gives.
   */
  readonly primaryKey?: string;
  /** Offers the five routes as tools; default: false. */
  readonly tools?: boolean;
  /** Scopes that a caller needs where `readScopes` or `writeScopes` is left out; default: none. */
  readonly scopes?: readonly string[];
  /** Scopes that a caller needs to list and to get; default: `scopes`. */
  readonly readScopes?: readonly string[];
  /** Scopes that a caller needs to create, update and delete; default: `scopes`. */
  readonly writeScopes?: readonly string[];
  /** Creates the table at the start when it is missing; default: true. */
  readonly createTable?: boolean;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/** Options of a resource over a drizzle table, and those of any other but `table` and `primaryKey`. Every one has a default. */
export interface TableResourceOptions<T extends DrizzleTable = DrizzleTable>
  extends Omit<ResourceOptions, 'table' | 'primaryKey'> {
  /** Name of the resource: the path, and a part of the names of its tools; default: the name of the table. */
  readonly name?: string;
  /**
   * Schemas that say more about values than their columns do, as `Type.String({ minLength: 1 })`. Whether a column may be
   * null or left out is the table's to say. A column of a `customType` needs one.
   */
  readonly fields?: { readonly [column in keyof T['$inferSelect']]?: FieldType };
  /** Columns that no route shows or takes; new rows have their defaults. */
  readonly omit?: readonly (keyof T['$inferSelect'])[];
}

/** Declaration of a resource, as `resource` returns it. */
export type ResourceDeclaration = Declaration<
  'resource',
  {
    /** Those that are declared; of a drizzle table, what refines its columns. */
    readonly fields: Fields;
    readonly given: Omit<ResourceOptions, 'declaredAt'> & {
      readonly name?: string;
      readonly omit?: readonly string[];
    };
    /** The drizzle table that has the fields. */
    readonly drizzle?: DrizzleTable;
  }
>;

/**
 * Declares five routes over one table: list, get, create, update and delete.
 *
 *     resource('tickets', { title: 'string', urgent: Type.Boolean({ default: false }) }, { tools: true })
 *
 * @param name 1 to 57 letters, digits, `_` or `-`; the path and, unless `table` is given, the table
 * @param fields type of each: `integer`, `number`, `string`, `boolean`, `json`, or a schema. One in `Type.Optional` may be
 * left out and may be null
 */
export function resource(name: string, fields: Fields, options?: ResourceOptions): ResourceDeclaration;
/**
 * Declares them over a drizzle table: name, fields, types, key and defaults are the table's.
 *
 *     resource(sqliteTable('tickets', { id: integer().primaryKey(), title: text().notNull() }), { tools: true })
 */
export function resource<T extends DrizzleTable>(
  table: T,
  options?: TableResourceOptions<T>,
): ResourceDeclaration;
export function resource(first: unknown, second?: unknown, third?: unknown): ResourceDeclaration {
  const declaredAt = callSite(resource);
  return isDrizzleTable(first)
    ? tableResource(first, { declaredAt, ...Object(second) })
    : fieldsResource(first, second, { declaredAt, ...Object(third) });
}

// Options nobody knows are kept: the check names them. Programs without types may pass anything.

function fieldsResource(
  name: unknown,
  fields: unknown,
  { declaredAt, ...given }: ResourceOptions & { readonly declaredAt: string },
): ResourceDeclaration {
  const options = { fields, given } as ResourceDeclaration['options'];
  return { kind: 'resource', name: name as string, options, declaredAt };
}

function tableResource(
  drizzle: DrizzleTable,
  { declaredAt, fields, ...given }: TableResourceOptions & { readonly declaredAt: string },
): ResourceDeclaration {
  const { name = nameOf(drizzle) } = given;
  const options = { drizzle, fields: fields ?? {}, given } as ResourceDeclaration['options'];
  return { kind: 'resource', name, options, declaredAt };
}
