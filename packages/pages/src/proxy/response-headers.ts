import { isForSharedCaches, toPrivateKeeping } from './private-keeping.ts';
import { namedIn } from './request-headers.ts';

/** Headers of an upstream's answer that are not passed on. */
const dropped = new Set([
  // About one connection, and trailers do not come through (RFC 9110, 7.6.1).
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  // What of the body is told elsewhere.
  ...['content-length', 'content-type'],
  // Credentials of the upstream: for it no caller has any, and its cookies would be ours.
  ...['set-cookie', 'set-cookie2', 'www-authenticate', 'authentication-info'],
  ...['proxy-authenticate', 'proxy-authentication-info'],
  // Said of an origin as a whole, and this one is ours: whose pages may read it, what else it serves, how safe it is.
  ...['alt-svc', 'clear-site-data', 'public-key-pins', 'service-worker-allowed', 'strict-transport-security'],
  ...['content-security-policy', 'content-security-policy-report-only', 'permissions-policy'],
  ...['cross-origin-embedder-policy', 'cross-origin-opener-policy', 'cross-origin-resource-policy'],
  ...['referrer-policy', 'x-content-type-options', 'x-frame-options', 'x-xss-protection'],
  ...['accept-ch', 'expect-ct', 'nel', 'origin-agent-cluster', 'report-to', 'reporting-endpoints'],
  // A way elsewhere that no specification has, and whose address cannot be told from its text.
  'refresh',
  // Orders to a server in front of us, which would send a file or another page of its own.
  ...['x-accel-redirect', 'x-sendfile', 'x-lighttpd-send-file', 'x-reproxy-file', 'x-reproxy-url'],
  // What our door says of every answer.
  ...['x-request-id', 'ratelimit', 'ratelimit-policy'],
  // What somebody runs is nobody's business.
  ...['server', 'x-powered-by'],
]);

/** Headers that hold a URL of the upstream, as callers cannot reach it. */
const addresses = new Set(['location', 'content-location']);

/**
 * The headers of an answer that pass: those about what was asked for, such as `etag`, `cache-control`, `content-encoding`
 * and `content-range`. What not everybody may have is kept by no shared cache, whatever the upstream says: it knows no caller.
 * Where it says nothing, the door does.
 *
 * @param scoped whether the route asks for scopes
 * @param toPublic what callers are told instead of an address; undefined to say nothing
 */
export function toResponseHeaders(
  headers: Readonly<Record<string, string>>,
  scoped: boolean,
  toPublic: (address: string) => string | undefined,
): Readonly<Record<string, string>> {
  const named = namedIn(headers['connection']);
  const result: Record<string, string> = {};
  for (const name in headers) {
    if (dropped.has(name) || name.startsWith('access-control-') || named.includes(name)) continue;
    if (scoped && isForSharedCaches(name)) continue;
    const value = headers[name] as string;
    const told = addresses.has(name)
      ? toPublic(value)
      : scoped && name === 'cache-control'
        ? toPrivateKeeping(value)
        : value;
    if (told !== undefined) result[name] = told;
  }
  return result;
}
