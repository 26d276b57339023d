import type { RouteRequest, Values } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';

/** One run that wants to know. */
export interface ContextReading {
  /** Of the run. */
  readonly input: Values;
  /** The run's, with the scopes it has. */
  readonly principal: Principal;
  readonly signal: AbortSignal;
  /** What the run was started with. */
  readonly request: RouteRequest;
  readonly log: EngineContext['log'];
}
