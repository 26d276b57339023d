import type { RouteOptions } from '@waymark/contract';
import { asText, callSite, type Declaration } from '@waymark/contract/declaring';
import type { Method } from '@waymark/contract/route';

/** What a statement can give a page. */
export const pageReturns = ['many', 'one'] as const;

/** The words a param's type can be; anything else is a schema. */
export type ParamType = 'integer' | 'number' | 'string' | 'boolean' | 'json' | object;

/** The params of a statement by name, or in a list: any text, number, boolean or null. `@principal` is the root principal. */
export type PageParams = readonly string[] | Readonly<Record<string, ParamType>>;

/** The options of every route that a page takes too. It is no tool, so it has none of those. */
export type PageRouteOptions = Pick<
  RouteOptions,
  'scopes' | 'summary' | 'description' | 'deprecated' | 'timeoutMs' | 'strictQuery' | 'declaredAt'
>;

/** What a page is declared with (specification, Declaration calls, `page`). */
export interface PageOptions extends PageRouteOptions {
  /** One statement that reads; none. Not together with `data`. */
  readonly sql?: string;
  /** None. With `?` they bind in their order, with `:name` by name; an optional one that is left out is NULL. */
  readonly params?: PageParams;
  /** `many` (the default): a list of rows. `one`: a row, or 404. */
  readonly returns?: (typeof pageReturns)[number];
  /** What the template calls the rows; `data`. */
  readonly bind?: string;
  /** A constant, as JSON. The template calls it what `bind` says; the members of a map are names of their own, too. */
  readonly data?: unknown;
  /** 200. */
  readonly status?: number;
  /** `GET`. */
  readonly method?: Method;
}

/** One declared page. */
export type PageDeclaration = Declaration<
  'page',
  { readonly path: string; readonly template: string; readonly given: PageOptions }
>;

/**
 * Declares a page: a template that shows the rows of a statement, or a constant.
 *
 *     page('/board', 'board', { sql: 'select * from tickets', bind: 'tickets' })
 *
 * @param template a file below the application's templates, with or without its ending: `board`, `desk/board.hbs`
 */
export function page(path: string, template: string, options: PageOptions = {}): PageDeclaration {
  const declaredAt = options?.declaredAt ?? callSite(page);
  const name = `${asText(options?.method ?? 'GET')} ${asText(path)}`;
  return { kind: 'page', name, options: { path, template, given: options }, declaredAt };
}
