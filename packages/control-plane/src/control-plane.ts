import { HTTPError } from '@waymark/contract';
import type { Host, Plugin } from '@waymark/contract/engine';
import type { Sessions } from '@waymark/contract/principal';
import type { Stores } from '@waymark/contract/stores';
import { auditRoute } from './audit.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { docsRoutes } from './docs/docs-routes.ts';
import { healthRoute } from './health.ts';
import { routesRoute, toolsRoute } from './listings.ts';
import { type ModelsFacts, modelsRoute } from './models.ts';
import { openapiRoute } from './openapi.ts';
import { securityRoute } from './security/route.ts';
import { restoreEnded } from './session/restore-ended.ts';
import { sessionRoutes } from './session/session-routes.ts';
import { usageRoute } from './usage.ts';

/**
 * Makes the plugin that serves health, the OpenAPI document and its page, the listings of tools, routes and models, the
 * spend ledger, the audit log and the security report under the control prefix, and lets browsers sign in. Ledger and audit
 * log are those of its host.
 *
 * It guards nothing by itself: the door and the dispatcher ask a `ControlRule`.
 */
export function controlPlane(options: ControlPlaneOptions): Plugin {
  let stores: Stores | undefined;
  let emit: Host['emit'] = () => {};
  const { name, basePath = '' } = options;
  const sessions = (): Sessions | undefined => options.sessions?.();
  const opened = (what: string): Stores => {
    if (!stores) throw new HTTPError(503, `the ${what} is not open: the control plane was not started`);
    return stores;
  };
  return {
    name: 'control-plane',
    routes: [
      healthRoute(options),
      openapiRoute(options),
      ...docsRoutes(),
      toolsRoute(),
      routesRoute(),
      modelsRoute(() => options.models?.() ?? noModels),
      usageRoute(() => opened('spend ledger').usage),
      auditRoute(() => opened('audit log').audit),
      securityRoute((table) => options.security?.(table) ?? { table }),
      ...(options.sessions
        ? sessionRoutes({ ...{ name, basePath, sessions }, emit: (event) => emit(event) })
        : []),
    ],
    start: async (host) => {
      stores = host.stores;
      emit = host.emit;
      const known = sessions();
      if (known) await restoreEnded(known, host.stores.audit, host.now());
    },
  };
}

const noModels: ModelsFacts = { aliases: [], providers: [], prices: [] };
