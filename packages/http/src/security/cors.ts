import type { RouteCors } from '@waymark/contract/route';

/** Options of CORS: the foreign origins that browsers may call from (specification, Declaration calls, `cors`). */
export interface CorsOptions {
  /** Origins, at least one, compared letter by letter: `https://app.example.com`. `*` allows any but `null`, which pages of
   * anybody are in a sandboxed frame. */
  readonly origins: readonly string[];
  /** Allows cookies and other credentials; default: false. Not together with `*` or `null`. */
  readonly credentials?: boolean;
  /** Methods that may be used; default: GET, POST, PUT, PATCH, DELETE, OPTIONS. */
  readonly methods?: readonly string[];
  /**
   * Request headers that may be sent; default: content-type, authorization, x-api-key, x-request-id, idempotency-key,
   * last-event-id.
   */
  readonly headers?: readonly string[];
  /** Response headers that scripts may read besides the safelisted ones; default: none. */
  readonly expose?: readonly string[];
  /** Seconds that a browser may cache a preflight, a whole number from 0; default: 600. */
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
 * @param own what the route exposes besides
 */
export function toCorsHeaders(
  { origins, credentials = false, expose: everywhere = [] }: CorsOptions,
  origin: string | undefined,
  own: readonly string[] = [],
): readonly string[] {
  const expose = joined(everywhere, own);
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

/**
 * What the answer to a preflight says besides.
 *
 * @param own what the route takes besides
 * @param asked `Access-Control-Request-Headers`, for names of which the route knows only how they begin
 */
export function toPreflightHeaders(
  { methods = defaultMethods, headers = defaultHeaders, maxAge = 600 }: CorsOptions,
  own: RouteCors['headers'] = [],
  asked = '',
): Readonly<Record<string, string>> {
  const prefixes = own.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  const named = own.filter((name) => !name.endsWith('*'));
  const meant = asked
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => isToken(name) && prefixes.some((prefix) => name.startsWith(prefix)));
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': joined(headers, [...named, ...meant]).join(', '),
    'access-control-max-age': String(maxAge),
  };
}

/** Both lists; a name in either spelling once. */
function joined(first: readonly string[], second: readonly string[]): readonly string[] {
  const known = new Set(first.map((name) => name.toLowerCase()));
  return [...first, ...new Set(second.filter((name) => !known.has(name.toLowerCase())))];
}

/** RFC 9110, 5.6.2. */
function isToken(name: string): boolean {
  return /^[!#$%&'*+\-.^_`|~\w]+$/.test(name);
}
