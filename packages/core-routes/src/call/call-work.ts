import { HTTPError, type Json, type Route, type RouteTable, type Values } from '@waymark/contract';
import { type Awaitable, type BodySource, RouteResponse } from '@waymark/contract/engine';
import { approvalRequired } from '@waymark/contract/tools';
import type { Binders } from '../input/binders.ts';
import type { JsonScan } from '../input/json-scan.ts';
import { checkBody, largeBody, parseBody, parseInTurns, scanOf, smallBody } from '../input/read-body.ts';
import { AwaitedBody, type BodyWork } from './awaited-body.ts';
import type { CallContext } from './call-context.ts';
import type { CallTrace } from './call-trace.ts';
import { laterValue } from './later-value.ts';
import type { Outcomes } from './outcomes.ts';
import { type RepeatParts, repeatCall } from './repeat-call.ts';
import type { TimeLimits } from './time-limits.ts';
import { toResponse } from './to-response.ts';
import type { Turns } from './turns.ts';

/** What calls are worked on with. */
export interface WorkParts {
  readonly table: RouteTable;
  readonly binders: Binders;
  readonly limits: TimeLimits;
  readonly outcomes: Outcomes;
  readonly turns: Turns;
  readonly trace: CallTrace | undefined;
  readonly monotonic: () => number;
  readonly random: () => number;
}

/**
 * The second half of the one order: body → validate → gate → begin → engine in its deadline → response. Whatever is there is
 * worked on at once, from the last byte of the body to the answer; a promise is made only where something has to be waited for.
 */
export class CallWork implements BodyWork {
  readonly #parts: WorkParts;
  readonly #repeat: RepeatParts;

  constructor(parts: WorkParts) {
    this.#parts = parts;
    this.#repeat = {
      random: parts.random,
      attempt: (context) => this.#answer(context),
      renew: (context, sent) => this.#renew(context, sent),
    };
  }

  /** The call behind its body. Answers at once where nothing has to be waited for. */
  perform(context: CallContext): Awaitable<RouteResponse> {
    try {
      const { trace } = this.#parts;
      const answer = trace ? this.#runTraced(context, trace) : this.#run(context);
      if (!(answer instanceof Promise)) return this.#end(context, answer);
      return answer.then(
        (response) => this.#end(context, response),
        (error: unknown) => this.fail(context, error),
      );
    } catch (error) {
      return this.fail(context, error);
    }
  }

  /** The engine works in the turn in which the last byte of the body comes. */
  performWithBody(context: CallContext, body: BodySource): Awaitable<RouteResponse> {
    try {
      checkBody(body, context.route);
    } catch (error) {
      return this.fail(context, error);
    }
    if (body.contentLength === 0) {
      context.bytes = noBytes;
      return this.perform(context);
    }
    // Most are small, and say so.
    const { contentLength = Number.POSITIVE_INFINITY } = body;
    const scan = contentLength > largeBody ? this.#scanOf(context.route, body) : undefined;
    return new Promise((resolve) => {
      const awaited = new AwaitedBody(context, body, this, resolve, scan);
      try {
        awaited.begin(this.#parts.limits);
      } catch (error) {
        awaited.failed(error);
      }
    });
  }

  #scanOf(route: Route, body: BodySource): JsonScan | undefined {
    return scanOf(body, route, this.#parts.table.maxBodyValuesOf(route));
  }

  /** The call whose body is there. */
  performWith(
    context: CallContext,
    body: BodySource,
    bytes: Uint8Array,
    scan?: JsonScan,
  ): Awaitable<RouteResponse> {
    const { route, call } = context;
    context.bytes = bytes;
    this.#parts.trace?.began(call, this.#parts.monotonic());
    try {
      const { table, binders } = this.#parts;
      const maxValues = table.maxBodyValuesOf(route);
      if (bytes.length > smallBody) {
        const { refuseCrowd: look } = binders.of(route);
        const pieces = parseInTurns(bytes, body, route, maxValues, { look, scan });
        if (pieces) return this.#performInTurns(context, pieces);
      }
      context.content = parseBody(bytes, body, route, maxValues);
    } catch (error) {
      return this.fail(context, error);
    }
    return this.perform(context);
  }

  async #performInTurns(context: CallContext, pieces: Iterator<void, unknown>): Promise<RouteResponse> {
    try {
      context.content = await this.#parts.limits.within(
        context,
        this.#parts.turns.take(pieces, context.caller, context.signal),
      );
    } catch (error) {
      return this.fail(context, error);
    }
    return this.perform(context);
  }

  /** The answer to a call that failed. */
  fail(context: CallContext, error: unknown): RouteResponse {
    const { call } = context;
    context.dropBody();
    const { outcomes } = this.#parts;
    const { givenUp } = context;
    return this.#end(
      context,
      givenUp && !isOwn(error) ? outcomes.gaveUp(call, error) : outcomes.failed(call, error),
    );
  }

  #end(context: CallContext, response: RouteResponse): RouteResponse {
    context.release();
    const { call, refused, startedMs, attempts } = context;
    const kind = refused ? 'tool_refused' : 'tool_called';
    return this.#parts.outcomes.report(call, { kind, startedMs, attempts }, context.placed(response));
  }

  /** Stays synchronous as long as nothing has to be waited for. */
  #run(context: CallContext): RouteResponse | Promise<RouteResponse> {
    const binding = this.bind(context);
    return binding
      ? this.#parts.limits.within(context, binding).then(() => this.#runBound(context))
      : this.#runBound(context);
  }

  #runTraced(context: CallContext, trace: CallTrace): RouteResponse | Promise<RouteResponse> {
    try {
      return this.#run(context);
    } finally {
      trace.ended(this.#parts.monotonic());
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
    const waitsSinceMs = this.#parts.monotonic();
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
    context.deadlineMs += this.#parts.monotonic() - waitsSinceMs;
    return route.retry ? repeatCall(context, step, route.retry, this.#repeat) : this.#answer(context);
  }

  /** As it was at first, with the time of its route before it: its handler may have changed what it was given. */
  async #renew(context: CallContext, sent: Values): Promise<void> {
    const { call } = context;
    context.renew(this.#parts.limits.deadline(call, this.#parts.monotonic()));
    await this.#parts.binders.of(call.route).fromArguments({ by: 'arguments', values: sent }, context);
  }

  #answer(context: CallContext): RouteResponse | Promise<RouteResponse> {
    const { route } = context;
    const { engine } = route;
    if (!engine.answer) throw new Error(`the engine of route ${route.name} answers upgrades only`);
    const { trace } = this.#parts;
    const value = trace ? trace.within(context.call, () => engine.answer?.(context)) : engine.answer(context);
    const later = laterValue(value, context);
    if (!later) return this.#toResponse(route, value);
    const response = later.then((result) => this.#toResponse(route, result));
    // A run ends its own legs: it may wait for a human far beyond any deadline.
    return route.engine.durability === 'run' ? response : this.#parts.limits.within(context, response);
  }

  /** With its first byte the deadline of a stream is over; it goes on as long as no pause is longer (decision 2.11). */
  #toResponse(route: Route, value: unknown): RouteResponse {
    const response = toResponse(route, value);
    const { status, body, headers } = response;
    if (body.kind !== 'stream') return response;
    const pauseMs = this.#parts.table.timeoutOf(route);
    if (!Number.isFinite(pauseMs)) return response;
    return new RouteResponse(status, { pauseMs: Math.min(pauseMs, longestTimerMs), ...body }, headers);
  }

  /** @returns a promise where a library has to wait before it knows */
  bind(context: CallContext): Promise<void> | undefined {
    const { call } = context;
    const binder = this.#parts.binders.of(call.route);
    // What came of a run is told, whatever is left of its input.
    if (context.ended && call.input.by === 'arguments') {
      context.input = call.input.values;
      return undefined;
    }
    return call.input.by === 'request'
      ? binder.fromRequest(call.input, context.content, context)
      : binder.fromArguments(call.input, context);
  }
}

/** What a handler throws may be a proxy that does not like to be asked. */
function isOwn(error: unknown): boolean {
  try {
    return error instanceof HTTPError;
  } catch {
    return false;
  }
}

/** Node's timers fire at once where they are set to more. */
const longestTimerMs = 2_147_483_647;

const noBytes = new Uint8Array(0);
