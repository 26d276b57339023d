import type { RouteRequest } from '@waymark/contract';

/**
 * What of a caller's request an upstream is told (decision 5.7). Anything else is between the caller and us: credentials,
 * cookies, what concerns the connection, and what proxies before us said.
 */
const forwarded = [
  'accept',
  'content-type',
  'content-language',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'range',
  'traceparent',
  'idempotency-key',
] as const;

/**
 * The headers of a forwarded request. What `connection` names was meant for us alone (RFC 9110, 7.6.1).
 *
 * @param own those of the upstream and of its body, lower-cased; they win
 */
export function toRequestHeaders(
  headers: RouteRequest['headers'],
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const result: Record<string, string> = {};
  const named = namedIn(headers['connection']);
  for (const name of forwarded) {
    const value = headers[name];
    if (value !== undefined && !named.includes(name)) result[name] = value;
  }
  return Object.assign(result, own);
}

/** The names in a `connection` header: of what concerns two neighbours and nobody behind them. */
export function namedIn(connection: string | undefined): readonly string[] {
  return connection === undefined
    ? []
    : connection
        .trim()
        .toLowerCase()
        .split(/\s*,\s*/);
}

/** The headers that go with every request to an upstream. */
export function toOwnHeaders(
  headers: Readonly<Record<string, string>> = {},
  token: string | undefined,
): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}
