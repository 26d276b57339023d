import { callSite, type Declaration } from '@waymark/contract/declaring';
import type { Fields } from '../fields/field.ts';

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

/** Declaration of a resource, as `resource` returns it. */
export type ResourceDeclaration = Declaration<
  'resource',
  { readonly fields: Fields; readonly given: Omit<ResourceOptions, 'declaredAt'> }
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
export function resource(name: string, fields: Fields, options: ResourceOptions = {}): ResourceDeclaration {
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(resource), ...given } = Object(options) as ResourceOptions;
  return { kind: 'resource', name, options: { fields, given }, declaredAt };
}
