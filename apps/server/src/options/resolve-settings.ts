import { wellShaped } from '@waymark/contract/declaring';
import { isDatabaseUrl } from '@waymark/data';
import type { ApplicationOptions, Flags } from './application-options.ts';
import { checkOddities, checkSettings, isFolder } from './check-settings.ts';
import { isAddress, toLogLevel } from './environment.ts';
import { failureLimitShapes, limitShapes, optionShapes, runShapes, sessionShapes } from './option-shapes.ts';
import { toPort } from './port.ts';
import { defaultSettings, type Settings } from './settings.ts';

/** What the door is given as it is. */
const wireOptions = ['publicUrl', 'allowedHosts', 'trustProxy', 'failureLimit'] as const;

/**
 * Works out the settings: flag over environment over option over default. Never throws; what is wrong, and what is odd
 * about where they came from, is in `problems`.
 *
 * @param site where the application is made, unless an option says so
 */
export function resolveSettings(given: ApplicationOptions, flags: Flags = {}, site?: string): Settings {
  const options = wellShaped(given, optionShapes);
  const variables = options.env ?? process.env;
  const env = (name: string): string | undefined => variables[name];
  // A variable that is set to nothing is not set: node would take an empty host for every address there is.
  const port = env('PORT')?.trim() || undefined;
  const ownDatabase = env('WAYMARK_DATABASE_URL') || undefined;
  const bareDatabase = usableDatabase(env('DATABASE_URL'));
  const declaredDatabase = options.database ?? bareDatabase;
  // Who declares none has none.
  const standIn = declaredDatabase === undefined ? undefined : flags.development?.database;
  const hostVariable = findHost(env);
  const host =
    flags.host ?? (hostVariable && env(hostVariable)?.trim()) ?? options.host ?? defaultSettings.host;
  const workers = env('WAYMARK_WORKERS')?.trim() || undefined;
  const { description, version, controlPrefix, requestTimeout, agentTimeout, shutdownTimeout } = {
    ...defaultSettings,
    ...options,
  };
  const {
    strictQuery,
    mcpScopes,
    openapi,
    console: withConsole,
    allowUnauthenticated,
    maxSocketsPerCaller,
  } = {
    ...defaultSettings,
    ...options,
  };
  const { declaredAt = site } = options;
  const { redis: hubRedis, ...hub } = options.hub ?? {};
  const ownHubRedis = env('WAYMARK_HUB_REDIS') || undefined;
  const settings = {
    ...{ description, version, controlPrefix, requestTimeout, agentTimeout },
    shutdownTimeout: flags.shutdownTimeout ?? shutdownTimeout,
    console: withConsole,
    ...{ strictQuery, mcpScopes, openapi, allowUnauthenticated, maxSocketsPerCaller },
    host: withoutBrackets(host),
    port:
      flags.port ?? (port === undefined ? undefined : toPort(port)) ?? options.port ?? defaultSettings.port,
    database: ownDatabase ?? standIn ?? declaredDatabase,
    variablesAt: options.env === undefined ? undefined : declaredAt,
    variables: {
      ...(flags.host === undefined && hostVariable !== undefined && { host: hostVariable }),
      ...(flags.port === undefined && port !== undefined && { port: 'PORT' }),
      ...(flags.workers === undefined && workers !== undefined && { workers: 'WAYMARK_WORKERS' }),
      ...(ownHubRedis !== undefined && { hubRedis: 'WAYMARK_HUB_REDIS' }),
      ...(ownDatabase !== undefined
        ? { database: 'WAYMARK_DATABASE_URL' }
        : standIn === undefined &&
          options.database === undefined &&
          bareDatabase !== undefined && { database: 'DATABASE_URL' }),
    },
    migrations: isFolder(options.migrations) ? options.migrations : undefined,
    migrate: options.migrate ?? defaultSettings.migrate,
    templates: options.templates,
    wire: {
      ...pick(options, wireOptions),
      ...(options.failureLimit !== undefined && {
        failureLimit: wellShaped(options.failureLimit, failureLimitShapes),
      }),
    },
    workers: flags.workers ?? (workers === undefined ? undefined : toWorkers(workers)) ?? options.workers,
    limits: { ...defaultSettings.limits, ...wellShaped(options.limits ?? {}, limitShapes) },
    sessions: { ...defaultSettings.sessions, ...wellShaped(options.sessions ?? {}, sessionShapes) },
    runs: { ...defaultSettings.runs, ...wellShaped(options.runs ?? {}, runShapes) },
    hub: { ...hub, ...(declaredAt !== undefined && { declaredAt }) },
    hubRedis: ownHubRedis ?? hubRedis,
    logLevel: toLogLevel(env('LOG_LEVEL') || 'info') ?? 'info',
    env,
    declaredAt,
  };
  return {
    ...settings,
    problems: [...checkSettings(given, settings), ...checkOddities(variables, settings)],
  };
}

/** As `--workers` is read: digits only. What is no number is a problem as it is. */
function toWorkers(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** The variable that says what to bind, if one does. */
function findHost(env: Settings['env']): string | undefined {
  if (env('WAYMARK_HOST')?.trim()) return 'WAYMARK_HOST';
  const bare = env('HOST')?.trim();
  return bare && isAddress(bare) ? 'HOST' : undefined;
}

/** An address of IPv6 as addresses of pages have it, ours included. */
function withoutBrackets(host: string): string {
  return /^\[([^[\]]*:[^[\]]*)\]$/.exec(host)?.[1] ?? host;
}

/** Hosts set it for whatever database they offer. */
function usableDatabase(url: string | undefined): string | undefined {
  return url !== undefined && isDatabaseUrl(url) ? url : undefined;
}

/** The members that are given, so that nothing is set to undefined. */
function pick<T extends object, const K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])),
  ) as Pick<T, K>;
}
