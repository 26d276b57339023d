import { RouteResponse } from '@waymark/contract/engine';

/** The answer of a deprecated route, with the day since when as RFC 9745 writes it: seconds since 1970. */
export function announceDeprecation({ status, body, headers }: RouteResponse, day: string): RouteResponse {
  return new RouteResponse(status, body, { ...headers, deprecation: `@${Date.parse(day) / 1000}` });
}
