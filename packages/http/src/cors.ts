/** The foreign origins that browsers may call from (specification, Declaration calls, `cors`). */
export interface CorsOptions {
  /** Compared letter by letter: `https://app.example.com`. `*` is any but `null`. */
  readonly origins: readonly string[];
  /** Whether cookies and the like may be sent; false. Not together with `*`. */
  readonly credentials?: boolean;
  /** GET, POST, PUT, PATCH, DELETE, OPTIONS. */
  readonly methods?: readonly string[];
  /** Request headers; content-type, authorization, x-api-key, x-request-id, idempotency-key, last-event-id. */
  readonly headers?: readonly string[];
  /** Response headers that scripts may read besides the safe ones; none. */
  readonly expose?: readonly string[];
  /** Seconds for which a browser may remember the answer to a preflight; 600. */
  readonly maxAge?: number;
}

const defaultMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const defaultHeaders = [
  'content-type',
  'authorization',
  'x-api-key',
  'x-request-id',
  'idempotency-key',
  'last-event-id',
];

/**
 * Whether an origin is listed. `null` is what sandboxed frames and redirected forms of anybody send, so `*` does not
 * stand for it.
 */
export function allowsOrigin({ origins }: CorsOptions, origin: string): boolean {
  return origins.includes(origin) || (origin !== 'null' && origins.includes('*'));
}

/**
 * Headers of every answer, names and values in turn.
 *
 * @param origin one that is allowed; without it only the hint that the answer depends on the origin
 */
export function toCorsHeaders(
  { origins, credentials = false, expose = [] }: CorsOptions,
  origin: string | undefined,
): readonly string[] {
  const vary = ['vary', 'Origin'];
  if (origin === undefined) return vary;
  return [
    ...vary,
    'access-control-allow-origin',
    origins.includes('*') ? '*' : origin,
    ...(credentials ? ['access-control-allow-credentials', 'true'] : []),
    ...(expose.length > 0 ? ['access-control-expose-headers', expose.join(', ')] : []),
  ];
}

/** What the answer to a preflight says besides. */
export function toPreflightHeaders({
  methods = defaultMethods,
  headers = defaultHeaders,
  maxAge = 600,
}: CorsOptions): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': headers.join(', '),
    'access-control-max-age': String(maxAge),
  };
}
