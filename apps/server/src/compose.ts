import { checkCredentials, isAuthenticationConfigured } from '@waymark/auth';
import {
  createRouteTable,
  DeclarationError,
  type Plugin,
  type Problem,
  type RouteTable,
} from '@waymark/contract';
import { controlPlane } from '@waymark/control-plane';
import { createDispatcher } from '@waymark/core-routes';
import { checkPolicies } from '@waymark/http';
import { mcpRoute } from '@waymark/mcp';
import { toOpenApi } from '@waymark/openapi';
import type { Declarations } from './application.ts';
import { securityFacts } from './security-facts.ts';

/** What changes while an application runs, as its own listings read it. */
export interface Lifecycle {
  readonly startedMs: number;
  draining: boolean;
}

/** An application put together, not running yet. */
export interface Composition {
  readonly table: RouteTable;
  readonly plugins: readonly Plugin[];
  readonly lifecycle: Lifecycle;
  /** Makes the OpenAPI document. */
  describe(): unknown;
}

/** Puts the table together: the application's routes, its plugins', then the control plane and MCP. */
export function compose(declarations: Declarations): Composition {
  const { name, settings, routes, plugins, credentials } = declarations;
  const { version, description, controlPrefix, mcpScopes } = settings;
  const lifecycle: Lifecycle = { startedMs: Date.now(), draining: false };
  const security = {
    apiKey: credentials.some(({ kind }) => kind === 'apiKey'),
    bearer: credentials.some(({ kind }) => kind === 'jwt'),
    mcpScopes,
  };
  let document: unknown;
  // Made for the check at boot, and served as it is.
  const describe = (table: RouteTable): unknown =>
    (document ??= toOpenApi(table, { title: name, version, description, security }));
  const control = controlPlane({
    name,
    version,
    startedMs: lifecycle.startedMs,
    now: Date.now,
    draining: () => lifecycle.draining,
    gauges: () => Object.fromEntries(plugins.flatMap((plugin) => Object.entries(plugin.gauges?.() ?? {}))),
    document: describe,
    security: (table) => securityFacts(declarations, table),
  });
  const mcp = mcpRoute({ info: { name, version, instructions: description } });
  const all = [...plugins, control];
  const table = createRouteTable([...routes, ...all.flatMap((plugin) => plugin.routes), mcp], {
    controlPrefix,
  });
  return { table, plugins: all, lifecycle, describe: () => describe(table) };
}

/** Everything wrong with an application, all at once (decision 1.8). */
export function checkDeclarations(
  declarations: Declarations,
  composition = compose(declarations),
): readonly Problem[] {
  const { settings, credentials } = declarations;
  const { table, plugins, describe } = composition;
  return [
    ...settings.problems,
    ...table.problems,
    ...checkProjection(table, () => createDispatcher(table)),
    ...checkProjection(table, describe),
    ...checkCredentials(credentials, settings.env),
    ...checkDoor(declarations),
    ...checkExposure(declarations),
    ...plugins.flatMap((plugin) => [
      ...checkNeeds(plugin),
      ...(plugin.check?.({ table, env: settings.env }) ?? []),
    ]),
  ];
}

/** What only shows when the table is put to use: schemas that do not compile, or that cannot be described. */
function checkProjection(table: RouteTable, project: () => unknown): readonly Problem[] {
  try {
    project();
    return [];
  } catch (error) {
    if (error instanceof DeclarationError)
      return error.problems.filter((problem) => !table.problems.includes(problem));
    // A table with problems cannot be put to use; without any, this is a bug.
    if (table.problems.length > 0) return [];
    throw error;
  }
}

/** What the door says of its policies, at the place where each was declared. */
function checkDoor({ settings, policies, policyProblems }: Declarations): readonly Problem[] {
  const places = new Map(Object.entries(policies).map(([name, { declaredAt }]) => [name, declaredAt]));
  const found = checkPolicies({ ...settings.wire, ...policies }).map((problem) => {
    const at = places.get(problem.declaration);
    return at === undefined ? problem : { ...problem, at };
  });
  return [...policyProblems, ...found];
}

/** Without authentication only the own machine may connect (decision 3.6). */
function checkExposure({ settings, credentials }: Declarations): readonly Problem[] {
  const { host, allowUnauthenticated } = settings;
  if (isLoopback(host) || isAuthenticationConfigured(credentials) || allowUnauthenticated) return [];
  return [
    {
      declaration: 'application',
      rule: `host ${host} is reachable from elsewhere and no authentication is configured`,
      fix: 'declare an apiKey or a jwt, bind 127.0.0.1, or set allowUnauthenticated: true',
    },
  ];
}

function checkNeeds({ name, needs = [] }: Plugin): readonly Problem[] {
  return needs.map((need) => ({
    declaration: `plugin "${name}"`,
    rule: `needs a ${need}, and the application has none`,
  }));
}

/** Whether only this machine can connect to an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
