import { HTTPError } from '@waymark/contract';
import type { Host, Plugin } from '@waymark/contract/engine';
import type { Sessions } from '@waymark/contract/principal';
import type { Stores } from '@waymark/contract/stores';
import { auditRoute } from './audit.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { docsRoutes } from './docs/docs-routes.ts';
import { eventsRoute } from './feed/events-route.ts';
import { healthRoute } from './health.ts';
import { routesRoute, toolsRoute } from './listings.ts';
import { type ModelsFacts, modelsRoute } from './models.ts';
import { openapiRoute } from './openapi.ts';
import { overviewRoute } from './overview.ts';
import { securityRoute } from './security/route.ts';
import { EndedElsewhere } from './session/ended-elsewhere.ts';
import { sessionRoutes } from './session/session-routes.ts';
import { spendRoute } from './spend.ts';
import { usageRoute } from './usage.ts';

/**
 * Makes the plugin that serves health, the OpenAPI document and its page, the listings of tools, routes and models, the
 * spend ledger, the audit log and the security report under the control prefix, and lets browsers sign in. Ledger and audit
 * log are those of its host.
 *
 * It guards nothing by itself: the door and the dispatcher ask a `ControlRule`.
 */
export function controlPlane(options: ControlPlaneOptions): Plugin {
  let host: Host | undefined;
  const { name, basePath = '' } = options;
  const monotonic = (): number => options.monotonic?.() ?? performance.now();
  const sessions = (): Sessions | undefined => options.sessions?.();
  const kinds = (): readonly string[] => options.kinds?.() ?? [];
  const hosted = (what: string): Host => {
    if (!host) throw new HTTPError(503, `the ${what} is not open: the control plane was not started`);
    return host;
  };
  const opened = (what: string): Stores => hosted(what).stores;
  return {
    name: 'control-plane',
    placement: 'any',
    routes: [
      healthRoute(options),
      openapiRoute(options),
      ...docsRoutes(),
      toolsRoute(),
      routesRoute(options),
      modelsRoute(() => options.models?.() ?? noModels),
      overviewRoute(options, () => hosted('overview')),
      spendRoute(() => opened('spend ledger').usage),
      usageRoute(() => opened('spend ledger').usage),
      auditRoute(() => opened('audit log').audit, kinds),
      eventsRoute(() => hosted('feed'), kinds),
      securityRoute((table) => options.security?.(table) ?? { table }),
      ...(options.sessions
        ? sessionRoutes({ ...{ name, basePath, sessions, monotonic }, host: () => hosted('desk') })
        : []),
    ],
    start: async (given) => {
      host = given;
      const known = sessions();
      if (!known) return;
      const { stores, after, log } = given;
      const elsewhere = new EndedElsewhere({ store: stores.endedSessions, sessions: known, after, log });
      await elsewhere.look();
      if (options.sharesLog?.() ?? false) elsewhere.follow();
    },
  };
}

const noModels: ModelsFacts = { aliases: [], providers: [], prices: [] };
