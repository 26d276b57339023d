import { callSite, type Declaration } from '@waymark/contract/declaring';

/** What an upstream can be declared with. */
export interface UpstreamOptions {
  /** Sent with each request, instead of what the caller sent under the same name; none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The variable whose value is sent as bearer token; none is sent. */
  readonly bearerEnv?: string;
  /** For its headers to arrive, and then for each next piece of its answer; 30,000. */
  readonly timeoutMs?: number;
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/** One declared upstream. It never holds a token, only the variable that does. */
export type UpstreamDeclaration = Declaration<
  'upstream',
  { readonly baseUrl: string; readonly given: UpstreamOptions }
>;

/**
 * Declares a server that proxies forward to.
 *
 * @param baseUrl what stands before every path: `https://billing.internal/v2`. Its query goes with each request too
 */
export function upstream(name: string, baseUrl: string, options: UpstreamOptions = {}): UpstreamDeclaration {
  const declaredAt = options?.declaredAt ?? callSite(upstream);
  return { kind: 'upstream', name, options: { baseUrl, given: options }, declaredAt };
}
