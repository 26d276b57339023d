import type { Principal } from '../principal/principal.ts';
import type { BrowserSide } from '../principal/sessions.ts';
import type { EngineKind, Route } from '../route/route.ts';
import type { RouteTable } from '../route/route-table.ts';
import type { RunEnd, RunOutcome, RunScope, RunSpec, Step } from '../runs/run.ts';
import type { Hold } from './budget.ts';
import type { Dispatcher, Via } from './dispatch.ts';
import type { LogLevel } from './host.ts';
import type { Awaitable, Json, Values } from './json.ts';
import type { BodySource, Progress, RouteRequest, RouteResponse } from './message.ts';
import type { Peer } from './peer.ts';

/** Computes answers. No engine is built with a dispatcher: it comes with each context. */
export interface Engine {
  /** What listings show. */
  readonly kind: EngineKind;
  /**
   * Who keeps the effect safe in a run: it commits with its step (`transaction`), or has a journal itself (`run`).
   * Absent: `Step.begin` marks it as started.
   */
  readonly durability?: 'transaction' | 'run';
  /** Any value a handler may return, or a `RouteResponse`. */
  answer?(context: EngineContext): unknown;
  /** Takes over an upgraded connection. `peer` keeps early messages until `onMessage` is called. A rejection closes it with 1011. */
  accept?(peer: Peer, context: EngineContext): Awaitable<void>;
}

/** The surroundings of one use of a route: what its engine is given. */
export interface EngineContext {
  readonly route: Route;
  readonly principal: Principal;
  readonly via: Via;
  readonly requestId: string;
  readonly clientAddress: string | undefined;
  /** For routes that open and end sessions (`RouteFacts.opensSessions`), when a browser can have sent the call. */
  readonly browser?: BrowserSide | undefined;
  readonly request: RouteRequest;
  /** Validated, with defaults. */
  readonly input: Values;
  /** Read it only with `body: 'source'`. */
  readonly body: BodySource;
  /** Fires at the deadline, at shutdown, and when a caller without a run goes away. */
  readonly signal: AbortSignal;
  /** By `Host.monotonic`. */
  readonly deadlineMs: number;
  readonly table: RouteTable;
  readonly dispatcher: Dispatcher;
  readonly step: Step | undefined;
  /** Only the answer of a run that has ended is asked for: `input` is not validated, and may not be kept any more. */
  readonly ended: boolean;
  /** For what went wrong and is not the caller's to read; lines carry the request id and the route. */
  log(level: LogLevel, message: string, fields?: Values): void;
  observe(progress: Progress): void;
  /** Settles when whoever observes can take more; undefined while it can, and where nobody says. */
  room(): Promise<void> | undefined;
  /** Takes from the caller's rate bucket. @throws {HTTPError} 429 */
  charge(cost: number): Awaitable<void>;
  /** Takes of the bytes that the caller may have in flight, until they are given back. @throws {HTTPError} 503 no room */
  hold(bytes: number): Hold;
  /**
   * Reads JSON that came as a message, under the bounds that hold for bodies of the route: at once where it has 4,096
   * characters at most, else in turns with others, a piece at a time.
   *
   * @throws {HTTPError} 400 no JSON, or nested too deep · 413 too many values · 422 a number that is too large
   */
  parse(text: string): Awaitable<unknown>;
  /**
   * Does what may take tens of milliseconds piece by piece, in turns with others: one such work in a turn of the event loop.
   *
   * @throws what a piece throws, and the reason of the signal
   */
  inTurns<T>(pieces: Iterator<void, T>): Promise<T>;
  /** Opens a durable run, as a child when this call is a step of one. Without a runner: refused at boot (`Plugin.needs`). */
  openRun<T extends Json>(
    spec: RunSpec,
    body: (scope: RunScope) => Promise<RunEnd<T>>,
  ): Promise<RunOutcome<T>>;
  /** The answer of a root run that `route` started, for the principal that started it; else 404. */
  readRun(rootId: string, route: string): Promise<RouteResponse>;
  /** Events of a root run after `lastSeq`: for a socket or stream that outlives one answer. The last one is `result`. */
  followRun(rootId: string, route: string, lastSeq: number): AsyncIterable<Progress>;
  /** Ends a root run that `route` started for this principal. @throws {HTTPError} 404 no such run · 409 it has ended */
  cancelRun(rootId: string, route: string): Promise<void>;
}
