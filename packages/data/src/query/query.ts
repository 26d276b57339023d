import type { RouteOptions } from '@waymark/contract';
import { asText, callSite, type Declaration } from '@waymark/contract/declaring';
import type { Method } from '@waymark/contract/route';
import type { Fields, FieldType } from '../fields/field.ts';

/** What a query can give back. */
export const returnForms = ['many', 'one', 'affected'] as const;

/**
 * Parameters of a query: a map of name to type, or a list of names whose values are any text, number, boolean or null.
 * `@principal` is the id of the root principal, never given by the caller.
 */
export type QueryParams = readonly string[] | Readonly<Record<string, FieldType>>;

/** Options of a query, besides those of every route. */
export interface QueryOptions extends RouteOptions {
  /** Parameters of the statement; default: none. `?` placeholders bind in their order, `:name` placeholders by name. */
  readonly params?: QueryParams;
  /**
   * Form of the answer. `many`, the default: a list of rows; `one`: a row, or 404; `affected`:
   * `{affected, last_insert_id}`.
   */
  readonly returns?: (typeof returnForms)[number];
  /**
   * Types of the columns, for the descriptions, and to read booleans and JSON as such; default: rows as SQL gives them.
   */
  readonly row?: Fields;
}

/** Declaration of a query, as `query` returns it. */
export type QueryDeclaration = Declaration<
  'query',
  {
    readonly method: Method;
    readonly path: string;
    readonly sql: string;
    readonly given: QueryOptions;
  }
>;

/**
 * Declares a route that answers with the outcome of one SQL statement.
 *
 *     query('GET', '/tickets/{id}/notes', 'select * from notes where ticket = :id', { params: { id: 'integer' } })
 */
export function query(
  method: Method,
  path: string,
  sql: string,
  options: QueryOptions = {},
): QueryDeclaration {
  const declaredAt = options?.declaredAt ?? callSite(query);
  return {
    kind: 'query',
    name: `${asText(method)} ${asText(path)}`,
    options: { method, path, sql, given: options },
    declaredAt,
  };
}
