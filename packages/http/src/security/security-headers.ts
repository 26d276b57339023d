/** The protective headers of every answer (specification, Declaration calls, `security_headers`). */
export interface SecurityHeadersOptions {
  /** Send them at all; true. */
  readonly enabled?: boolean;
  /** Who may frame our pages: nobody. `DENY`. */
  readonly frameOptions?: 'DENY' | 'SAMEORIGIN';
  /** `strict-origin-when-cross-origin`. */
  readonly referrerPolicy?: string;
  /** Not sent unless it is given. */
  readonly contentSecurityPolicy?: string;
  /** Seconds for which browsers come by https only; 31536000, a year. */
  readonly hstsMaxAge?: number;
}

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
    ...(contentSecurityPolicy === undefined ? [] : ['content-security-policy', contentSecurityPolicy]),
    ...(https ? ['strict-transport-security', `max-age=${hstsMaxAge}`] : []),
  ];
}
