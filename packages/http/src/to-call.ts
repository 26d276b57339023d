import type { Call, Method } from '@waymark/contract';
import type { RequestBody } from './body-source.ts';
import type { Entered } from './entrance.ts';
import { parseQuery, type Query } from './request-target.ts';
import type { Visit } from './visit.ts';

/** What a call needs of the connection it came over. */
export interface Line {
  readonly via: 'http' | 'socket';
  readonly body: RequestBody;
  /** Makes the signal that fires when the client goes away; asked for at most once. */
  readonly gone: () => AbortSignal;
}

/**
 * Makes the call for the dispatcher: the route and the request as it came, its body unread.
 *
 * @throws {HTTPError} 400 for a query that cannot be decoded
 */
export function toCall(visit: Visit, { route, params, principal }: Entered, { via, body, gone }: Line): Call {
  let signal: AbortSignal | undefined;
  return {
    route,
    input: {
      by: 'request',
      // The router found a route for it, so it is a method of the table or HEAD.
      method: visit.method as Method | 'HEAD',
      path: visit.path,
      headers: visit.headers,
      body,
      params,
      query: via === 'socket' ? withoutToken(parseQuery(visit.search)) : parseQuery(visit.search),
    },
    principal,
    via,
    requestId: visit.requestId,
    clientAddress: visit.clientAddress,
    // Most routes never ask, and a controller with its listener costs 4 % of a small request (measured).
    get signal() {
      signal ??= gone();
      return signal;
    },
  };
}

/** The credential of an upgrade is not a parameter: handlers and what they log never see it. */
function withoutToken(query: Query): Query {
  return query.filter(([name]) => name !== 'access_token');
}
