import { type HTTPError, type Match, problemResponse, RouteResponse } from '@waymark/contract';

/** A visitor sent away. `absent`: the table knows nothing of the path, so somebody else may. */
export interface SentAway {
  readonly ok: false;
  readonly response: RouteResponse;
  readonly absent: boolean;
}

/** Sent away with an error. */
export function sentAway({ status, message, members, headers }: HTTPError): SentAway {
  return { ok: false, response: problemResponse(status, message, members, headers), absent: false };
}

/** Sent away because the table has no such route. */
export function unmatched(
  method: string,
  match: Extract<Match, { found: false }>,
  absent: boolean,
): SentAway {
  return { ok: false, response: toMissResponse(method, match), absent };
}

function toMissResponse(method: string, { status, allow }: Extract<Match, { found: false }>): RouteResponse {
  if (status === 400) return problemResponse(400, malformed(method, allow));
  const headers = { allow: allow.join(', ') };
  if (method === 'OPTIONS' && allow.length > 0) return new RouteResponse(204, { kind: 'empty' }, headers);
  if (status === 405) return problemResponse(405, `${method} is not allowed here`, {}, headers);
  if (status === 404) return problemResponse(404, 'nothing is served at this path');
  return problemResponse(426, 'this path is a WebSocket', {}, { upgrade: 'websocket' });
}

function malformed(method: string, allow: readonly string[]): string {
  if (allow.length === 0) return 'the path cannot be read';
  return method === 'GET'
    ? 'this path is no WebSocket: ask for it without an upgrade'
    : 'a WebSocket is opened with GET';
}
