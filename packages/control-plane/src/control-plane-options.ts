import type { RouteTable } from '@waymark/contract';
import type { Awaitable, Trouble } from '@waymark/contract/engine';
import type { Sessions } from '@waymark/contract/principal';
import type { ModelsFacts } from './models.ts';
import type { SecurityFacts } from './security/facts.ts';

/** Facts about the application that the control plane serves, and the functions that collect them. */
export interface ControlPlaneOptions {
  /** The application's name. */
  readonly name: string;
  /** The application's version. */
  readonly version: string;
  /**
   * Milliseconds of a clock that is never set, for the uptime, which counts from `controlPlane`; default:
   * `performance.now`.
   */
  monotonic?(): number;
  /** Tells whether shutdown has begun. */
  draining(): boolean;
  /** Tells what is wrong with the service, at each request for health; default: nothing ever is. */
  troubles?(): readonly Trouble[];
  /** Tells how long something waits for its turn of the event loop, 99 times of 100, in milliseconds; default: 0. */
  eventLoopP99Ms?(): number;
  /** Counts answered requests of a while up to now, for the overview; default: nobody counts them. */
  traffic?(windowMs: number): TrafficFacts | undefined;
  /**
   * Gives the counts in health by name (`devices`, `watchers`, `sessions`, `pending_approvals`); a missing one is 0.
   */
  gauges(): Awaitable<Readonly<Record<string, number>>>;
  /** Describes a table as an OpenAPI document. Called once for each table, at the first request. */
  document(table: RouteTable): Awaitable<unknown>;
  /** Collects the facts for the security report, at each request; default: the table alone. */
  security?(table: RouteTable): SecurityFacts;
  /**
   * Gives the sessions that browsers can open, at each request, undefined while there are none; default: no routes to open
   * them with.
   */
  sessions?(): Sessions | undefined;
  /**
   * Tells, once at the start, whether other processes write the same audit log: then it is asked each second which sessions
   * they have ended; default: none do.
   */
  sharesLog?(): boolean;
  /**
   * Path at which browsers find the application, without a slash at the end, where a proxy in front takes one off; default:
   * empty.
   */
  readonly basePath?: string;
  /** Gives the kinds of audit events that plugins have of their own, at each request; default: none. */
  kinds?(): readonly string[];
  /** Describes the models, at each request; default: none. */
  models?(): ModelsFacts;
}

/** Answered requests of a while, of this process. Durations are milliseconds; null where nothing was measured. */
export interface TrafficFacts {
  readonly requests: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}
