import type { InputOf, InputShape, Reply, RouteOptions, RouteRequest } from '@waymark/contract';
import { asText, callSite, type Declaration } from '@waymark/contract/declaring';
import type { Awaitable } from '@waymark/contract/engine';
import type { Method } from '@waymark/contract/route';
import type { PageRouteOptions } from './page.ts';

/** What a page with a handler is declared with (specification, Declaration calls, `page_handler`). */
export interface PageHandlerOptions<I> extends PageRouteOptions, Pick<RouteOptions, 'maxBodyBytes'> {
  /** A schema for each parameter, or one raw JSON Schema. */
  readonly input?: I;
  /** 200. */
  readonly status?: number;
  /** `GET`. */
  readonly method?: Method;
}

/** What a template sees: names and values. */
export type TemplateContext = Readonly<Record<string, unknown>>;

/**
 * Works out what a template sees. A reply says status and headers as well, and one without a body is answered as it
 * is: a redirect, say. An error is answered as everywhere.
 */
export type PageHandler<P extends string, I> = NoInfer<
  (input: InputOf<P, I>, request: RouteRequest) => Awaitable<TemplateContext | Reply>
>;

/** A handler whose types nobody knows any more. The dispatcher validates by the schemas they were inferred from. */
export type LoosePageHandler = (input: Readonly<Record<string, unknown>>, request: RouteRequest) => unknown;

/** One declared page with a handler. */
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
