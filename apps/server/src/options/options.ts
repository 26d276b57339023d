import {
  checkOptions,
  type Fault,
  type Problem,
  type RuleBook,
  type Shape,
  toProblems,
  wellShaped,
} from '@waymark/contract';
import { isDatabaseUrl } from '@waymark/data';
import type { DeviceHubOptions } from '@waymark/device-hub';
import type { FailureLimitOptions } from '@waymark/http';
import { failureLimitShapes } from '../declaring/read-policies.ts';
import { checkEnvironment, isAddress, type LogLevelName, toLogLevel } from './environment.ts';

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
  /** WebSockets that one principal, or one anonymous address, may have open; 100. One more is 429. */
  readonly maxSocketsPerCaller?: number;
  /** How many conversations with agents are kept, and for how long. */
  readonly sessions?: SessionOptions;
  /** How long runs are kept that have ended, and how soon those of a process that is gone are taken up. */
  readonly runs?: RunOptions;
  /** How the device hub works: its backend, its limits, when a device counts as silent. */
  readonly hub?: Omit<DeviceHubOptions, 'declaredAt'>;
  /** Where variables are read from; `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `file:line` for messages. Found by itself; a function that wraps `createApplication` passes its caller's. */
  readonly declaredAt?: string;
}

/** What is kept of conversations with agents (decision 6.9). */
export interface SessionOptions {
  /** Conversations; the one that was not used for longest goes first. 1,000. */
  readonly capacity?: number;
  /** Seconds after its last turn; 3,600. */
  readonly ttl?: number;
}

/** What is kept of runs, and when another process goes on with them (`runs` 4 and 14). */
export interface RunOptions {
  /** Days after a run has ended; 7. */
  readonly keepDays?: number;
  /** Runs that have ended; the oldest go first. 100,000. */
  readonly keepRuns?: number;
  /**
   * Seconds that a run stays with a process that says nothing, where nobody can find out that it is gone: on a database
   * elsewhere. 30, and 900 at most.
   */
  readonly lease?: number;
  /** Runs taken up again at once, after a restart or a decision; 256. */
  readonly maxResumed?: number;
  /**
   * Seconds for which a model is asked again whose provider is out of reach, from its first failure on; the run waits
   * meanwhile. 3,600; 0 fails at once.
   */
  readonly giveUpAfter?: number;
}

/** What a command line may set; it wins over the environment, which wins over the options (decision 2.13). */
export type Flags = Pick<ApplicationOptions, 'host' | 'port' | 'shutdownTimeout'>;

/** Options of the door that have no default here. */
type OptionalWire = 'publicUrl' | 'allowedHosts' | 'trustProxy' | 'failureLimit';

/** Options with every default filled in, and what is odd about where they came from. */
export interface Settings
  extends Required<
    Omit<
      ApplicationOptions,
      'database' | 'templates' | 'workers' | 'sessions' | 'runs' | 'hub' | 'env' | 'declaredAt' | OptionalWire
    >
  > {
  readonly database: string | undefined;
  readonly templates: string | undefined;
  readonly workers: number | undefined;
  readonly sessions: Required<SessionOptions>;
  readonly runs: Required<RunOptions>;
  readonly hub: DeviceHubOptions;
  /** What the door is given as it is. */
  readonly wire: Pick<ApplicationOptions, OptionalWire>;
  readonly logLevel: LogLevelName;
  env(name: string): string | undefined;
  /** Where the application is made; undefined where that is not known. */
  readonly declaredAt: string | undefined;
  readonly problems: readonly Problem[];
}

/** What holds for the options of an application, wherever their values come from. */
export const settingRules = {
  'setting-host': 'The host to bind is not empty.',
  'setting-port': 'A port is a number from 0 to 65535.',
  'setting-workers': 'Workers are counted.',
  'setting-sessions': 'Sessions are counted.',
  'setting-sockets': 'Sockets are counted.',
  'setting-runs': 'Runs are counted and kept for a while, and a lease is short.',
  'viewers-over-sockets': 'Nobody is promised more streams than sockets.',
  'setting-seconds': 'Times are seconds, and no more than a timer of the platform can wait.',
  'open-in-production': 'In production nobody comes in without authentication.',
} as const satisfies RuleBook;

type SettingFault = Fault<keyof typeof settingRules>;

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
  maxSocketsPerCaller: 100,
  sessions: { capacity: 1_000, ttl: 3_600 },
  runs: { keepDays: 7, keepRuns: 100_000, lease: 30, maxResumed: 256, giveUpAfter: 3_600 },
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
  maxSocketsPerCaller: 'number',
  sessions: 'any',
  runs: 'any',
  hub: 'options',
  env: 'options',
  declaredAt: 'text',
};

const sessionShapes: Readonly<Record<keyof SessionOptions, Shape>> = { capacity: 'number', ttl: 'number' };

const runShapes: Readonly<Record<keyof RunOptions, Shape>> = {
  ...{ keepDays: 'number', keepRuns: 'number', lease: 'number', maxResumed: 'number' },
  giveUpAfter: 'number',
};

/** Seconds: it is renewed three times in it, and one that is longer looks like one from before the clock was set back. */
const leastLease = 3;
const longestLease = 900;

/** The longest time that a timer of the platform can wait, in seconds; it would fire a longer one at once. */
const longestSeconds = 2_147_483;

/**
 * Works out the settings: flag over environment over option over default. Never throws; what is wrong, and what is odd
 * about where they came from, is in `problems`.
 *
 * @param site where the application is made, unless an option says so
 */
export function resolveSettings(given: ApplicationOptions, flags: Flags = {}, site?: string): Settings {
  const options = wellShaped(given, shapes);
  const variables = options.env ?? process.env;
  const env = (name: string): string | undefined => variables[name];
  // A variable that is set to nothing is not set: node would take an empty host for every address there is.
  const port = env('PORT')?.trim() || undefined;
  const bareHost = env('HOST') || undefined;
  const ownHost = env('WAYMARK_HOST') || undefined;
  const usableHost = bareHost !== undefined && isAddress(bareHost);
  const host = flags.host ?? ownHost ?? (usableHost ? bareHost : undefined) ?? options.host ?? defaults.host;
  const { description, version, controlPrefix, requestTimeout, agentTimeout, shutdownTimeout } = {
    ...defaults,
    ...options,
  };
  const { strictQuery, mcpScopes, allowUnauthenticated, maxSocketsPerCaller } = { ...defaults, ...options };
  const { declaredAt = site } = options;
  const settings = {
    ...{ description, version, controlPrefix, requestTimeout, agentTimeout },
    shutdownTimeout: flags.shutdownTimeout ?? shutdownTimeout,
    ...{ strictQuery, mcpScopes, allowUnauthenticated, maxSocketsPerCaller },
    host,
    port: flags.port ?? (port === undefined ? undefined : toPort(port)) ?? options.port ?? defaults.port,
    database:
      (env('WAYMARK_DATABASE_URL') || undefined) ?? options.database ?? usableDatabase(env('DATABASE_URL')),
    templates: options.templates,
    wire: {
      ...pick(options, wireOptions),
      ...(options.failureLimit !== undefined && {
        failureLimit: wellShaped(options.failureLimit, failureLimitShapes),
      }),
    },
    workers: options.workers,
    sessions: { ...defaults.sessions, ...wellShaped(options.sessions ?? {}, sessionShapes) },
    runs: { ...defaults.runs, ...wellShaped(options.runs ?? {}, runShapes) },
    hub: { ...options.hub, ...(declaredAt !== undefined && { declaredAt }) },
    logLevel: toLogLevel(env('LOG_LEVEL') || 'info') ?? 'info',
    env,
    declaredAt,
  };
  return { ...settings, problems: [...findProblems(given, settings), ...findOddities(variables, settings)] };
}

/** Hosts set it for whatever database they offer. */
function usableDatabase(url: string | undefined): string | undefined {
  return url !== undefined && isDatabaseUrl(url) ? url : undefined;
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

type Unchecked = Omit<Settings, 'problems'>;

function findProblems(given: ApplicationOptions, settings: Unchecked): readonly Problem[] {
  const { declaredAt } = settings;
  const { failureLimit = {}, sessions = {}, runs = {} } = given ?? {};
  return [
    ...toProblems('application', declaredAt, [...checkOptions(given, shapes), ...checkRanges(settings)]),
    ...toProblems('failureLimit', declaredAt, checkOptions(failureLimit, failureLimitShapes)),
    ...toProblems('sessions', declaredAt, checkOptions(sessions, sessionShapes)),
    ...toProblems('runs', declaredAt, checkOptions(runs, runShapes)),
  ];
}

function checkRanges(settings: Unchecked): readonly SettingFault[] {
  const { host, port, workers, sessions, requestTimeout, agentTimeout, shutdownTimeout } = settings;
  const { maxSocketsPerCaller } = settings;
  const seconds = { requestTimeout, agentTimeout, shutdownTimeout, 'sessions.ttl': sessions.ttl };
  const usual = { ...defaults, 'sessions.ttl': defaults.sessions.ttl };
  const shownPort = Number.isNaN(port) ? settings.env('PORT') : port;
  return [
    ...(host === ''
      ? [fault('setting-host', 'host is empty', "write '127.0.0.1', or '0.0.0.0' for all")]
      : []),
    ...(Number.isInteger(port) && port >= 0 && port <= 65_535
      ? []
      : [
          fault(
            'setting-port',
            `port ${shownPort} is not a number from 0 to 65535`,
            'write one such as 8000; 0 takes a free one',
          ),
        ]),
    ...(workers === undefined || (Number.isInteger(workers) && workers > 0)
      ? []
      : [
          fault(
            'setting-workers',
            `workers ${workers} is not a positive number`,
            'write a whole number from 1, or leave it out',
          ),
        ]),
    ...checkCount('setting-sessions', 'sessions.capacity', sessions.capacity, defaults.sessions.capacity),
    ...checkCount(
      'setting-sockets',
      'maxSocketsPerCaller',
      maxSocketsPerCaller,
      defaults.maxSocketsPerCaller,
    ),
    ...checkRuns(settings.runs),
    ...(Object.keys(seconds) as (keyof typeof seconds)[])
      .filter((name) => !(seconds[name] > 0 && seconds[name] <= longestSeconds))
      .map((name) =>
        fault(
          'setting-seconds',
          `${name} is not a positive number of seconds up to ${longestSeconds}`,
          `write seconds: ${usual[name]}`,
        ),
      ),
  ];
}

function checkRuns(runs: Unchecked['runs']): readonly SettingFault[] {
  const { keepDays, keepRuns, lease, maxResumed, giveUpAfter } = runs;
  return [
    ...(giveUpAfter >= 0 && Number.isFinite(giveUpAfter)
      ? []
      : [
          fault(
            'setting-runs',
            `runs.giveUpAfter ${giveUpAfter} is no time`,
            `write seconds: ${defaults.runs.giveUpAfter}`,
          ),
        ]),
    ...checkCount('setting-runs', 'runs.keepRuns', keepRuns, defaults.runs.keepRuns),
    ...checkCount('setting-runs', 'runs.maxResumed', maxResumed, defaults.runs.maxResumed),
    ...(keepDays > 0 && Number.isFinite(keepDays)
      ? []
      : [
          fault(
            'setting-runs',
            `runs.keepDays ${keepDays} is no time`,
            `write days: ${defaults.runs.keepDays}`,
          ),
        ]),
    ...(lease >= leastLease && lease <= longestLease
      ? []
      : [
          fault(
            'setting-runs',
            `runs.lease ${lease} is not from ${leastLease} to ${longestLease} seconds`,
            `write seconds: ${defaults.runs.lease}`,
          ),
        ]),
  ];
}

function checkCount(
  code: SettingFault['code'],
  name: string,
  value: number,
  usual: number,
): readonly SettingFault[] {
  if (Number.isInteger(value) && value > 0) return [];
  return [
    fault(code, `${name} ${value} is not a positive number`, `write a whole number from 1, such as ${usual}`),
  ];
}

function findOddities(
  variables: Readonly<Record<string, string | undefined>>,
  settings: Unchecked,
): readonly Problem[] {
  const { env, host, allowUnauthenticated, declaredAt } = settings;
  const isOpen = env('NODE_ENV') === 'production' && host !== defaults.host && allowUnauthenticated;
  return [
    ...toProblems('environment', declaredAt, checkEnvironment(variables)),
    ...toProblems('application', declaredAt, isOpen ? [openInProduction] : []),
    ...toProblems('application', declaredAt, findTooFewSockets(settings)),
  ];
}

/** A default is no promise: who wants fewer sockets need not say it of streams, too. */
function findTooFewSockets({ hub, maxSocketsPerCaller }: Unchecked): readonly SettingFault[] {
  const { maxViewersPerPrincipal: viewers } = hub;
  if (typeof viewers !== 'number' || !(viewers > maxSocketsPerCaller)) return [];
  const rule = `hub.maxViewersPerPrincipal is ${viewers}, and one caller may have ${maxSocketsPerCaller} sockets`;
  return [
    {
      ...fault('viewers-over-sockets', rule, `write maxSocketsPerCaller: ${viewers}, or fewer viewers`),
      severity: 'warning',
    },
  ];
}

const openInProduction: SettingFault = {
  ...fault(
    'open-in-production',
    'allowUnauthenticated is set in production',
    'declare an apiKey or a jwt, and take allowUnauthenticated out',
  ),
  severity: 'warning',
};

function fault(code: SettingFault['code'], rule: string, fix: string): SettingFault {
  return { code, rule, fix };
}
