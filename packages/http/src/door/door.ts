import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { DeclarationError } from '@waymark/contract';
import type { Budget, Log } from '@waymark/contract/engine';
import type { Taken } from '@waymark/contract/http';
import { bodyBudget, defaultDoorLimits } from '../limits/door-limits.ts';
import { Places } from '../limits/places.ts';
import { answerClientError } from '../response/client-error.ts';
import { Policies } from '../security/policies.ts';
import { SessionDoor } from '../session/session-door.ts';
import { SessionUses } from '../session/session-uses.ts';
import { OpenSockets } from '../socket/open-sockets.ts';
import { Upgrades } from '../socket/upgrades.ts';
import { checkMountPath } from './check-mount-path.ts';
import type { DoorOptions } from './door-options.ts';
import { Entrance } from './entrance.ts';
import { miscasedMount } from './miscased-mount.ts';
import { requestLanes } from './request-lanes.ts';
import { Requests } from './requests.ts';
import { Traffic, type TrafficCount } from './traffic.ts';

/** HTTP and WebSocket side of a dispatcher: handlers for a server of `node:http`, or for an express application. */
export interface Door {
  /**
   * Middleware for `app.use` of express and alike, mounted anywhere: paths of the table begin there. A path that the
   * table does not know goes on to `next`; all others are answered here, errors included.
   */
  readonly middleware: (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;
  /**
   * Gives the request listener for `node:http`. Paths of the table begin at `mountPath`; one that it does not know goes to
   * the fallback, or is 404.
   */
  readonly listener: (fallback?: RequestListener) => RequestListener;
  /**
   * The same for an application that has paths of its own: those go to it untouched, without a header or a log line of
   * ours, as `middleware` leaves them to `next`.
   */
  readonly beside: (application: (req: IncomingMessage, res: ServerResponse) => unknown) => RequestListener;
  /**
   * Middleware to `app.use` before all others of an express application: it applies hosts, origins and protective headers
   * to all answers of that application. `middleware` follows where the table shall answer.
   */
  readonly protect: (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;
  /**
   * Handler of the `upgrade` event of `node:http`. A path that the table does not know goes on to `next`, or is 404.
   */
  readonly upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer, next?: () => void) => void;
  /** Handler of the `clientError` event of `node:http`: answers bytes that are no HTTP request. */
  readonly clientError: (error: Error, socket: Duplex) => void;
  /** Number of open WebSockets. */
  readonly sockets: number;
  /** What callers hold at the moment of what `limits` bounds. */
  readonly held: {
    /** Bytes of bodies, and of messages that are not whole. */
    readonly bodyBytes: number;
    /** WebSockets and streams without an end. */
    readonly sockets: number;
  };
  /** Counts the answers of a while up to now, a day at most: of this process, and none under the control prefix. */
  traffic(windowMs: number): TrafficCount;
  /** Counts an answer that another door gave, for `traffic`. */
  count(status: number, ms: number | undefined): void;
  /** Takes from a bucket of this door for another one that shares it; undefined where there is no such limit. */
  take(limit: 'rate' | 'failures', key: string, cost: number): Taken | undefined;
  /**
   * Begins to drain: requests but health are answered 503 and their connections closed, open sockets close with 1001.
   */
  drain(): void;
  /** Resolves once no request waits for its answer. */
  whenIdle(): Promise<void>;
  /** Closes open sockets with 1001, and cuts those still open after `graceMs` milliseconds; default: 2,000. */
  closeSockets(graceMs?: number): Promise<void>;
}

/**
 * Makes a door without listening: `listen` does, or a server of your own that is given its handlers.
 *
 * @throws {DeclarationError} wrong policies (see `checkPolicies`), or a `mountPath` that is no path
 */
export function createDoor(options: DoorOptions): Door {
  return new TableDoor(options);
}

class TableDoor implements Door {
  readonly #entrance: Entrance;
  readonly #policies: Policies;
  readonly #sockets: OpenSockets;
  readonly #inFlight: Budget;
  readonly #places: Places;
  readonly #traffic = new Traffic(() => performance.now());
  readonly #count = (status: number, ms: number | undefined): void => this.#traffic.add(status, ms);
  readonly #requests: Requests;
  readonly #upgrades: Upgrades;
  readonly #mountPath: string;
  readonly #newId: () => string;
  readonly #log: Log | undefined;
  #toldOfCase = false;

  constructor(options: DoorOptions) {
    const { dispatcher, controlPrefix = '/_svc', mountPath = '', newId, log } = options;
    const misplaced = checkMountPath(mountPath);
    if (misplaced.length > 0) throw new DeclarationError(misplaced);
    const policies = new Policies(options, options);
    this.#policies = policies;
    this.#sockets = new OpenSockets(options.socketPingMs);
    const { maxSocketsPerCaller = 100, limits = {} } = options;
    const { sockets = defaultDoorLimits.sockets } = limits;
    const { streamIdleMs = 30_000, clientIdleMs = 60_000, eventKeepAliveMs = 15_000 } = options;
    // Somebody's own `authenticate` does not say, and takes what it takes; it is no offer of OAuth (decision 3.1).
    const { challenge = 'ApiKey realm="waymark"', sessions: kept } = options.authenticate;
    const sessions = kept && new SessionDoor(kept, policies.guards);
    const sessionUses = new SessionUses();
    kept?.onEnded((id) => sessionUses.end(id));
    this.#entrance = new Entrance({ ...options, router: dispatcher, controlPrefix, policies, sessions });
    this.#inFlight = bodyBudget(limits);
    this.#places = new Places({ perCaller: maxSocketsPerCaller, total: sockets });
    const shared = {
      ...{ dispatcher, entrance: this.#entrance, policies, newId, log, challenge, lanes: requestLanes() },
      ...{ inFlight: this.#inFlight, places: this.#places, answered: options.onAnswered ?? this.#count },
      ...{ sessionUses, problemPage: options.problemPage },
    };
    this.#requests = new Requests(shared, {
      ...{ streamIdleMs, clientIdleMs },
      keepAliveMs: Math.min(eventKeepAliveMs, streamIdleMs / 2),
    });
    this.#upgrades = new Upgrades(shared, this.#sockets, mountPath);
    this.#mountPath = mountPath;
    this.#newId = newId;
    this.#log = log;
  }

  readonly middleware: Door['middleware'] = (req, res, next) => {
    const spelt = miscasedMount(req, this.#mountPath);
    if (spelt === undefined) this.#requests.pass(req, res, next);
    else this.#leave(spelt, next);
  };

  readonly listener: Door['listener'] = (fallback) =>
    this.#mountPath === ''
      ? (req, res) => this.#requests.take(req, res, fallback)
      : (req, res) => this.#requests.takeBelow(this.#mountPath, req, res, fallback);

  readonly beside: Door['beside'] = (application) => (req, res) =>
    this.#requests.passBelow(this.#mountPath, req, res, () => application(req, res));

  readonly protect: Door['protect'] = (req, res, next) => this.#requests.protect(req, res, next);

  readonly upgrade: Door['upgrade'] = (req, socket, head, next) =>
    this.#upgrades.take(req, socket, head, next);

  readonly clientError: Door['clientError'] = (error, socket) => {
    const requestId = this.#newId();
    const https = 'encrypted' in socket && socket.encrypted === true;
    const { lines } = this.#policies.headers.of({ origin: undefined, https });
    const status = answerClientError(error, socket, requestId, lines);
    if (status !== undefined)
      this.#log?.('info', 'malformed request', { request_id: requestId, status, reason: error.message });
  };

  /** Once is enough: anybody may ask so. */
  #leave(spelt: string, next: () => void): void {
    if (!this.#toldOfCase) {
      this.#toldOfCase = true;
      const fix = `where the middleware is mounted at it, write mountPath: ${JSON.stringify(spelt)}`;
      this.#log?.('warn', 'a path that has the mount path in other letter case was left to next()', {
        ...{ mount_path: this.#mountPath, sent: spelt, fix },
      });
    }
    next();
  }

  get sockets(): number {
    return this.#sockets.size;
  }

  get held(): Door['held'] {
    return { bodyBytes: this.#inFlight.held, sockets: this.#places.taken };
  }

  count(status: number, ms: number | undefined): void {
    this.#count(status, ms);
  }

  take(limit: 'rate' | 'failures', key: string, cost: number): Taken | undefined {
    return this.#policies.take(limit, key, cost);
  }

  traffic(windowMs: number): TrafficCount {
    return this.#traffic.count(windowMs);
  }

  drain(): void {
    this.#entrance.draining = true;
    this.#sockets.close();
  }

  whenIdle(): Promise<void> {
    return this.#requests.whenIdle();
  }

  closeSockets(graceMs = 2000): Promise<void> {
    return this.#sockets.end(graceMs);
  }
}
