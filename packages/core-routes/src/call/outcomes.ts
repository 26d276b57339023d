import {
  type Call,
  type Log,
  problemResponse,
  type RouteResponse,
  toErrorResponse,
} from '@waymark/contract/engine';
import type { AuditEvent } from '@waymark/contract/stores';
import { announceDeprecation } from './announce-deprecation.ts';

/** Who hears what became of calls. */
export interface Listeners {
  readonly emit?: (event: AuditEvent) => void;
  readonly log?: Log;
}

/** How a call ended. */
export interface Ending {
  readonly kind: 'tool_called' | 'tool_refused';
  /** By the clock of the dispatcher. */
  readonly startedMs: number;
  /** How often its engine was asked. */
  readonly attempts: number;
}

/** Turns what became of calls into their answers, and tells those who listen. Never throws. */
export class Outcomes {
  readonly #listeners: Listeners;
  readonly #monotonic: () => number;

  constructor(listeners: Listeners, monotonic: () => number) {
    this.#listeners = listeners;
    this.#monotonic = monotonic;
  }

  /** Each use of a tool route is one audit event, whatever the door (decision 8); one of a deprecated route says so. */
  report(call: Call, { kind, startedMs, attempts }: Ending, given: RouteResponse): RouteResponse {
    const { route, via, principal, step, resume } = call;
    const { emit, log } = this.#listeners;
    const response = route.deprecated === undefined ? given : announceDeprecation(given, route.deprecated);
    // A resumed run is the same use of its tool, and was reported when it began to wait.
    if (!route.tool || !emit || resume !== undefined) return response;
    try {
      emit({
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
      log?.('error', 'an audit event is lost', { route: route.name, error });
    }
    return response;
  }

  /** What the caller may read of an error; what it may not is logged. */
  failed({ route, requestId }: Call, error: unknown): RouteResponse {
    const response = readable(error) ?? problemResponse(500, 'internal error');
    if (response.status === 500)
      this.#listeners.log?.('error', 'route failed', { request_id: requestId, route: route.name, error });
    return response;
  }

  /** What a handler throws because its signal fired is no bug of the handler; its caller has gone, or we are going. */
  gaveUp({ route, requestId }: Call, error: unknown): RouteResponse {
    this.#listeners.log?.('info', 'a call was given up', { request_id: requestId, route: route.name, error });
    return problemResponse(503, 'the call was given up');
  }
}

/** @returns undefined for what cannot even be looked at: a proxy that throws, a member that does */
function readable(error: unknown): RouteResponse | undefined {
  try {
    return toErrorResponse(error);
  } catch {
    return undefined;
  }
}
