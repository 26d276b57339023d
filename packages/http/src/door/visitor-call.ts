import type { Route } from '@waymark/contract';
import { type Call, type RequestInput, readQuery } from '@waymark/contract/engine';
import type { BrowserSide, Principal } from '@waymark/contract/principal';
import type { Method } from '@waymark/contract/route';
import type { RequestBody } from '../body/request-body.ts';
import type { Entered } from './entrance.ts';
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
    this.route = route;
    this.input = {
      by: 'request',
      // The router found a route for it, so it is a method of the table or HEAD.
      method: visit.method as Method | 'HEAD',
      path: visit.path,
      headers,
      body,
      params,
      search: via === 'socket' ? withoutToken(visit.search) : visit.search,
    };
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

/** The credential of an upgrade is not a parameter: handlers and what they log never see it. */
function withoutToken(search: string): string {
  try {
    if (!hasToken(search)) return search;
  } catch {
    // Whoever binds it refuses it as a whole.
    return search;
  }
  const others = search.split('&').filter((piece) => !hasToken(piece));
  return others.join('&');
}

function hasToken(search: string): boolean {
  let found = false;
  readQuery(search, (name) => {
    found ||= name === 'access_token';
    return false;
  });
  return found;
}
