import type { Plugin, RouteTable } from '@waymark/contract';
import { healthRoute } from './health.ts';
import { routesRoute, toolsRoute } from './listings.ts';
import { openapiRoute } from './openapi.ts';

/** What the control plane tells of an application, and where it asks for it. */
export interface ControlPlaneOptions {
  /** The application's name. */
  readonly name: string;
  /** The application's version. */
  readonly version: string;
  /** When the process began to serve, epoch milliseconds. */
  readonly startedMs: number;
  /** Epoch milliseconds. */
  now(): number;
  /** Whether shutdown has begun. */
  draining(): boolean;
  /** Counts by their names in health (`devices`, `watchers`, `sessions`, `pending_approvals`); a missing one is 0. */
  gauges(): Readonly<Record<string, number>>;
  /** Describes a table as an OpenAPI document. Called once for each table, at the first request. */
  document(table: RouteTable): unknown;
}

/**
 * Serves health, the OpenAPI document and the tool and route listings under the control prefix.
 *
 * It guards nothing by itself: the door and the dispatcher ask a `ControlRule`.
 */
export function controlPlane(options: ControlPlaneOptions): Plugin {
  return {
    name: 'control-plane',
    routes: [healthRoute(options), openapiRoute(options), toolsRoute(), routesRoute()],
  };
}
