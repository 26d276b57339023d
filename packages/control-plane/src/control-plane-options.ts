import type { RouteTable } from '@waymark/contract';
import type { Awaitable } from '@waymark/contract/engine';
import type { ModelsFacts } from './models.ts';
import type { SecurityFacts } from './security/facts.ts';

/** What the control plane tells of an application, and where it asks for it. */
export interface ControlPlaneOptions {
  /** The application's name. */
  readonly name: string;
  /** The application's version. */
  readonly version: string;
  /** Milliseconds by a clock that is never set, by which the uptime is counted from now on; `performance.now()`. */
  monotonic?(): number;
  /** Whether shutdown has begun. */
  draining(): boolean;
  /** Counts by their names in health (`devices`, `watchers`, `sessions`, `pending_approvals`); a missing one is 0. */
  gauges(): Awaitable<Readonly<Record<string, number>>>;
  /** Describes a table as an OpenAPI document. Called once for each table, at the first request. */
  document(table: RouteTable): unknown;
  /** Collects what the security report is made of, at each request; absent, it is made of the table alone. */
  security?(table: RouteTable): SecurityFacts;
  /** Tells which models there are, at each request; absent, there are none. */
  models?(): ModelsFacts;
}
