import { type Awaitable, HTTPError, type Plugin, type RouteTable, type Stores } from '@waymark/contract';
import { auditRoute } from './audit.ts';
import { healthRoute } from './health.ts';
import { routesRoute, toolsRoute } from './listings.ts';
import { type ModelsFacts, modelsRoute } from './models.ts';
import { openapiRoute } from './openapi.ts';
import type { SecurityFacts } from './security/facts.ts';
import { securityRoute } from './security/route.ts';
import { usageRoute } from './usage.ts';

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

/**
 * Serves health, the OpenAPI document, the listings of tools, routes and models, the spend ledger, the audit log and the
 * security report under the control prefix. Ledger and audit log are those of the host it is started with.
 *
 * It guards nothing by itself: the door and the dispatcher ask a `ControlRule`.
 */
export function controlPlane(options: ControlPlaneOptions): Plugin {
  let stores: Stores | undefined;
  const opened = (what: string): Stores => {
    if (!stores) throw new HTTPError(503, `the ${what} is not open: the control plane was not started`);
    return stores;
  };
  return {
    name: 'control-plane',
    routes: [
      healthRoute(options),
      openapiRoute(options),
      toolsRoute(),
      routesRoute(),
      modelsRoute(() => options.models?.() ?? noModels),
      usageRoute(() => opened('spend ledger').usage),
      auditRoute(() => opened('audit log').audit),
      securityRoute((table) => options.security?.(table) ?? { table }),
    ],
    start: (host) => {
      stores = host.stores;
    },
  };
}

const noModels: ModelsFacts = { aliases: [], providers: [], prices: [] };
