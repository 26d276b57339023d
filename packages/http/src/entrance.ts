import type { IncomingMessage } from 'node:http';
import {
  type Authenticate,
  type Authentication,
  type Awaitable,
  type ControlRule,
  type Credentials,
  HTTPError,
  type Match,
  type Principal,
  problemResponse,
  type Route,
  RouteResponse,
  type Router,
} from '@waymark/contract';
import { createControlPath } from './control-path.ts';
import { parseQuery } from './request-target.ts';
import type { Visit } from './visit.ts';

/** A visitor whose route and principal are known. */
export interface Entered {
  readonly ok: true;
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  readonly principal: Principal;
}

/** A visitor sent away. `absent`: the table knows nothing of the path, so somebody else may. */
export interface SentAway {
  readonly ok: false;
  readonly response: RouteResponse;
  readonly absent: boolean;
}

/** What an entrance asks. */
export interface EntranceOptions {
  readonly router: Router;
  readonly authenticate: Authenticate;
  readonly controlPrefix: string;
  readonly controlRule: ControlRule | undefined;
}

/** Requests and upgrades up to the dispatcher, in the one order of decision 2.1. */
export class Entrance {
  /** Set once shutdown began: everybody but health is sent away. */
  draining = false;
  readonly #router: Router;
  readonly #authenticate: Authenticate;
  readonly #controlRule: ControlRule | undefined;
  readonly #controlPath: (path: string) => string | undefined;

  constructor({ router, authenticate, controlPrefix, controlRule }: EntranceOptions) {
    this.#router = router;
    this.#authenticate = authenticate;
    this.#controlRule = controlRule;
    this.#controlPath = createControlPath(controlPrefix);
  }

  /**
   * Hosts → shutdown → under the control prefix: authenticate and its rule → match → authenticate elsewhere. Stays
   * synchronous as long as `authenticate` does.
   *
   * @throws whatever `authenticate` throws, although it must not
   */
  enter(visit: Visit, upgrade: boolean): Awaitable<Entered | SentAway> {
    if (!hasOneHost(visit.req)) return sentAway(new HTTPError(400, 'a request needs one Host header'));
    const control = this.#controlPath(visit.path);
    if (this.draining && control !== '/health')
      return sentAway(new HTTPError(503, 'the server is shutting down', { headers: { 'retry-after': '1' } }));
    if (control !== undefined) return this.#enterControl(visit, upgrade, control);
    const match = this.#router.match(visit.method, visit.path, upgrade);
    if (!match.found) return unmatched(visit.method, match, match.status === 404);
    return then(this.#authenticate(credentialsOf(visit, upgrade)), (authentication) =>
      admitted(visit, authentication, match),
    );
  }

  /** Known path or not, the rule is asked first, so that an outsider learns nothing about what is there. */
  #enterControl(visit: Visit, upgrade: boolean, control: string): Awaitable<Entered | SentAway> {
    // Health answers in spite of a wrong credential (decision 3.3).
    const credentials = control === '/health' ? { headers: {} } : credentialsOf(visit, upgrade);
    return then(this.#authenticate(credentials), (authentication) => {
      if (!authentication.ok) return sentAway(authentication.error);
      const refusal = this.#refusal(control, authentication.principal, visit.clientAddress);
      if (refusal) {
        visit.principal = authentication.principal;
        return sentAway(refusal);
      }
      const match = this.#router.match(visit.method, visit.path, upgrade);
      if (!match.found) return unmatched(visit.method, match, false);
      return admitted(visit, authentication, match);
    });
  }

  #refusal(path: string, principal: Principal, clientAddress: string): HTTPError | undefined {
    if (!this.#controlRule)
      return new HTTPError(403, 'the control plane has no guard: give the door a `controlRule`');
    return this.#controlRule({ path, principal, clientAddress });
  }
}

/** Node keeps the first of two Host headers and drops the second; RFC 9112 (3.2) wants neither believed. */
function hasOneHost({ rawHeaders, httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersionMajor === 1 && httpVersionMinor === 0);
}

/** `access_token` counts on upgrades only, where browsers can set no header, and never beside a header. */
function credentialsOf(visit: Visit, upgrade: boolean): Credentials {
  const { headers } = visit;
  if (!upgrade || headers['x-api-key'] !== undefined || headers['authorization'] !== undefined)
    return { headers };
  const tokens = parseQuery(visit.search).filter(([name]) => name === 'access_token');
  // Two tokens become one that fits nobody, like two headers.
  return tokens.length === 0
    ? { headers }
    : { headers, accessToken: tokens.map(([, value]) => value).join(', ') };
}

function admitted(
  visit: Visit,
  authentication: Authentication,
  { route, params }: Extract<Match, { found: true }>,
): Entered | SentAway {
  visit.route = route;
  if (!authentication.ok) return sentAway(authentication.error);
  visit.principal = authentication.principal;
  return { ok: true, route, params, principal: authentication.principal };
}

function unmatched(method: string, match: Extract<Match, { found: false }>, absent: boolean): SentAway {
  return { ok: false, response: toMissResponse(method, match), absent };
}

function toMissResponse(method: string, { status, allow }: Extract<Match, { found: false }>): RouteResponse {
  const headers = { allow: allow.join(', ') };
  if (method === 'OPTIONS' && allow.length > 0) return new RouteResponse(204, { kind: 'empty' }, headers);
  if (status === 405) return problemResponse(405, `${method} is not allowed here`, {}, headers);
  if (status === 404) return problemResponse(404, 'nothing is served at this path');
  if (status === 426) return problemResponse(426, 'this path is a WebSocket', {}, { upgrade: 'websocket' });
  return problemResponse(400, 'the path cannot be read');
}

function sentAway({ status, message, members, headers }: HTTPError): SentAway {
  return { ok: false, response: problemResponse(status, message, members, headers), absent: false };
}

function then<T, R>(value: Awaitable<T>, next: (value: T) => R): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
