import type { Principal } from '../principal/principal.ts';
import type { BrowserSide } from '../principal/sessions.ts';
import type { Method, Route } from '../route/route.ts';
import type { Resumption, Step } from '../runs/run.ts';
import type { Hold } from './budget.ts';
import type { HTTPError } from './http-error.ts';
import type { Awaitable, Json, Values } from './json.ts';
import type { BodySource, Progress, RouteResponse } from './message.ts';
import type { Peer } from './peer.ts';

/** The door a call came through. It decides the approval gate. */
export type Via = 'http' | 'mcp' | 'socket' | 'agent' | 'behaviour' | 'flow' | 'watcher';

/** An HTTP request whose route is already matched. */
export interface RequestInput {
  readonly by: 'request';
  readonly method: Method | 'HEAD';
  /** As sent, without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodySource;
  /** Decoded once, by the router that matched. */
  readonly params: Readonly<Record<string, string>>;
  /** The query as sent, without its `?`: who binds it reads what is wanted of it (`readQuery`), after 401 and 403. */
  readonly search: string;
}

/** Arguments by name. No URL is ever built from them. */
export interface ArgumentsInput {
  readonly by: 'arguments';
  readonly values: Values;
}

/** The input of a call. */
export type CallInput = RequestInput | ArgumentsInput;

/**
 * One use of one route. Plain data and a few callbacks, so that a call can be stored (runs) or sent to the owner
 * process (workers): there the signal becomes a message, and `observe` and `charge` become messages back. Doors may give
 * `signal` as a getter, so a copy names it.
 */
export interface Call {
  /** A route of the dispatcher's table, taken from the table: a route whose name was taken is kept there under another. */
  readonly route: Route;
  readonly input: CallInput;
  readonly principal: Principal;
  readonly via: Via;
  readonly requestId: string;
  /**
   * By `Host.monotonic`, never later than the deadline of the call that made this one. Waiting for a human does not
   * count. To another process goes what is left of it.
   */
  readonly deadlineMs?: number;
  readonly clientAddress?: string;
  /** For routes that open and end sessions (`RouteFacts.opensSessions`). */
  readonly browser?: BrowserSide;
  readonly signal?: AbortSignal;
  /** Fires when the caller wants no more of it: the root run that answers the call ends as cancelled. Going away is no such wish. */
  readonly cancel?: AbortSignal;
  /**
   * Names the call for its caller: a second one of the same principal and route starts no run, and is answered by the first
   * one's. Of a request it is the header `idempotency-key`, of a call over MCP
   * `_meta["waymark/idempotency-key"]`.
   */
  readonly idempotencyKey?: string;
  /**
   * The input of the root run that this call starts is kept in memory, and written only when the run waits or is given back:
   * for input that is large, and worthless when its moment is over. A crash before that ends the run as failed, code
   * `interrupted`. Not with a session, whose next turns would have to know what was said.
   */
  readonly transient?: boolean;
  /**
   * What its caller wants to find again with the root run that this call starts, also after a restart (`Runner.memos`): 4 KB
   * of JSON at most. Another one with the same idempotency key leaves that of the first.
   */
  readonly memo?: Json;
  /** The journal step this call is made in; absent outside runs. Like `resume` it never leaves the process. */
  readonly step?: Step;
  /** Set by the runner alone: run this again under the id it had. */
  readonly resume?: Resumption;
  /**
   * Told the id of the root run that answers the call, once, as soon as that is stored: from then on its answer can be asked
   * for. Must return at once and never throw.
   */
  readonly onRun?: (runId: string) => void;
  /** Must return at once and never throw; a slow listener loses events without an id, never the run. */
  readonly observe?: (progress: Progress) => void;
  /**
   * Settles when whoever observes can take more; undefined while it can. Who tells events with an id waits for it after
   * each: none of them may be lost, and they are not kept for a slow reader either.
   */
  readonly room?: () => Promise<void> | undefined;
  /** Takes from the caller's rate bucket; a promise where the bucket is another process's. @throws {HTTPError} 429 */
  readonly charge?: (cost: number) => Awaitable<void>;
  /** Takes of the bytes that its caller may have in flight, for what is kept of messages. @throws {HTTPError} 503 no room */
  readonly hold?: (bytes: number) => Hold;
}

/**
 * The one door: guards → scopes → refusal over MCP → body → validate → gate → begin → engine in its deadline → response.
 *
 * The gate, for `approval: 'required'`: `http` and `socket` pass (whoever holds the scopes asks in person); `mcp` is
 * refused; any other call suspends its step, and is refused 403 when it has none: a handler that calls tools cannot
 * wait. What a dispatcher holds around a call inside a run (a timer, a counter) it gives back in `Step.onDrop` too:
 * `finally` may never run.
 */
export interface Dispatcher {
  /**
   * A promise only where something has to be waited for. Neither throws nor rejects. Inside a run that waits for a human it
   * never settles.
   */
  dispatch(call: Call): Awaitable<RouteResponse>;
  /** The same order for an upgrade; `accept` is called at most once, after the 101. Not to be forwarded: no call holds the socket. */
  upgrade(call: Call): Promise<Admission>;
}

/** The decision about an upgrade. */
export type Admission =
  | { readonly ok: true; readonly maxMessageBytes: number; accept(peer: Peer): void }
  | { readonly ok: false; readonly response: RouteResponse };

/** Finds the route of an HTTP request. The door matches first, since authentication, rate and body limits depend on the route. */
export interface Router {
  /** @param path as sent, without the query; never normalised */
  match(method: string, path: string, upgrade: boolean): Match;
}

/**
 * A route and its parameters, decoded once, or the status that says why there is none. 400 is a path that cannot be read,
 * without any `allow`, or the upgrade of one that is there and can be asked otherwise.
 */
export type Match =
  | { readonly found: true; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly found: false; readonly status: 400 | 404 | 405 | 426; readonly allow: readonly string[] };

/** Refuses a call before its scopes are looked at (draining, say). */
export type Guard = (call: Call) => HTTPError | undefined;
