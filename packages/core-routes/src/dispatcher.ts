import type { RouteTable } from '@waymark/contract';
import {
  type Admission,
  type Awaitable,
  type Call,
  type Dispatcher,
  type Guard,
  type Log,
  type Peer,
  type RequestInput,
  type RouteResponse,
  type Router,
  toErrorResponse,
} from '@waymark/contract/engine';
import type { ControlRule } from '@waymark/contract/principal';
import type { Runner } from '@waymark/contract/runs';
import type { AuditEvent } from '@waymark/contract/stores';
import { admit } from './call/admit.ts';
import { CallContext, type CallSurroundings } from './call/call-context.ts';
import type { CallTrace } from './call/call-trace.ts';
import { CallWork } from './call/call-work.ts';
import { Outcomes } from './call/outcomes.ts';
import { TimeLimits } from './call/time-limits.ts';
import { Turns } from './call/turns.ts';
import { Binders } from './input/binders.ts';
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
 * validation and deadlines (decision 2.1). What has not to wait answers at once, without a promise.
 */
export function createDispatcher(table: RouteTable, options: DispatcherOptions = {}): Dispatcher & Router {
  return new TableDispatcher(table, options);
}

class TableDispatcher implements Dispatcher, Router {
  readonly match: Router['match'];
  readonly #admittance;
  readonly #limits: TimeLimits;
  readonly #work: CallWork;
  readonly #surroundings: CallSurroundings;
  readonly #monotonic: () => number;
  readonly #outcomes: Outcomes;
  readonly #trace: CallTrace | undefined;

  constructor(table: RouteTable, options: DispatcherOptions) {
    this.#admittance = { guards: options.guards ?? [], controlRule: options.controlRule };
    const { runner, signal, log, trace, random = Math.random, strictQuery = false } = options;
    const { monotonic = () => performance.now() } = options;
    const turns = new Turns();
    this.#surroundings = { table, dispatcher: this, runner, signal, log, turns };
    this.#trace = trace;
    this.#monotonic = monotonic;
    this.#outcomes = new Outcomes(options, monotonic);
    this.#limits = new TimeLimits(table, monotonic);
    this.#work = new CallWork({
      ...{ table, binders: new Binders(table, strictQuery), limits: this.#limits, outcomes: this.#outcomes },
      ...{ turns, trace, monotonic, random },
    });
    this.match = createRouter(table).match;
  }

  dispatch(call: Call): Awaitable<RouteResponse> {
    const startedMs = this.#monotonic();
    this.#trace?.began(call, startedMs);
    const refusal = this.#refuse(call);
    if (refusal)
      return this.#outcomes.report(call, { kind: 'tool_refused', startedMs, attempts: 1 }, refusal);
    const deadlineMs = this.#limits.deadline(call, startedMs);
    const context = new CallContext(call, deadlineMs, this.#surroundings, startedMs);
    return takesBody(call)
      ? this.#work.performWithBody(context, call.input.body)
      : this.#work.perform(context);
  }

  async upgrade(call: Call): Promise<Admission> {
    const { route } = call;
    const refusal = this.#refuse(call);
    if (refusal) return { ok: false, response: refusal };
    // A socket has no deadline of its own; what it calls has.
    const context = new CallContext(call, Number.POSITIVE_INFINITY, this.#surroundings);
    try {
      if (!route.engine.accept) throw new Error(`the engine of route ${route.name} answers requests only`);
      const binding = this.#work.bind(context);
      if (binding) await binding;
    } catch (error) {
      return { ok: false, response: this.#outcomes.failed(call, error) };
    }
    return { ok: true, maxMessageBytes: route.maxBodyBytes, accept: (peer) => this.#accept(peer, context) };
  }

  #refuse(call: Call): RouteResponse | undefined {
    try {
      const refusal = admit(call, this.#admittance);
      return refusal && toErrorResponse(refusal);
    } catch (error) {
      return this.#outcomes.failed(call, error);
    }
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
        this.#outcomes.failed(context.call, error);
        peer.close(1011, 'internal error');
      });
  }
}

/** A call whose body is read before its engine is asked. */
function takesBody(call: Call): call is Call & { readonly input: RequestInput } {
  const { input, route } = call;
  return input.by === 'request' && route.body !== 'none' && route.body !== 'source';
}
