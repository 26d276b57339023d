import { createAgents } from '@waymark/agents';
import { challengeOf, isAuthenticationConfigured } from '@waymark/auth';
import { createRouteTable, type Log, type Plugin, type RouteTable } from '@waymark/contract';
import { controlPlane, type McpAuthorization, mcpAuthorization } from '@waymark/control-plane';
import { deviceHub } from '@waymark/device-hub';
import { createFlows } from '@waymark/flows';
import { mcpRoute } from '@waymark/mcp';
import { toOpenApi } from '@waymark/openapi';
import { createPages, createProxies } from '@waymark/pages';
import type { StartableRunner } from '@waymark/runs';
import type { Declarations } from '../declaring/declarations.ts';
import { securityFacts } from '../security/security-facts.ts';
import { composeData } from './compose-data.ts';
import { type ComposedModels, composeModels } from './compose-models.ts';
import { composeRuns } from './compose-runs.ts';

/** What changes while an application runs, as its own listings read it. */
export interface Lifecycle {
  draining: boolean;
  /** Takes the log lines of what is composed; there is none before the application runs. */
  log?: Log;
}

/** Of silence on a stream of the MCP endpoint; half the request timeout where that is short, which would cut it. */
const mcpKeepAliveMs = 15_000;

/** An application put together, not running yet. */
export interface Composition {
  readonly table: RouteTable;
  readonly plugins: readonly Plugin[];
  readonly lifecycle: Lifecycle;
  readonly models: ComposedModels;
  readonly runner: StartableRunner;
  readonly authorization: McpAuthorization;
  /** Makes the OpenAPI document. */
  describe(): unknown;
}

/** Puts the table together: the application's routes, its plugins', then the control plane and MCP. */
export function compose(declarations: Declarations): Composition {
  const { name, settings, routes, plugins, credentials } = declarations;
  const { version, description, controlPrefix, mcpScopes } = settings;
  const lifecycle: Lifecycle = { draining: false };
  const models = composeModels(declarations, lifecycle);
  const { database } = declarations;
  const runner = composeRuns(declarations);
  const data = composeData(declarations.data, database);
  const shown = createPages(declarations.pages, {
    templates: settings.templates,
    // With a wrong URL, all that would be said of their SQL follows from it.
    database: database.url !== undefined,
  });
  const forwarded = createProxies(declarations.forwarding);
  const team = createAgents(declarations.agents, { database: database.url !== undefined });
  const flows = createFlows(declarations.flows);
  const hub = deviceHub(declarations.devices, settings.hub);
  // The first is the last to stop: whatever calls models has ended by then.
  const working = [models.plugin, data, runner.plugin, shown, forwarded, hub, team, flows, ...plugins];
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
    draining: () => lifecycle.draining,
    gauges: () => gaugesOf(working),
    document: describe,
    security: (table) => securityFacts(declarations, table),
    models: models.describe,
  });
  const authenticated = isAuthenticationConfigured(credentials);
  const issuers = credentials.flatMap((one) => (one.kind === 'jwt' ? (one.options.issuer ?? []) : []));
  const authorization = mcpAuthorization({
    ...{ authenticated, issuers, mcpScopes, controlPrefix, publicUrl: settings.wire.publicUrl },
    challenge: challengeOf(credentials),
    toolScopes: () => table.tools().flatMap(({ scopes }) => scopes),
  });
  const mcp = mcpRoute({
    info: { name, version, instructions: description },
    // Without authentication every caller sees the same tools.
    cacheScope: authenticated ? 'private' : 'public',
    keepAliveMs: Math.min(mcpKeepAliveMs, settings.requestTimeout * 500),
    stepUp: authorization.stepUp,
  });
  const all = [...working, control];
  const served = [...routes, ...all.flatMap((plugin) => plugin.routes), ...authorization.routes, mcp];
  const table = createRouteTable(served, { controlPrefix });
  return { table, plugins: all, lifecycle, models, runner, authorization, describe: () => describe(table) };
}

/** What all plugins count; of two that count the same, the later one. */
async function gaugesOf(plugins: readonly Plugin[]): Promise<Readonly<Record<string, number>>> {
  const counted = await Promise.all(plugins.map(async (one) => Object.entries((await one.gauges?.()) ?? {})));
  return Object.fromEntries(counted.flat());
}

/** Whether only this machine can connect to an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
