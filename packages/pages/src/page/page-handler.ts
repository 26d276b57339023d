import type { InputOf, InputShape, Reply, RouteOptions, RouteRequest } from '@waymark/contract';
import { asText, callSite, type Declaration } from '@waymark/contract/declaring';
import type { Awaitable } from '@waymark/contract/engine';
import type { Method } from '@waymark/contract/route';
import type { PageRouteOptions } from './page.ts';

/** Options of a page with a handler (specification, Declaration calls, `page_handler`). */
export interface PageHandlerOptions<I> extends PageRouteOptions, Pick<RouteOptions, 'maxBodyBytes'> {
  /** Schema for each parameter, or one JSON Schema; default: the parameters of the path, as text. */
  readonly input?: I;
  /** Status of the answer where the handler sets none, 200 to 599; default: 200. */
  readonly status?: number;
  /** Method of the route; default: `GET`. */
  readonly method?: Method;
}

/** Values that a template shows, by name. */
export type TemplateContext = Readonly<Record<string, unknown>>;

/**
 * Handler of a page: returns the values for its template. A reply sets status and headers too, and one without a body,
 * such as a redirect, is sent without the template. Errors are answered as on every route.
 */
export type PageHandler<P extends string, I> = NoInfer<
  (input: InputOf<P, I>, request: RouteRequest) => Awaitable<TemplateContext | Reply>
>;

/** A handler whose types nobody knows any more. The dispatcher validates by the schemas they were inferred from. */
export type LoosePageHandler = (input: Readonly<Record<string, unknown>>, request: RouteRequest) => unknown;

/** Declaration of a page with a handler, as `pageHandler` returns it. */
export type PageHandlerDeclaration = Declaration<
  'pageHandler',
  {
    readonly path: string;
    readonly template: string;
    readonly given: PageHandlerOptions<InputShape>;
    readonly handler: LoosePageHandler;
  }
>;

/**
 * Declares a page whose template sees what a handler returns; the handler's types follow from `path` and `input`.
 *
 *     pageHandler('/tickets/{id}', 'ticket', { input: { id: Type.Integer() } }, ({ id }) => ({ ticket: find(id) }))
 */
export function pageHandler<
  const P extends string,
  // biome-ignore lint/complexity/noBannedTypes: an empty record of schemas, not "any object"
  const I extends InputShape = {},
>(
  path: P,
  template: string,
  options: PageHandlerOptions<I>,
  handler: PageHandler<P, I>,
): PageHandlerDeclaration {
  const declaredAt = options?.declaredAt ?? callSite(pageHandler);
  return {
    kind: 'pageHandler',
    name: `${asText(options?.method ?? 'GET')} ${asText(path)}`,
    options: { path, template, given: options, handler: handler as LoosePageHandler },
    declaredAt,
  };
}
