import { HTTPError, type Route } from '@waymark/contract';
import type { Call, RequestInput } from '@waymark/contract/engine';
import type { BrowserSide, Principal } from '@waymark/contract/principal';
import type { Method } from '@waymark/contract/route';
import type { RequestBody } from '../body/request-body.ts';
import type { Entered } from './entrance.ts';
import { parseQuery, type Query } from './request-target.ts';
import type { Visit } from './visit.ts';

/** What a call needs of the connection it came over. */
export interface Line {
  readonly via: 'http' | 'socket';
  readonly body: RequestBody;
  /** Makes the signal that fires when the client goes away; asked for at most once. */
  readonly gone: () => AbortSignal;
  /** Of what its caller may have in flight; for sockets, which keep messages. */
  readonly hold?: Call['hold'];
  /** For routes that open and end sessions. */
  readonly browser?: BrowserSide | undefined;
}

/** The call for the dispatcher: the route and the request as it came, its body unread. */
export class VisitorCall implements Call {
  readonly route: Route;
  readonly input: RequestInput;
  readonly principal: Principal;
  readonly via: 'http' | 'socket';
  readonly requestId: string;
  readonly clientAddress: string;
  readonly charge?: NonNullable<Call['charge']>;
  readonly hold?: NonNullable<Call['hold']>;
  readonly browser?: BrowserSide;
  readonly #gone: () => AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(
    visit: Visit,
    { route, params, principal, headers }: Entered,
    { via, body, gone, hold, browser }: Line,
  ) {
    const query = readQuery(visit.search, via);
    const unreadable = query instanceof HTTPError;
    const input: RequestInput = {
      by: 'request',
      // The router found a route for it, so it is a method of the table or HEAD.
      method: visit.method as Method | 'HEAD',
      path: visit.path,
      headers,
      body,
      params,
      query: unreadable ? [] : query,
    };
    this.route = route;
    this.input = unreadable ? refusingQuery(input, query) : input;
    this.principal = principal;
    this.via = via;
    this.requestId = visit.requestId;
    this.clientAddress = visit.clientAddress;
    const { allowance } = visit;
    if (allowance) this.charge = (cost) => allowance.charge(cost);
    if (hold) this.hold = hold;
    if (browser) this.browser = browser;
    this.#gone = gone;
  }

  /** Made when it is first asked for: most routes never do, and a controller with its listener costs 4 % of a small request (measured). */
  get signal(): AbortSignal {
    this.#signal ??= this.#gone();
    return this.#signal;
  }
}

function readQuery(search: string, via: Line['via']): Query | HTTPError {
  try {
    const query = parseQuery(search);
    return via === 'socket' ? withoutToken(query) : query;
  } catch (error) {
    // The only thing it throws.
    return error as HTTPError;
  }
}

/**
 * The 400 for a query that cannot be decoded is for whoever binds it: nobody is told before 401 and 403. Only then is
 * it a getter: one for every call would cost a quarter of a small request (measured).
 */
function refusingQuery(input: RequestInput, error: HTTPError): RequestInput {
  const get = (): never => {
    throw error;
  };
  return Object.defineProperty(input, 'query', { get, enumerable: true });
}

/** The credential of an upgrade is not a parameter: handlers and what they log never see it. */
function withoutToken(query: Query): Query {
  return query.filter(([name]) => name !== 'access_token');
}
