import type { RouteOptions } from '@waymark/contract';
import { asText, callSite, type Declaration } from '@waymark/contract/declaring';
import type { Method } from '@waymark/contract/route';

/** What a statement can give a page. */
export const pageReturns = ['many', 'one'] as const;

/** The words a param's type can be; anything else is a schema. */
export type ParamType = 'integer' | 'number' | 'string' | 'boolean' | 'json' | object;

/**
 * Parameters of a statement: a map of name to type, or a list of names whose values are any text, number, boolean or
 * null. `@principal` is the id of the root principal, never given by the caller.
 */
export type PageParams = readonly string[] | Readonly<Record<string, ParamType>>;

/** Options of every route that pages have too; those of tools are not among them. */
export type PageRouteOptions = Pick<
  RouteOptions,
  'scopes' | 'summary' | 'description' | 'deprecated' | 'timeoutMs' | 'strictQuery' | 'declaredAt'
>;

/** Options of a page (specification, Declaration calls, `page`). */
export interface PageOptions extends PageRouteOptions {
  /** One SQL statement that reads, whose rows the template shows; default: none. Not together with `data`. */
  readonly sql?: string;
  /**
   * Parameters of the statement; default: none. `?` placeholders bind in their order, `:name` placeholders by name. An
   * optional one that is left out is NULL.
   */
  readonly params?: PageParams;
  /** Form of the rows. `many`, the default: a list; `one`: a row, or 404. */
  readonly returns?: (typeof pageReturns)[number];
  /** Name of the rows in the template; default: `data`. */
  readonly bind?: string;
  /** Constant JSON value, in the template under the name `bind`; members of an object are names in the template too. */
  readonly data?: unknown;
  /** Status of the answer, 200 to 599; default: 200. */
  readonly status?: number;
  /** Method of the route; default: `GET`. */
  readonly method?: Method;
}

/** Declaration of a page, as `page` returns it. */
export type PageDeclaration = Declaration<
  'page',
  { readonly path: string; readonly template: string; readonly given: PageOptions }
>;

/**
 * Declares a page: a template that shows the rows of a statement, or a constant.
 *
 *     page('/board', 'board', { sql: 'select * from tickets', bind: 'tickets' })
 *
 * @param template name of a file below the application's templates, with or without its ending: `board`, `desk/board.hbs`
 */
export function page(path: string, template: string, options: PageOptions = {}): PageDeclaration {
  const declaredAt = options?.declaredAt ?? callSite(page);
  const name = `${asText(options?.method ?? 'GET')} ${asText(path)}`;
  return { kind: 'page', name, options: { path, template, given: options }, declaredAt };
}
