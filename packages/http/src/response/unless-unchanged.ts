import { RouteResponse } from '@waymark/contract/engine';
import { matchesETag } from '@waymark/contract/http';

/**
 * The answer to somebody who may have it already: 304 where `If-None-Match` names the tag of a 200 (RFC 9110, 13.1.2),
 * without what its headers say of the content, which the caller has, too (15.4.5); otherwise the response itself.
 */
export function unlessUnchanged(
  response: RouteResponse,
  method: string,
  ifNoneMatch: string | undefined,
): RouteResponse {
  if (ifNoneMatch === undefined || response.status !== 200) return response;
  if (method !== 'GET' && method !== 'HEAD') return response;
  const etag = response.headers['etag'];
  if (typeof etag !== 'string' || !matchesETag(ifNoneMatch, etag)) return response;
  return new RouteResponse(304, { kind: 'empty' }, withoutContent(response.headers));
}

function withoutContent(headers: RouteResponse['headers']): RouteResponse['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofContent.test(name)));
}

/** Where it is found stays: that is not about the content. */
const ofContent = /^(?:content-(?!location$)|last-modified$)/;
