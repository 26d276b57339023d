import { type AuditStore, HTTPError, type Plugin, type RouteTable } from '@waymark/contract';
import { auditRoute } from './audit.ts';
import { healthRoute } from './health.ts';
import { routesRoute, toolsRoute } from './listings.ts';
import { openapiRoute } from './openapi.ts';
import type { SecurityFacts } from './security/facts.ts';
import { securityRoute } from './security/route.ts';

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
  /** Collects what the security report is made of, at each request; absent, it is made of the table alone. */
  security?(table: RouteTable): SecurityFacts;
}

/**
 * Serves health, the OpenAPI document, the tool and route listings, the audit log and the security report under the
 * control prefix. The audit log is that of the host it is started with.
 *
 * It guards nothing by itself: the door and the dispatcher ask a `ControlRule`.
 */
export function controlPlane(options: ControlPlaneOptions): Plugin {
  let audit: AuditStore | undefined;
  const startedAudit = (): AuditStore => {
    if (!audit) throw new HTTPError(503, 'the audit log is not open: the control plane was not started');
    return audit;
  };
  return {
    name: 'control-plane',
    routes: [
      healthRoute(options),
      openapiRoute(options),
      toolsRoute(),
      routesRoute(),
      auditRoute(startedAudit),
      securityRoute((table) => options.security?.(table) ?? { table }),
    ],
    start: ({ stores }) => {
      audit = stores.audit;
    },
  };
}
