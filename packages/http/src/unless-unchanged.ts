import { RouteResponse } from '@waymark/contract';
import { matchesETag } from './etag.ts';

/**
 * The answer to somebody who may have it already: 304 where `If-None-Match` names the tag of a 200 (RFC 9110, 13.1.2),
 * with the same headers; otherwise the response itself.
 */
export function unlessUnchanged(
  response: RouteResponse,
  method: string,
  ifNoneMatch: string | undefined,
): RouteResponse {
  if (ifNoneMatch === undefined || response.status !== 200) return response;
  if (method !== 'GET' && method !== 'HEAD') return response;
  const etag = response.headers['etag'];
  if (etag === undefined || !matchesETag(ifNoneMatch, etag)) return response;
  return new RouteResponse(304, { kind: 'empty' }, response.headers);
}
