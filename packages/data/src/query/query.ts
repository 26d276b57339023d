import type { RouteOptions } from '@waymark/contract';
import { asText, callSite, type Declaration } from '@waymark/contract/declaring';
import type { Method } from '@waymark/contract/route';
import type { Fields, FieldType } from '../fields/field.ts';

/** What a query can give back. */
export const returnForms = ['many', 'one', 'affected'] as const;

/** The params of a query by name, or in a list: any text, number, boolean or null. `@principal` is the root principal. */
export type QueryParams = readonly string[] | Readonly<Record<string, FieldType>>;

/** What a query is declared with, besides the options of every route. */
export interface QueryOptions extends RouteOptions {
  /** None. With `?` they bind in their order, with `:name` by name. */
  readonly params?: QueryParams;
  /** `many` (the default): an array of rows. `one`: a row, or 404. `affected`: `{affected, last_insert_id}`. */
  readonly returns?: (typeof returnForms)[number];
  /** The columns by type, for the descriptions; booleans and JSON are read as such. Without it rows are as SQL gives them. */
  readonly row?: Fields;
}

/** One declared query. */
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
