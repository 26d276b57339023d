/** Protective headers of every answer (specification, Declaration calls, `security_headers`). */
export interface SecurityHeadersOptions {
  /** Sends them; default: true. */
  readonly enabled?: boolean;
  /** Value of `X-Frame-Options`; default: `DENY`, nobody may frame our pages. */
  readonly frameOptions?: 'DENY' | 'SAMEORIGIN';
  /** Value of `Referrer-Policy`; default: `strict-origin-when-cross-origin`. */
  readonly referrerPolicy?: string;
  /**
   * Value of `Content-Security-Policy`, or `pages` for `pagesPolicy`; default: not sent.
   */
  readonly contentSecurityPolicy?: string;
  /**
   * Seconds for which browsers use https only, a whole number from 0, sent over https; default: 31,536,000 (a year).
   */
  readonly hstsMaxAge?: number;
}

/**
 * The policy for pages whose scripts, styles and pictures come from the service itself: nothing inline, nothing from
 * elsewhere, and nobody frames them. It is what `contentSecurityPolicy: 'pages'` sends.
 */
export const pagesPolicy =
  "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/**
 * The headers, names and values in turn. HSTS is meant for what came by https only: browsers ignore it elsewhere, and
 * behind a proxy that ends TLS it would be a guess.
 */
export function toSecurityHeaders(options: SecurityHeadersOptions, https: boolean): readonly string[] {
  const {
    enabled = true,
    frameOptions = 'DENY',
    referrerPolicy = 'strict-origin-when-cross-origin',
    contentSecurityPolicy,
    hstsMaxAge = 31_536_000,
  } = options;
  if (!enabled) return [];
  return [
    'x-content-type-options',
    'nosniff',
    'x-frame-options',
    frameOptions,
    'referrer-policy',
    referrerPolicy,
    'cross-origin-opener-policy',
    'same-origin',
    ...(contentSecurityPolicy === undefined
      ? []
      : ['content-security-policy', contentSecurityPolicy === 'pages' ? pagesPolicy : contentSecurityPolicy]),
    ...(https ? ['strict-transport-security', `max-age=${hstsMaxAge}`] : []),
  ];
}
