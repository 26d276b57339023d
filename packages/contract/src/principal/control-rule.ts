import type { HTTPError } from '../engine/http-error.ts';
import type { Principal } from './principal.ts';

/** The scope that governs the control plane, fixed by the specification. */
export const adminScope = 'svc:admin';

/** One look at the control plane, at a known path or not. */
export interface ControlAccess {
  /** Relative to the control prefix: `/health`. */
  readonly path: string;
  readonly principal: Principal;
  /** The peer's address; absent for calls from inside the process. */
  readonly clientAddress: string | undefined;
  /**
   * Of the request, as sent; absent for a call that is given as arguments: the request that it came with was asked about
   * before.
   */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/**
 * A rule that says who may reach the control plane (decision 3.6), by the error for everybody else. The door asks it
 * before matching, so that an unknown path says nothing; the dispatcher asks it again for each control route, so that
 * tools and upgrades meet it too.
 */
export type ControlRule = (access: ControlAccess) => HTTPError | undefined;
