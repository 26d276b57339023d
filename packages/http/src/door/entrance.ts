import type { IncomingMessage } from 'node:http';
import { HTTPError, type Route } from '@waymark/contract';
import {
  type Awaitable,
  type Match,
  type RouteResponse,
  type Router,
  readQuery,
} from '@waymark/contract/engine';
import {
  type Authenticate,
  type Authentication,
  type BrowserSide,
  type Credentials,
  holds,
  type Principal,
} from '@waymark/contract/principal';
import type { RouteCors } from '@waymark/contract/route';
import type { AuditEvent } from '@waymark/contract/stores';
import { isHostForm } from '../security/host-guard.ts';
import type { Policies } from '../security/policies.ts';
import { hasTooManyHeaders, tooManyHeaders } from '../server/too-many-headers.ts';
import type { SessionDoor } from '../session/session-door.ts';
import { createControlPath } from './control-path.ts';
import type { DoorOptions } from './door-options.ts';
import { inTime } from './in-time.ts';
import { isTarget } from './request-target.ts';
import { type SentAway, sentAway, sentAwayUnknown, sentAwayWith, unmatched } from './sent-away.ts';
import { toPrincipal } from './to-principal.ts';
import type { Visit } from './visit.ts';

/** A visitor whose route and principal are known. */
export interface Entered {
  readonly ok: true;
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  readonly principal: Principal;
  /** For handlers: those that were sent, without the session. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What an entrance asks. */
export interface EntranceOptions
  extends Pick<
    DoorOptions,
    | 'authenticate'
    | 'principalOf'
    | 'authenticateTimeoutMs'
    | 'controlRule'
    | 'challenge'
    | 'isOwnPath'
    | 'emit'
    | 'log'
  > {
  readonly router: Router;
  readonly controlPrefix: string;
  readonly policies: Policies;
  readonly sessions: SessionDoor | undefined;
}

const health = '/health';

/** Requests and upgrades up to the dispatcher, in the one order of decision 2.1. */
export class Entrance {
  /** Set once shutdown began: everybody but health is sent away. */
  draining = false;
  readonly #router: Router;
  readonly #authenticate: Authenticate;
  readonly #principalOf: EntranceOptions['principalOf'];
  readonly #challenge: EntranceOptions['challenge'];
  readonly #isOwnPath: EntranceOptions['isOwnPath'];
  readonly #emit: EntranceOptions['emit'];
  readonly #log: EntranceOptions['log'];
  readonly #authenticateTimeoutMs: number;
  readonly #controlRule: EntranceOptions['controlRule'];
  readonly #controlPath: (path: string) => string | undefined;
  readonly #policies: Policies;
  readonly #sessions: SessionDoor | undefined;
  #lastHost: string | undefined;

  constructor(options: EntranceOptions) {
    this.#emit = options.emit;
    this.#log = options.log;
    this.#authenticateTimeoutMs = options.authenticateTimeoutMs ?? 30_000;
    this.#router = options.router;
    this.#authenticate = options.authenticate;
    this.#principalOf = options.principalOf;
    this.#challenge = options.challenge;
    this.#isOwnPath = options.isOwnPath;
    this.#controlRule = options.controlRule;
    this.#controlPath = createControlPath(options.controlPrefix);
    this.#policies = options.policies;
    this.#sessions = options.sessions;
  }

  /**
   * The outside → under the control prefix: authenticate and its rule → match → authenticate elsewhere → rate. Stays
   * synchronous as long as `authenticate` does.
   *
   * @param upgrade whether it asks for a WebSocket
   * @param guest whether somebody else's paths are served beside ours; its own guards are for those, not these
   * @throws whatever `authenticate` throws, although it must not
   */
  enter(visit: Visit, upgrade: boolean, guest = false): Awaitable<Entered | SentAway> {
    const control = this.#controlPath(visit.path);
    visit.control = control;
    const stopped = this.#stop(visit, control, upgrade);
    if (stopped) return guest && this.#isForeign(visit, control) ? { ...stopped, absent: true } : stopped;
    if (control !== undefined) return this.#enterControl(visit, upgrade, control);
    const match = this.#router.match(visit.method, visit.path, upgrade);
    if (!match.found) return unmatched(visit.method, match, match.status === 404 && !this.owns(visit));
    return then(this.#identify(visit, upgrade), (authentication) =>
      this.#admit(visit, authentication, match, true),
    );
  }

  /**
   * The answer to somebody sent away whom nobody else answers. A failure is charged to the address, and 429 when it is one
   * too many: a 401 of anybody, and a path that leads nowhere when nobody known asks for it (decision 2.1).
   */
  turnAway(visit: Visit, upgrade: boolean, { response, failure }: SentAway): Awaitable<RouteResponse> {
    if (failure === undefined) return response;
    const { failures } = this.#policies;
    if (failure === 'no-path')
      return then(this.#isKnown(visit, upgrade), (known) =>
        known ? response : failures.charge(visit, response),
      );
    return failure === 'wrong-credential'
      ? this.#chargeWrong(visit, upgrade, response)
      : failures.charge(visit, response);
  }

  /** The limit bounds the events as well. */
  #chargeWrong(visit: Visit, upgrade: boolean, response: RouteResponse): Awaitable<RouteResponse> {
    return then(this.#policies.failures.charge(visit, response), (answer) => {
      if (answer === response) this.#emit?.(toAuthRefused(visit, upgrade));
      return answer;
    });
  }

  /**
   * What the dispatcher answers somebody who came in. The only 401 that is its own is that for want of scopes, and who
   * lacks them reaches no engine; what an engine answers is never charged (decision 2.1), unless it was asked to judge a
   * credential that came in a body.
   */
  turnBack(visit: Visit, { principal, route }: Entered, response: RouteResponse): Awaitable<RouteResponse> {
    if (response.status !== 401) return response;
    if (route.facts.opensSessions) return this.#chargeWrong(visit, false, response);
    if (holds(principal, route.scopes)) return response;
    return this.#policies.failures.charge(visit, response);
  }

  /** Whether a path outside the control prefix is never somebody else's. */
  owns({ path }: Pick<Visit, 'path'>): boolean {
    return this.#isOwnPath?.(path) ?? false;
  }

  /** The part that needs neither table nor credentials, for what others will answer. */
  outside(visit: Visit): SentAway | undefined {
    const control = this.#controlPath(visit.path);
    visit.control = control;
    return this.#stop(visit, control, false);
  }

  /** Shape → Host and origin → shutdown → preflight. */
  #stop(visit: Visit, control: string | undefined, upgrade: boolean): SentAway | undefined {
    if (hasTooManyHeaders(visit.req)) return sentAway(new HTTPError(431, tooManyHeaders));
    if (!hasOneHost(visit.req)) return sentAway(new HTTPError(400, 'a request needs one Host header'));
    if (!isTarget(visit.req.url ?? '/')) return sentAway(new HTTPError(400, 'the request target is no URL'));
    if (!this.#isHost(visit.req.headers.host))
      return sentAway(new HTTPError(400, 'the Host header is malformed'));
    const { guards } = this.#policies;
    const refusal = guards.refusal(visit, control ?? (this.owns(visit) ? visit.path : undefined), upgrade);
    if (refusal) return sentAway(refusal);
    if (this.draining && control !== health)
      return sentAway(new HTTPError(503, 'the server is shutting down', { headers: { 'retry-after': '1' } }));
    if (upgrade || visit.method !== 'OPTIONS') return undefined;
    const preflight = guards.preflight(visit, (method) => this.#corsOf(visit, method));
    if (preflight === undefined) return undefined;
    return preflight instanceof HTTPError ? sentAway(preflight) : sentAwayWith(preflight);
  }

  #isHost(host: string | undefined): boolean {
    // Nearly all requests have the one they had before.
    if (host === undefined || host === this.#lastHost) return true;
    if (!isHostForm(host)) return false;
    this.#lastHost = host;
    return true;
  }

  #isForeign(visit: Visit, control: string | undefined): boolean {
    if (control !== undefined || this.draining) return false;
    const match = this.#router.match(visit.method, visit.path, false);
    return !match.found && match.status === 404 && !this.owns(visit);
  }

  /** Known path or not, the rule is asked first, so that an outsider learns nothing about what is there. */
  #enterControl(visit: Visit, upgrade: boolean, control: string): Awaitable<Entered | SentAway> {
    // Health answers in spite of a wrong credential (decision 3.3).
    const caller =
      control === health
        ? this.#inTime(visit, this.#authenticate({ headers: {} }))
        : this.#identify(visit, upgrade);
    return then(caller, (authentication) => {
      if (!authentication.ok) return sentAwayUnknown(this.#challenged(visit, control, authentication.error));
      visit.principal = authentication.principal;
      const refusal = this.#refusal(control, authentication.principal, visit);
      if (refusal) return sentAway(this.#challenged(visit, control, refusal));
      const match = this.#router.match(visit.method, visit.path, upgrade);
      if (!match.found) return unmatched(visit.method, match, false);
      // Whoever asks how we are must not be told "too often".
      return this.#admit(visit, authentication, match, control !== health);
    });
  }

  #refusal(path: string, principal: Principal, visit: Visit): HTTPError | undefined {
    if (!this.#controlRule)
      return new HTTPError(403, 'the control plane has no guard: give the door a `controlRule`');
    const { clientAddress, headers } = visit;
    return this.#controlRule({ path, principal, clientAddress, headers });
  }

  #challenged(visit: Visit, control: string, refusal: HTTPError): HTTPError {
    // The route is not known yet, and a page has to read how to be let in.
    if (visit.origin !== undefined) visit.exposes = this.#corsOf(visit, visit.method)?.expose;
    const at = { path: control, host: visit.headers['host'], principal: visit.principal };
    return this.#challenge?.(refusal, at) ?? refusal;
  }

  #identify(visit: Visit, upgrade: boolean): Awaitable<Authentication> {
    return this.#inTime(visit, this.#ask(visit, upgrade));
  }

  /** A sign-in that never says anything must not hold requests for ever; nobody else bounds it. */
  #inTime(visit: Visit, told: Awaitable<Authentication>): Awaitable<Authentication> {
    if (!(told instanceof Promise)) return told;
    const ms = this.#authenticateTimeoutMs;
    return inTime(told, ms, () => {
      const { requestId, sentPath: path } = visit;
      this.#log?.('error', 'nobody said in time who a request is from', { request_id: requestId, path });
      return new HTTPError(504, `who you are could not be told within ${ms / 1000} s`, { code: 'timeout' });
    });
  }

  /** What pages need of the route at a path; of any of them, where none takes the method: a 405 is theirs to read, too. */
  #corsOf(visit: Visit, method: string): RouteCors | undefined {
    const match = this.#router.match(method, visit.path, false);
    if (match.found) return match.route.cors;
    const [other] = match.allow;
    const taken = other === undefined ? match : this.#router.match(other, visit.path, false);
    return taken.found ? taken.route.cors : undefined;
  }

  /** Who it is: what somebody in front has found out, else what the credentials say. */
  #ask(visit: Visit, upgrade: boolean): Awaitable<Authentication> {
    if (!this.#principalOf) return this.#judge(visit, upgrade);
    return then(settled(this.#principalOf(visit.req)), (given) => {
      const principal = toPrincipal(given);
      return principal ? { ok: true, principal } : this.#judge(visit, upgrade);
    });
  }

  /** Whoever shows a credential means that one; a session speaks where there is none. */
  #judge(visit: Visit, upgrade: boolean): Awaitable<Authentication> {
    const credentials = credentialsOf(visit, upgrade);
    const holder = carriesCredential(credentials) ? undefined : this.#sessions?.holder(visit, upgrade);
    return holder ? { ok: true, principal: holder.principal } : this.#authenticate(credentials);
  }

  /** What a route that opens and ends sessions is told of the browser. */
  browser(visit: Visit): BrowserSide | undefined {
    return this.#sessions?.browser(visit);
  }

  /**
   * Whether somebody known asks for a path that leads nowhere. It stays 404 whoever asks, so that a credential which is
   * wrong or cannot be looked at only means that nobody is known.
   */
  #isKnown(visit: Visit, upgrade: boolean): Awaitable<boolean> {
    // Below the control prefix they were asked already.
    if (visit.principal) return visit.principal.authenticated;
    const maySay = this.#principalOf || (this.#sessions && visit.req.headers.cookie !== undefined);
    if (!maySay && !carriesCredential(credentialsOf(visit, upgrade))) return false;
    const isKnown = (authentication: Authentication): boolean => {
      if (!authentication.ok) return false;
      visit.principal = authentication.principal;
      return authentication.principal.authenticated;
    };
    try {
      const told = this.#identify(visit, upgrade);
      return told instanceof Promise ? told.then(isKnown).catch(() => false) : isKnown(told);
    } catch {
      return false;
    }
  }

  #admit(
    visit: Visit,
    authentication: Authentication,
    { route, params }: Extract<Match, { found: true }>,
    limited: boolean,
  ): Awaitable<Entered | SentAway> {
    visit.route = route;
    visit.exposes = route.cors?.expose;
    if (!authentication.ok) return sentAwayUnknown(authentication.error);
    const { principal } = authentication;
    visit.principal = principal;
    visit.allowance = limited ? this.#policies.rate?.of(principal, visit) : undefined;
    const entered = { route, params, principal };
    const refusal = visit.allowance?.take(1);
    if (!(refusal instanceof Promise)) return refusal ? sentAway(refusal) : this.#enterAs(visit, entered);
    return refusal.then((late) => (late ? sentAway(late) : this.#enterAs(visit, entered)));
  }

  #enterAs({ headers }: Visit, entered: Pick<Entered, 'route' | 'params' | 'principal'>): Entered {
    return {
      ok: true,
      ...entered,
      headers:
        this.#sessions && headers['cookie'] !== undefined ? this.#sessions.withoutSession(headers) : headers,
    };
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
  const headers = withBothAuthorizations(visit);
  if (!upgrade || headers['x-api-key'] !== undefined || headers['authorization'] !== undefined)
    return { headers };
  const tokens: string[] = [];
  readQuery(
    visit.search,
    (name) => name === 'access_token',
    (_, token) => tokens.push(token),
  );
  // Two tokens become one that fits nobody, like two headers.
  return tokens.length === 0 ? { headers } : { headers, accessToken: tokens.join(', ') };
}

/** Node keeps the first of two `authorization` lines and drops the second; joined, as it joins keys, they fit nobody. */
function withBothAuthorizations({ headers, req: { rawHeaders } }: Visit): Credentials['headers'] {
  if (headers['authorization'] === undefined) return headers;
  const values = rawHeaders.filter(
    (_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'authorization',
  );
  return values.length === 1 ? headers : { ...headers, authorization: values.join(', ') };
}

/** The most of a path that the audit log is given by somebody it does not know. */
const maxAuditedPath = 200;

/** The event of a wrong credential. */
function toAuthRefused({ sentPath, clientAddress }: Visit, upgrade: boolean): AuditEvent {
  return {
    kind: 'auth_refused',
    via: upgrade ? 'socket' : 'http',
    path: sentPath.slice(0, maxAuditedPath),
    client_address: clientAddress,
  };
}

function carriesCredential({ headers, accessToken }: Credentials): boolean {
  return (
    accessToken !== undefined || headers['x-api-key'] !== undefined || headers['authorization'] !== undefined
  );
}

/** Query builders and older libraries have promises of their own, which `then` would take for values. */
function settled<T>(value: Awaitable<T>): Awaitable<T> {
  return typeof (value as Partial<PromiseLike<T>> | undefined | null)?.then === 'function'
    ? Promise.resolve(value)
    : value;
}

function then<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
