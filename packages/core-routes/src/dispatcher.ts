import { HTTPError, type Json, type Route, type RouteTable, type Values } from '@waymark/contract';
import {
  type Admission,
  type BodySource,
  type Call,
  type Dispatcher,
  type Guard,
  type Log,
  type Peer,
  problemResponse,
  type RequestInput,
  RouteResponse,
  type Router,
  toErrorResponse,
} from '@waymark/contract/engine';
import type { ControlRule } from '@waymark/contract/principal';
import type { Runner } from '@waymark/contract/runs';
import type { AuditEvent } from '@waymark/contract/stores';
import { approvalRequired } from '@waymark/contract/tools';
import { admit } from './call/admit.ts';
import { announceDeprecation } from './call/announce-deprecation.ts';
import { CallContext, type CallSurroundings } from './call/call-context.ts';
import type { CallTrace } from './call/call-trace.ts';
import { Deadlines } from './call/deadlines.ts';
import { laterValue } from './call/later-value.ts';
import { type RepeatParts, repeatCall } from './call/repeat-call.ts';
import { toResponse } from './call/to-response.ts';
import { Turns } from './call/turns.ts';
import { Binders } from './input/binders.ts';
import { checkBody, parseBody, parseLargeBody } from './input/read-body.ts';
import { createRouter } from './router.ts';

/** Options of a dispatcher, besides its table. */
export interface DispatcherOptions {
  /** Rule for calls to the control plane; default: all of them are refused. */
  readonly controlRule?: ControlRule;
  /** Guards that may refuse a call, asked in order before control rule and scopes; default: none. */
  readonly guards?: readonly Guard[];
  /** Runner of agents, behaviours and flows; default: none. */
  readonly runner?: Runner;
  /** Receiver of an audit event for each use of a tool route; default: none. */
  readonly emit?: (event: AuditEvent) => void;
  /** Log of the cause of each 500; default: none. */
  readonly log?: Log;
  /** Refuses undeclared query parameters on routes that do not set `strictQuery` themselves; default: false. */
  readonly strictQuery?: boolean;
  /** Another process that owns routes, and answers their calls; default: this dispatcher answers all. */
  readonly owner?: Pick<Dispatcher, 'dispatch'> & { owns(route: Route): boolean };
  /** Signal that fires at shutdown and aborts every call. */
  readonly signal?: AbortSignal;
  /** Follows the calls, for watches over the process; default: nobody does. */
  readonly trace?: CallTrace;
  /** Milliseconds of a clock that is never set; default: `performance.now`. */
  readonly monotonic?: () => number;
  /** Random number from 0, below 1, for the jitter of retried calls; default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * Makes the dispatcher of a frozen table: every HTTP request, tool call, socket and stored run goes through its guards,
 * validation and deadlines (decision 2.1). Schemas are compiled when they are first used.
 */
export function createDispatcher(table: RouteTable, options: DispatcherOptions = {}): Dispatcher & Router {
  return new TableDispatcher(table, options);
}

class TableDispatcher implements Dispatcher, Router {
  readonly match: Router['match'];
  readonly #options: DispatcherOptions;
  readonly #table: RouteTable;
  readonly #admittance;
  readonly #binders: Binders;
  readonly #deadlines = new Deadlines();
  readonly #turns = new Turns();
  readonly #surroundings: CallSurroundings;
  readonly #monotonic: () => number;
  readonly #trace: CallTrace | undefined;
  readonly #repeat: RepeatParts;

  constructor(table: RouteTable, options: DispatcherOptions) {
    this.#options = options;
    this.#table = table;
    this.#admittance = { guards: options.guards ?? [], controlRule: options.controlRule };
    this.#binders = new Binders(table, options.strictQuery ?? false);
    const { runner, signal, log, random = Math.random } = options;
    this.#surroundings = { table, dispatcher: this, runner, signal, log, turns: this.#turns };
    this.#trace = options.trace;
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.#repeat = {
      random,
      attempt: (context) => this.#answer(context),
      renew: (context, sent) => this.#renew(context, sent),
    };
    this.match = createRouter(table).match;
  }

  async dispatch(call: Call): Promise<RouteResponse> {
    const { owner } = this.#options;
    if (owner?.owns(call.route)) return owner.dispatch(call);
    const startedMs = this.#monotonic();
    this.#trace?.began(call, startedMs);
    const refusal = this.#refuse(call);
    if (refusal) return this.#report(call, startedMs, 'tool_refused', refusal);
    const context = this.#open(call, startedMs);
    let response: RouteResponse;
    try {
      if (takesBody(call)) await this.#readBody(context, call.input.body);
      const answer = this.#trace ? this.#runTraced(context, this.#trace) : this.#run(context);
      response = answer instanceof Promise ? await answer : answer;
    } catch (error) {
      context.dropBody();
      response =
        context.givenUp && !(error instanceof HTTPError)
          ? this.#gaveUp(call, error)
          : this.#failed(call, error);
    } finally {
      context.release();
    }
    const { refused, attempts } = context;
    const kind = refused ? 'tool_refused' : 'tool_called';
    return this.#report(call, startedMs, kind, context.placed(response), attempts);
  }

  async upgrade(call: Call): Promise<Admission> {
    const { route } = call;
    if (this.#options.owner?.owns(route)) return { ok: false, response: notHere() };
    const refusal = this.#refuse(call);
    if (refusal) return { ok: false, response: refusal };
    // A socket has no deadline of its own; what it calls has.
    const context = new CallContext(call, Number.POSITIVE_INFINITY, this.#surroundings);
    try {
      if (!route.engine.accept) throw new Error(`the engine of route ${route.name} answers requests only`);
      const binding = this.#bind(context);
      if (binding) await binding;
    } catch (error) {
      return { ok: false, response: this.#failed(call, error) };
    }
    return { ok: true, maxMessageBytes: route.maxBodyBytes, accept: (peer) => this.#accept(peer, context) };
  }

  #refuse(call: Call): RouteResponse | undefined {
    try {
      const refusal = admit(call, this.#admittance);
      return refusal && toErrorResponse(refusal);
    } catch (error) {
      return this.#failed(call, error);
    }
  }

  #open(call: Call, startedMs: number): CallContext {
    return new CallContext(call, this.#deadline(call, startedMs), this.#surroundings);
  }

  #deadline({ route, deadlineMs = Number.POSITIVE_INFINITY }: Call, startedMs: number): number {
    return Math.min(startedMs + this.#table.timeoutOf(route), deadlineMs);
  }

  /**
   * Without a signal, which would take longer to make than a small body to read: whoever holds the connection ends the
   * reading when the call is answered.
   */
  async #readBody(context: CallContext, body: BodySource): Promise<void> {
    const { route } = context;
    checkBody(body, route);
    context.bytes = await this.#within(context, body.read(route.maxBodyBytes), lateBody);
    this.#trace?.began(context.call, this.#monotonic());
    const maxValues = this.#table.maxBodyValuesOf(route);
    const pieces = parseLargeBody(context.bytes, body, route, maxValues);
    context.content = pieces
      ? await this.#within(context, this.#turns.take(pieces, context.signal))
      : parseBody(context.bytes, body, route, maxValues);
  }

  /** Stays synchronous as long as nothing has to be waited for. */
  #run(context: CallContext): RouteResponse | Promise<RouteResponse> {
    const binding = this.#bind(context);
    return binding
      ? this.#within(context, binding).then(() => this.#runBound(context))
      : this.#runBound(context);
  }

  #runTraced(context: CallContext, trace: CallTrace): RouteResponse | Promise<RouteResponse> {
    try {
      return this.#run(context);
    } finally {
      trace.ended(this.#monotonic());
    }
  }

  #runBound(context: CallContext): RouteResponse | Promise<RouteResponse> {
    const { route, via, step } = context;
    context.bound = true;
    const gated = route.approval === 'required' && via !== 'http' && via !== 'socket';
    return gated || step ? this.#runInStep(context, gated) : this.#answer(context);
  }

  /** The gate comes after validation, so that no human is asked about malformed arguments, and `begin` right before the engine. */
  async #runInStep(context: CallContext, gated: boolean): Promise<RouteResponse> {
    const { route, step, given } = context;
    context.refused = true;
    if (!step)
      throw new HTTPError(403, `tool "${route.name}" requires human approval, and this call cannot wait`, {
        code: approvalRequired,
      });
    // `finally` never runs around a call that waits for good.
    step.onDrop(() => context.release());
    const waitsSinceMs = this.#monotonic();
    if (gated) {
      const decision = await step.gate({
        tool: route.name,
        arguments: given as Json,
        approver: route.approver,
      });
      if (!decision.approved)
        throw new HTTPError(403, decision.note || `the call was ${decision.reason}`, {
          code: decision.reason,
        });
    }
    await step.begin();
    context.refused = false;
    // Waiting, for a human or for the calls that come first, is no work: the deadline moves on by as much.
    context.deadlineMs += this.#monotonic() - waitsSinceMs;
    return route.retry ? repeatCall(context, step, route.retry, this.#repeat) : this.#answer(context);
  }

  /** As it was at first, with the time of its route before it: its handler may have changed what it was given. */
  async #renew(context: CallContext, sent: Values): Promise<void> {
    const { call } = context;
    context.renew(this.#deadline(call, this.#monotonic()));
    await this.#binders.of(call.route).fromArguments({ by: 'arguments', values: sent }, context);
  }

  #answer(context: CallContext): RouteResponse | Promise<RouteResponse> {
    const { route } = context;
    const { engine } = route;
    if (!engine.answer) throw new Error(`the engine of route ${route.name} answers upgrades only`);
    const value = this.#trace
      ? this.#trace.within(context.call, () => engine.answer?.(context))
      : engine.answer(context);
    const later = laterValue(value, context);
    if (!later) return this.#toResponse(route, value);
    const response = later.then((result) => this.#toResponse(route, result));
    // A run ends its own legs: it may wait for a human far beyond any deadline.
    return route.engine.durability === 'run' ? response : this.#within(context, response);
  }

  /** With its first byte the deadline of a stream is over; it goes on as long as no pause is longer (decision 2.11). */
  #toResponse(route: Route, value: unknown): RouteResponse {
    const response = toResponse(route, value);
    const { status, body, headers } = response;
    if (body.kind !== 'stream') return response;
    const pauseMs = this.#table.timeoutOf(route);
    if (!Number.isFinite(pauseMs)) return response;
    return new RouteResponse(status, { pauseMs: Math.min(pauseMs, longestTimerMs), ...body }, headers);
  }

  /** @returns a promise where a library has to wait before it knows */
  #bind(context: CallContext): Promise<void> | undefined {
    const { call } = context;
    const binder = this.#binders.of(call.route);
    // What came of a run is told, whatever is left of its input.
    if (context.ended && call.input.by === 'arguments') {
      context.input = call.input.values;
      return undefined;
    }
    return call.input.by === 'request'
      ? binder.fromRequest(call.input, context.content, context)
      : binder.fromArguments(call.input, context);
  }

  /** Ends work at the deadline, even when a handler ignores its signal. */
  #within<T>(context: CallContext, work: Promise<T>, toError = lateAnswer): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#deadlines.add(context.deadlineMs - this.#monotonic(), () => {
        const error = toError(this.#table.timeoutOf(context.route) / 1000);
        context.abort(error);
        reject(error);
      });
      context.step?.onDrop(cancel);
      work.then(
        (value) => {
          cancel();
          resolve(value);
        },
        (error: unknown) => {
          cancel();
          reject(error);
        },
      );
    });
  }

  #accept(peer: Peer, context: CallContext): void {
    const { route } = context;
    peer.onClose(() => {
      context.abort(new DOMException('the socket closed', 'AbortError'));
      context.release();
    });
    Promise.resolve()
      .then(() => {
        const accept = (): unknown => route.engine.accept?.(peer, context);
        return this.#trace ? this.#trace.within(context.call, accept) : accept();
      })
      .catch((error: unknown) => {
        this.#failed(context.call, error);
        peer.close(1011, 'internal error');
      });
  }

  /** What a handler throws because its signal fired is no bug of the handler; its caller has gone, or we are going. */
  #gaveUp({ route, requestId }: Call, error: unknown): RouteResponse {
    this.#options.log?.('info', 'a call was given up', { request_id: requestId, route: route.name, error });
    return problemResponse(503, 'the call was given up');
  }

  #failed({ route, requestId }: Call, error: unknown): RouteResponse {
    const response = toErrorResponse(error);
    if (response.status === 500)
      this.#options.log?.('error', 'route failed', { request_id: requestId, route: route.name, error });
    return response;
  }

  /** Each use of a tool route is one audit event, whatever the door (decision 8); one of a deprecated route says so. */
  #report(
    { route, via, principal, step, resume }: Call,
    startedMs: number,
    kind: string,
    given: RouteResponse,
    attempts = 1,
  ): RouteResponse {
    const response = route.deprecated === undefined ? given : announceDeprecation(given, route.deprecated);
    // A resumed run is the same use of its tool, and was reported when it began to wait.
    if (!route.tool || !this.#options.emit || resume !== undefined) return response;
    try {
      this.#options.emit({
        kind,
        via,
        route: route.name,
        principal: principal.id,
        status: response.status,
        duration_ms: Math.round(this.#monotonic() - startedMs),
        ...(step && { run_id: step.runId }),
        ...(attempts > 1 && { attempts }),
      });
    } catch (error) {
      // The answer is there, and somebody waits for it.
      this.#options.log?.('error', 'an audit event is lost', { route: route.name, error });
    }
    return response;
  }
}

/** Node's timers fire at once where they are set to more. */
const longestTimerMs = 2_147_483_647;

/** A call whose body is read before its engine is asked. */
function takesBody(call: Call): call is Call & { readonly input: RequestInput } {
  const { input, route } = call;
  return input.by === 'request' && route.body !== 'none' && route.body !== 'source';
}

/** No call holds the socket, so that it cannot travel: the door hands over its connection before it asks. */
function notHere(): RouteResponse {
  return problemResponse(503, 'another process opens this socket', {}, { 'retry-after': '1' });
}

/** The engine took too long. */
function lateAnswer(seconds: number): HTTPError {
  return new HTTPError(504, `timed out after ${seconds} s`, { code: 'timeout' });
}

/** The caller took too long. */
function lateBody(seconds: number): HTTPError {
  return new HTTPError(408, `the body did not arrive within ${seconds} s`);
}
