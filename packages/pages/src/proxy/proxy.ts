import type { InputShape, OutputShape, RouteOptions } from '@waymark/contract';
import { asText, callSite, type Declaration } from '@waymark/contract/declaring';
import type { Method } from '@waymark/contract/route';

/** What a proxy is declared with, besides the options of every route. */
export interface ProxyOptions extends RouteOptions {
  /** The path at the upstream, over the parameters of the route's own: `/v1/tickets/{id}`. The route's own path. */
  readonly rewrite?: string;
  /** What is validated before it is forwarded, and what the tool takes besides the parameters of the path; nothing. */
  readonly input?: InputShape;
  /** What the upstream answers, for the descriptions: one schema, or a map of status to schema. */
  readonly output?: OutputShape;
}

/** One declared proxy. */
export type ProxyDeclaration = Declaration<
  'proxy',
  {
    readonly method: Method;
    readonly path: string;
    readonly upstream: string;
    readonly given: ProxyOptions;
  }
>;

/**
 * Declares a route whose answers come from an upstream.
 *
 *     proxy('GET', '/tickets/{id}', 'desk', { rewrite: '/v1/tickets/{id}', tool: true })
 *
 * @param upstream the name of a declared upstream
 */
export function proxy(
  method: Method,
  path: string,
  upstream: string,
  options: ProxyOptions = {},
): ProxyDeclaration {
  const declaredAt = options?.declaredAt ?? callSite(proxy);
  return {
    kind: 'proxy',
    name: `${asText(method)} ${asText(path)}`,
    options: { method, path, upstream, given: options },
    declaredAt,
  };
}
