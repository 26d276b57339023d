import { callSite, type Declaration } from '@waymark/contract/declaring';

/** Options of an upstream. Every one has a default. */
export interface UpstreamOptions {
  /** Headers of each request, replacing those of the same name from the caller; default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Name of the environment variable with the bearer token; default: none is sent. */
  readonly bearerEnv?: string;
  /**
   * Milliseconds for its headers to arrive, and for each next piece of its answer, 1 to 2,147,483,647; default: 30,000.
   */
  readonly timeoutMs?: number;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/** Declaration of an upstream, as `upstream` returns it. It holds no token, only the name of its variable. */
export type UpstreamDeclaration = Declaration<
  'upstream',
  { readonly baseUrl: string; readonly given: UpstreamOptions }
>;

/**
 * Declares a server that proxies forward to.
 *
 * @param baseUrl URL before every path, `https://billing.internal/v2`; its query is added to each request
 */
export function upstream(name: string, baseUrl: string, options: UpstreamOptions = {}): UpstreamDeclaration {
  const declaredAt = options?.declaredAt ?? callSite(upstream);
  return { kind: 'upstream', name, options: { baseUrl, given: options }, declaredAt };
}
