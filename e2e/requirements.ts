import type { Requirement } from './requirements/clause.ts';
import { decisionsAgents } from './requirements/decisions-agents.ts';
import { decisionsAside } from './requirements/decisions-aside.ts';
import { decisionsAuthority } from './requirements/decisions-authority.ts';
import { decisionsConsole } from './requirements/decisions-console.ts';
import { decisionsData } from './requirements/decisions-data.ts';
import { decisionsDevices } from './requirements/decisions-devices.ts';
import { decisionsDocsPage } from './requirements/decisions-docs-page.ts';
import { decisionsEmbedding } from './requirements/decisions-embedding.ts';
import { decisionsFace } from './requirements/decisions-face.ts';
import { decisionsFeed } from './requirements/decisions-feed.ts';
import { decisionsFlows } from './requirements/decisions-flows.ts';
import { decisionsHttp } from './requirements/decisions-http.ts';
import { decisionsMcp } from './requirements/decisions-mcp.ts';
import { decisionsOperation } from './requirements/decisions-operation.ts';
import { decisionsRuns } from './requirements/decisions-runs.ts';
import { decisionsScale } from './requirements/decisions-scale.ts';
import { decisionsSignIn } from './requirements/decisions-sign-in.ts';
import { serviceAgents } from './requirements/service-agents.ts';
import { serviceApplication } from './requirements/service-application.ts';
import { serviceAuthentication } from './requirements/service-authentication.ts';
import { serviceBehaviours } from './requirements/service-behaviours.ts';
import { serviceDeclarations } from './requirements/service-declarations.ts';
import { serviceDevices } from './requirements/service-devices.ts';
import { serviceEndpoints } from './requirements/service-endpoints.ts';
import { serviceErrors } from './requirements/service-errors.ts';
import { serviceEvents } from './requirements/service-events.ts';
import { serviceFlows } from './requirements/service-flows.ts';
import { serviceLimits } from './requirements/service-limits.ts';
import { serviceMcp } from './requirements/service-mcp.ts';
import { serviceObjects } from './requirements/service-objects.ts';
import { servicePurpose } from './requirements/service-purpose.ts';
import { serviceRoutes } from './requirements/service-routes.ts';
import { serviceStates } from './requirements/service-states.ts';
import { serviceTools } from './requirements/service-tools.ts';
import { serviceVersioning } from './requirements/service-versioning.ts';

export type { Requirement } from './requirements/clause.ts';

/** The requirements by the file that holds them: the specification's order, then that of the decisions. */
export const requirementGroups = {
  servicePurpose,
  serviceTools,
  serviceApplication,
  serviceRoutes,
  serviceDeclarations,
  serviceAgents,
  serviceBehaviours,
  serviceFlows,
  serviceObjects,
  serviceDevices,
  serviceStates,
  serviceEndpoints,
  serviceMcp,
  serviceAuthentication,
  serviceEvents,
  serviceErrors,
  serviceLimits,
  serviceVersioning,
  decisionsAside,
  decisionsFace,
  decisionsConsole,
  decisionsHttp,
  decisionsAuthority,
  decisionsMcp,
  decisionsData,
  decisionsAgents,
  decisionsFeed,
  decisionsFlows,
  decisionsRuns,
  decisionsDevices,
  decisionsEmbedding,
  decisionsOperation,
  decisionsScale,
  decisionsSignIn,
  decisionsDocsPage,
} as const satisfies Record<string, readonly Requirement[]>;

/** Everything the product promises; a test fails for each promise that no scenario verifies. */
export const requirements: readonly Requirement[] = Object.values(requirementGroups).flat();
