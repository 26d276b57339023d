import { challengeOf, isAuthenticationConfigured } from '@waymark/auth';
import { consolePlugin, type DevelopmentKey } from '@waymark/console';
import { createRouteTable, type Route, type RouteTable } from '@waymark/contract';
import type { Plugin } from '@waymark/contract/engine';
import { controlPlane, type McpAuthorization, mcpAuthorization } from '@waymark/control-plane';
import { type DeviceHub, deviceHub } from '@waymark/device-hub';
import { type ClosableOutbound, createOutbound } from '@waymark/http';
import { mcpRoute } from '@waymark/mcp';
import { toOpenApiInTurns } from '@waymark/openapi';
import type { StartableRunner } from '@waymark/runs';
import { anonymousScopesOf } from '../declaring/anonymous-scopes.ts';
import type { Declarations } from '../declaring/declarations.ts';
import type { FeatureSettings } from '../declaring/features.ts';
import { securityFacts } from '../security/security-facts.ts';
import { basePathOf } from './base-path.ts';
import { type ComposedModels, composeModels } from './compose-models.ts';
import { composeRuns } from './compose-runs.ts';
import { keptFiles, programFiles } from './host-files.ts';
import type { Lifecycle } from './lifecycle.ts';
import { hubOverRedis } from './over-redis.ts';

/** An application put together, not running yet. */
export interface Composition {
  readonly table: RouteTable;
  readonly plugins: readonly Plugin[];
  readonly lifecycle: Lifecycle;
  readonly models: ComposedModels;
  /** Everything that the service asks of others goes through it. */
  readonly outbound: ClosableOutbound;
  readonly runner: StartableRunner;
  readonly hub: DeviceHub;
  readonly authorization: McpAuthorization;
}

/** Puts the table together: the routes of the features and of added plugins, then the control plane and MCP. */
export function compose(
  declarations: Declarations,
  developmentKey?: DevelopmentKey,
  boot?: string,
): Composition {
  const { settings, declared } = declarations;
  const lifecycle: Lifecycle = { draining: false, failed: false };
  const outbound = createOutbound();
  const models = composeModels(declarations, outbound, lifecycle);
  const runner = composeRuns(declarations, lifecycle, boot);
  const hub = deviceHub(declared.devices, { ...settings.hub, ...hubOverRedis(declarations) });
  const working = composeFeatures(declarations, {
    models: models.plugin,
    runs: runner.plugin,
    devices: hub,
  });
  const control = controlPlane({
    name: declarations.name,
    version: settings.version,
    draining: () => lifecycle.draining,
    troubles: () => lifecycle.condition?.troubles() ?? [],
    eventLoopP99Ms: () => lifecycle.condition?.eventLoopP99Ms() ?? 0,
    traffic: (windowMs) => lifecycle.condition?.traffic(windowMs),
    gauges: () => gaugesOf(working),
    document: describer(declarations),
    security: (table) => securityFacts(declarations, { table, plugins: working }),
    models: models.describe,
    kinds: () => working.flatMap(({ audits = [] }) => audits),
    sessions: () => lifecycle.sessions,
    sharesLog: () => (declarations.database.database?.kind ?? 'memory') !== 'memory',
    basePath: basePathOf(settings),
  });
  const authorization = authorize(declarations, () => table);
  const pages = settings.console
    ? [consolePlugin({ controlPrefix: settings.controlPrefix, ...(developmentKey && { developmentKey }) })]
    : [];
  const plugins = [...working, control, ...pages];
  const table = createRouteTable(
    [
      ...plugins.flatMap(({ routes }) => routes),
      ...authorization.routes,
      composeMcp(declarations, authorization),
    ],
    {
      controlPrefix: settings.controlPrefix,
      requestTimeoutMs: settings.requestTimeout * 1000,
      agentTimeoutMs: settings.agentTimeout * 1000,
      maxBodyValues: settings.limits.bodyValues,
    },
  );
  return { table, plugins, lifecycle, models, outbound, runner, hub, authorization };
}

/** Makes a plugin of the declarations of each feature; those that were added come last. */
function composeFeatures(
  declarations: Declarations,
  composed: Pick<FeatureSettings, 'models' | 'runs' | 'devices'>,
): readonly Plugin[] {
  const { settings, database, features, declared, addedPlugins } = declarations;
  const known = {
    ...composed,
    templates: settings.templates,
    publicUrl: settings.wire.publicUrl,
    hasDatabase: database.url !== undefined,
    database: database.database,
    keeps: keptFiles(declarations),
    program: programFiles(settings),
    webhooks: () => plugins.flatMap((plugin) => plugin.webhooks?.() ?? []),
  };
  const plugins: readonly Plugin[] = [
    ...features.flatMap((one) => one.plugin?.(declared[one.name] ?? [], known) ?? []),
    ...addedPlugins.map(({ plugin }) => plugin),
  ];
  return plugins;
}

/** Makes the OpenAPI document. */
function describer({ name, settings, declared }: Declarations): (table: RouteTable) => Promise<unknown> {
  const { version, description, mcpScopes, openapi } = settings;
  const security = {
    apiKey: declared.credentials.some(({ kind }) => kind === 'apiKey'),
    bearer: declared.credentials.some(({ kind }) => kind === 'jwt'),
    mcpScopes,
    openapi,
    anonymousScopes: anonymousScopesOf({ declared }),
  };
  return async (table) => {
    // Whoever only starts needs no generator of clients.
    const { toMethodNames } = await import('@waymark/client-gen');
    const methods = toMethodNames(table);
    const clientMethod = (route: Route): string | undefined => methods.get(route);
    return toOpenApiInTurns(table, { title: name, version, description, security, clientMethod });
  };
}

/** Says how MCP clients get in. */
function authorize(
  { settings, declared: { credentials } }: Declarations,
  table: () => RouteTable,
): McpAuthorization {
  const { mcpScopes, controlPrefix, wire } = settings;
  return mcpAuthorization({
    authenticated: isAuthenticationConfigured(credentials),
    issuers: credentials.flatMap((one) => (one.kind === 'jwt' ? (one.options.issuer ?? []) : [])),
    ...{ mcpScopes, controlPrefix, publicUrl: wire.publicUrl },
    challenge: challengeOf(credentials),
    toolScopes: () =>
      table()
        .tools()
        .flatMap(({ scopes }) => scopes),
  });
}

/** Of silence on a stream of the MCP endpoint; half the request timeout where that is short, which would cut it. */
const mcpKeepAliveMs = 15_000;

function composeMcp(
  { name, settings, declared }: Declarations,
  { stepUp }: McpAuthorization,
): ReturnType<typeof mcpRoute> {
  const { version, description, requestTimeout } = settings;
  return mcpRoute({
    info: { name, version, instructions: description },
    // Without authentication every caller sees the same tools.
    cacheScope: isAuthenticationConfigured(declared.credentials) ? 'private' : 'public',
    keepAliveMs: Math.min(mcpKeepAliveMs, requestTimeout * 500),
    stepUp,
  });
}

/** What all plugins count; of two that count the same, the later one. */
async function gaugesOf(plugins: readonly Plugin[]): Promise<Readonly<Record<string, number>>> {
  const counted = await Promise.all(plugins.map(async (one) => Object.entries((await one.gauges?.()) ?? {})));
  return Object.fromEntries(counted.flat());
}
