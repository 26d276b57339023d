import { nearest, type Problem } from '@waymark/contract';
import type { FailureLimitOptions } from '@waymark/http';
import { checkShapes, type Shape, wellShaped } from './option-shapes.ts';
import { failureLimitShapes } from './read-policies.ts';

/** The options of an application (spec: Application options; times in seconds). Everything has a default. */
export interface ApplicationOptions {
  /** What the application is for; an MCP client shows it to its model. Empty. */
  readonly description?: string;
  /** `0.1.0`. Shown in health, the OpenAPI document and to MCP clients. */
  readonly version?: string;
  /** `sqlite://<path>` and its relatives; none. */
  readonly database?: string;
  /** Directory of page templates; none. */
  readonly templates?: string;
  /** `127.0.0.1`. */
  readonly host?: string;
  /** 8000; 0 takes a free one. */
  readonly port?: number;
  /** Worker processes; the number of CPUs. One process serves until several are supported, and the startup report says so. */
  readonly workers?: number;
  /** `/_svc`. */
  readonly controlPrefix?: string;
  /** 30 seconds. */
  readonly requestTimeout?: number;
  /** 600 seconds: agent, behaviour and flow routes. */
  readonly agentTimeout?: number;
  /** 25 seconds. */
  readonly shutdownTimeout?: number;
  /** Refuse undeclared query names on every route that does not say; false. */
  readonly strictQuery?: boolean;
  /** Scopes that reach `/mcp` and `/tools` under the control prefix; `['svc:admin']`. */
  readonly mcpScopes?: readonly string[];
  /** Bind an address other than loopback without any authentication; false. */
  readonly allowUnauthenticated?: boolean;
  /** Where the service is reached from outside: `https://support.example.com`. Its origin and host are the service's own. */
  readonly publicUrl?: string;
  /** Host names, besides the loopback ones, the bound one and `publicUrl`'s, under which the control plane answers. */
  readonly allowedHosts?: readonly string[];
  /** Whose `X-Forwarded-*` headers are believed: that many proxies, or those with these addresses; nobody's. */
  readonly trustProxy?: number | readonly string[];
  /** How often one client address may fail (401, 404): 20 a second, 200 at once. */
  readonly failureLimit?: FailureLimitOptions;
  /** Where variables are read from; `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What a command line may set; it wins over the environment, which wins over the options (decision 2.13). */
export type Flags = Pick<ApplicationOptions, 'host' | 'port'>;

/** Options of the door that have no default here. */
type OptionalWire = 'publicUrl' | 'allowedHosts' | 'trustProxy' | 'failureLimit';

/** Options with every default filled in, and what is odd about where they came from. */
export interface Settings
  extends Required<Omit<ApplicationOptions, 'database' | 'templates' | 'workers' | 'env' | OptionalWire>> {
  readonly database: string | undefined;
  readonly templates: string | undefined;
  readonly workers: number | undefined;
  /** What the door is given as it is. */
  readonly wire: Pick<ApplicationOptions, OptionalWire>;
  readonly logLevel: LogLevelName;
  env(name: string): string | undefined;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** The log levels of the `LOG_LEVEL` variable. */
export type LogLevelName = (typeof logLevels)[number];

const defaults = {
  description: '',
  version: '0.1.0',
  host: '127.0.0.1',
  port: 8000,
  controlPrefix: '/_svc',
  requestTimeout: 30,
  agentTimeout: 600,
  shutdownTimeout: 25,
  strictQuery: false,
  mcpScopes: ['svc:admin'],
  allowUnauthenticated: false,
} as const;

const wireOptions = ['publicUrl', 'allowedHosts', 'trustProxy', 'failureLimit'] as const;

const shapes: Readonly<Record<keyof ApplicationOptions, Shape>> = {
  description: 'text',
  version: 'text',
  database: 'text',
  templates: 'text',
  host: 'text',
  port: 'number',
  workers: 'number',
  controlPrefix: 'text',
  requestTimeout: 'number',
  agentTimeout: 'number',
  shutdownTimeout: 'number',
  strictQuery: 'boolean',
  mcpScopes: 'texts',
  allowUnauthenticated: 'boolean',
  publicUrl: 'text',
  allowedHosts: 'texts',
  // The door says what is wrong with it.
  trustProxy: 'any',
  // It has options of its own.
  failureLimit: 'any',
  env: 'options',
};

const knownVariables = ['WAYMARK_HOST', 'WAYMARK_DATABASE_URL'];

/** The longest time that a timer of the platform can wait, in seconds; it would fire a longer one at once. */
const longestSeconds = 2_147_483;

/** Works out the settings: flag over environment over option over default. Never throws; what is wrong is in `problems`. */
export function resolveSettings(given: ApplicationOptions, flags: Flags = {}): Settings {
  const options = wellShaped(given, shapes);
  const variables = options.env ?? process.env;
  const env = (name: string): string | undefined => variables[name];
  // A variable that is set to nothing is not set: node would take an empty host for every address there is.
  const port = env('PORT')?.trim() || undefined;
  const bareHost = env('HOST') || undefined;
  const ownHost = env('WAYMARK_HOST') || undefined;
  const level = env('LOG_LEVEL') || 'info';
  // Some shells set HOST to the machine's name: only a value that can be bound makes sense for us.
  const usableHost = bareHost !== undefined && isAddress(bareHost);
  const host = flags.host ?? ownHost ?? (usableHost ? bareHost : undefined) ?? options.host ?? defaults.host;
  const { description, version, controlPrefix, requestTimeout, agentTimeout, shutdownTimeout } = {
    ...defaults,
    ...options,
  };
  const { strictQuery, mcpScopes, allowUnauthenticated } = { ...defaults, ...options };
  const settings = {
    ...{ description, version, controlPrefix, requestTimeout, agentTimeout, shutdownTimeout },
    ...{ strictQuery, mcpScopes, allowUnauthenticated },
    host,
    port: flags.port ?? (port === undefined ? undefined : toPort(port)) ?? options.port ?? defaults.port,
    database:
      (env('WAYMARK_DATABASE_URL') || undefined) ?? options.database ?? (env('DATABASE_URL') || undefined),
    templates: options.templates,
    wire: {
      ...pick(options, wireOptions),
      ...(options.failureLimit !== undefined && {
        failureLimit: wellShaped(options.failureLimit, failureLimitShapes),
      }),
    },
    workers: options.workers,
    logLevel: (logLevels as readonly string[]).includes(level) ? (level as LogLevelName) : 'info',
    env,
  };
  const warnings = [
    ...unknownVariables(Object.keys(variables)),
    ...(bareHost !== undefined && !usableHost && ownHost === undefined
      ? [`HOST=${bareHost} is not an address to bind and is ignored; set WAYMARK_HOST`]
      : []),
    ...(settings.logLevel === level
      ? []
      : [`LOG_LEVEL=${level} is not one of ${logLevels.join(', ')}; info is used`]),
    ...(env('NODE_ENV') === 'production' && host !== defaults.host && allowUnauthenticated
      ? ['allowUnauthenticated is set in production']
      : []),
  ];
  return { ...settings, problems: findProblems(given, settings), warnings };
}

/** Digits only: `Number` reads `1e3` and `0x10` too. */
function toPort(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** The members that are given, so that nothing is set to undefined. */
function pick<T extends object, const K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])),
  ) as Pick<T, K>;
}

function isAddress(host: string): boolean {
  return host === 'localhost' || /^[\d.]+$/.test(host) || host.includes(':');
}

function unknownVariables(names: readonly string[]): readonly string[] {
  return names
    .filter((name) => name.startsWith('WAYMARK_') && !knownVariables.includes(name))
    .map((name) => {
      const close = nearest(name, knownVariables);
      return `unknown variable ${name}${close === undefined ? '' : `; did you mean ${close}?`}`;
    });
}

function findProblems(
  given: ApplicationOptions,
  settings: Omit<Settings, 'problems' | 'warnings'>,
): readonly Problem[] {
  const problem = (rule: string): Problem => ({ declaration: 'application', rule });
  const seconds = ['requestTimeout', 'agentTimeout', 'shutdownTimeout'] as const;
  const { host, port, workers } = settings;
  const { failureLimit = {} } = given ?? {};
  const shownPort = Number.isNaN(port) ? settings.env('PORT') : port;
  return [
    ...checkShapes(given, shapes).map((found) => ({ declaration: 'application', ...found })),
    ...checkShapes(failureLimit, failureLimitShapes).map((found) => ({
      declaration: 'failureLimit',
      ...found,
    })),
    ...(host === '' ? [problem('host is empty')] : []),
    ...(Number.isInteger(port) && port >= 0 && port <= 65_535
      ? []
      : [problem(`port ${shownPort} is not a number from 0 to 65535`)]),
    ...(workers === undefined || (Number.isInteger(workers) && workers > 0)
      ? []
      : [problem(`workers ${workers} is not a positive number`)]),
    ...seconds
      .filter((name) => !(settings[name] > 0 && settings[name] <= longestSeconds))
      .map((name) => problem(`${name} is not a positive number of seconds up to ${longestSeconds}`)),
  ];
}
