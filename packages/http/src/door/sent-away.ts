import type { HTTPError } from '@waymark/contract';
import { type Match, problemResponse, RouteResponse } from '@waymark/contract/engine';

/** A visitor sent away. */
export interface SentAway {
  readonly ok: false;
  readonly response: RouteResponse;
  /** The table knows nothing of the path, so somebody else may. */
  readonly absent: boolean;
  /** What the client address may be charged for (decision 2.1). */
  readonly failure: Failure | undefined;
}

/** A 401 for a credential that is wrong, or for none; or a 404 where no route has the path. */
export type Failure = 'wrong-credential' | 'no-credential' | 'no-path';

/** Sent away with an answer; a 401 for want of a credential, unless more is known. */
export function sentAwayWith(
  response: RouteResponse,
  failure: Failure | undefined = response.status === 401 ? 'no-credential' : undefined,
): SentAway {
  return { ok: false, response, absent: false, failure };
}

/** Sent away with an error. */
export function sentAway({ status, message, members, headers }: HTTPError): SentAway {
  return sentAwayWith(problemResponse(status, message, members, headers));
}

/** Sent away because a credential is wrong, or could not be looked at. */
export function sentAwayUnknown(error: HTTPError): SentAway {
  const away = sentAway(error);
  return away.failure === undefined ? away : { ...away, failure: 'wrong-credential' };
}

/** Sent away because the table has no such route. */
export function unmatched(
  method: string,
  match: Extract<Match, { found: false }>,
  absent: boolean,
): SentAway {
  const failure = match.status === 404 ? 'no-path' : undefined;
  return { ...sentAwayWith(toMissResponse(method, match), failure), absent };
}

function toMissResponse(method: string, { status, allow }: Extract<Match, { found: false }>): RouteResponse {
  if (status === 400) return problemResponse(400, malformed(method, allow));
  const headers = { allow: allow.join(', ') };
  if (method === 'OPTIONS' && allow.length > 0) return new RouteResponse(204, { kind: 'empty' }, headers);
  if (status === 405)
    return problemResponse(405, `${method} is not allowed here, only ${allow.join(', ')}`, {}, headers);
  if (status === 404) return problemResponse(404, 'nothing is served at this path');
  const others = allow.filter((one) => one !== 'GET');
  const orElse = others.length === 0 ? '' : `, and takes ${others.join(', ')}`;
  return problemResponse(426, `this path is a WebSocket${orElse}`, {}, { upgrade: 'websocket' });
}

function malformed(method: string, allow: readonly string[]): string {
  if (allow.length === 0) return 'the path cannot be read';
  return method === 'GET'
    ? 'this path is no WebSocket: ask for it without an upgrade'
    : 'a WebSocket is opened with GET';
}
