import type { InputShape, OutputShape, RouteOptions } from '@waymark/contract';
import { asText, callSite, type Declaration } from '@waymark/contract/declaring';
import type { Method } from '@waymark/contract/route';

/** Options of a proxy, besides those of every route. */
export interface ProxyOptions extends RouteOptions {
  /** Path at the upstream, with parameters of the route's path: `/v1/tickets/{id}`; default: the route's path. */
  readonly rewrite?: string;
  /**
   * Schema of the input, validated before it is forwarded and taken by the tool; default: the parameters of the path
   * alone.
   */
  readonly input?: InputShape;
  /** Schema of the answer, or a map of status to schema, for the descriptions; default: none. */
  readonly output?: OutputShape;
}

/** Declaration of a proxy, as `proxy` returns it. */
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
