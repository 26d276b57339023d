import type { Problem } from '@waymark/contract';
import { checkOptions, type Fault, nearestOr, type RuleBook, toProblems } from '@waymark/contract/declaring';
import { redisUrlFault } from '@waymark/contract/hub';
import type { ApplicationOptions } from './application-options.ts';
import { checkEnvironment } from './environment.ts';
import { failureLimitShapes, limitShapes, optionShapes, runShapes, sessionShapes } from './option-shapes.ts';
import { isPort } from './port.ts';
import { isInMemory, mostProcesses } from './processes-of.ts';
import { defaultSettings, type UncheckedSettings } from './settings.ts';

/** What holds for the options of an application, wherever their values come from. */
export const settingRules = {
  'setting-host': 'The host to bind is not empty.',
  'setting-port': 'A port is a number from 0 to 65535.',
  'setting-workers': 'Workers are counted, and no more than 32 for each CPU.',
  'workers-memory': 'Several processes share no database in memory.',
  'setting-migrations': 'Migrations are a folder, or false.',
  'setting-sessions': 'Sessions are counted.',
  'setting-sockets': 'Sockets are counted.',
  'setting-limits': 'What callers hold is counted in whole numbers.',
  'setting-runs': 'Runs are counted and kept for a while, and a lease is short.',
  'setting-hub-redis': 'The Redis of the hub can be used, and the hub has no other place.',
  'viewers-over-sockets': 'Nobody is promised more streams than sockets.',
  'setting-openapi': 'The document is public or protected.',
  'setting-seconds': 'Times are seconds, and no more than a timer of the platform can wait.',
  'open-in-production': 'In production nobody comes in without authentication.',
} as const satisfies RuleBook;

type SettingFault = Fault<keyof typeof settingRules>;

/** Seconds: it is renewed three times in it, and one that is longer looks like one from before the clock was set back. */
const leastLease = 3;
const longestLease = 900;

/** Who may read the document. */
const documentAccesses: readonly string[] = ['public', 'protected'];

/** The longest time that a timer of the platform can wait, in seconds; it would fire a longer one at once. */
const longestSeconds = 2_147_483;

/** Finds what is wrong with the options of an application. */
export function checkSettings(given: ApplicationOptions, settings: UncheckedSettings): readonly Problem[] {
  const { declaredAt } = settings;
  const { failureLimit = {}, limits = {}, sessions = {}, runs = {} } = given ?? {};
  return [
    ...toProblems('application', declaredAt, [
      ...checkOptions(given, optionShapes),
      ...checkRanges(settings),
      ...checkMigrations(given),
    ]),
    ...checkPort(settings),
    ...checkWorkers(settings),
    ...checkHubRedis(settings),
    ...toProblems('failureLimit', declaredAt, checkOptions(failureLimit, failureLimitShapes)),
    ...toProblems('limits', declaredAt, checkOptions(limits, limitShapes)),
    ...toProblems('sessions', declaredAt, checkOptions(sessions, sessionShapes)),
    ...toProblems('runs', declaredAt, checkOptions(runs, runShapes)),
  ];
}

function checkRanges(settings: UncheckedSettings): readonly SettingFault[] {
  const { host, sessions, requestTimeout, agentTimeout, shutdownTimeout } = settings;
  const { maxSocketsPerCaller, openapi } = settings;
  const seconds = { requestTimeout, agentTimeout, shutdownTimeout, 'sessions.ttl': sessions.ttl };
  const usual = { ...defaultSettings, 'sessions.ttl': defaultSettings.sessions.ttl };
  return [
    ...(host === ''
      ? [fault('setting-host', 'host is empty', "write '127.0.0.1', or '0.0.0.0' for all")]
      : []),
    ...(['capacity', 'perCaller', 'maxBytes'] as const).flatMap((name) =>
      checkCount('setting-sessions', `sessions.${name}`, sessions[name], defaultSettings.sessions[name]),
    ),
    ...checkCount(
      'setting-sockets',
      'maxSocketsPerCaller',
      maxSocketsPerCaller,
      defaultSettings.maxSocketsPerCaller,
    ),
    ...(['bodyValues', 'bodyBytes', 'bodyBytesPerCaller', 'sockets', 'endedSignIns'] as const).flatMap(
      (name) =>
        checkCount('setting-limits', `limits.${name}`, settings.limits[name], defaultSettings.limits[name]),
    ),
    ...checkRuns(settings.runs),
    ...(documentAccesses.includes(openapi)
      ? []
      : [
          {
            code: 'setting-openapi' as const,
            rule: `openapi "${openapi}" is neither "public" nor "protected"`,
            ...nearestOr('write "public", or leave it out', openapi, documentAccesses),
          },
        ]),
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

function checkMigrations(given: ApplicationOptions): readonly SettingFault[] {
  const { migrations } = given ?? {};
  if (isFolder(migrations)) return [];
  return [
    fault(
      'setting-migrations',
      'migrations is neither a folder nor false',
      "write migrations: 'folder', false for none, or leave it out",
    ),
  ];
}

/** What `migrations` may be. */
export function isFolder(value: unknown): value is string | false | undefined {
  return value === undefined || value === false || (typeof value === 'string' && value !== '');
}

function checkPort({ port, variables, variablesAt, env, declaredAt }: UncheckedSettings): readonly Problem[] {
  if (isPort(port)) return [];
  const wrong = (said: string, fix: string): readonly SettingFault[] => [
    fault('setting-port', `${said} is not a number from 0 to 65535`, fix),
  ];
  return variables.port === undefined
    ? toProblems(
        'application',
        declaredAt,
        wrong(`port ${port}`, 'write one such as 8000; 0 takes a free one'),
      )
    : toProblems(
        'environment',
        variablesAt,
        wrong(`${variables.port}=${env(variables.port)}`, 'set it to one such as 8000; 0 takes a free one'),
      );
}

function checkWorkers(settings: UncheckedSettings): readonly Problem[] {
  const { workers, database, variables, env } = settings;
  if (workers === undefined) return [];
  const by = variables.workers;
  const said = by === undefined ? `workers ${workers}` : `${by}=${env(by)?.trim()}`;
  const most = mostProcesses();
  if (!(Number.isInteger(workers) && workers > 0)) {
    const rule = `${said} is not a positive number`;
    return blamed(settings, by, 'setting-workers', rule, {
      option: 'write a whole number from 1, or leave it out',
      variable: 'set it to a whole number from 1, or leave it out',
    });
  }
  if (workers > most) {
    const fix = 'leave it out: there is one for each CPU';
    const rule = `${said} is more than ${most}, 32 for each CPU`;
    return blamed(settings, by, 'setting-workers', rule, { option: fix, variable: fix });
  }
  if (workers === 1 || database === undefined || !isInMemory(database)) return [];
  const rule = `each of ${workers} workers would have a database in memory of its own`;
  const named = by ?? variables.database;
  return blamed(settings, named, 'workers-memory', named === undefined ? rule : `${named}: ${rule}`, {
    option: 'write workers: 1, or a database in a file',
    variable: 'set WAYMARK_WORKERS=1, or name a database in a file',
  });
}

/** Stands where the variable is that says it, or else where the application is made. */
function blamed(
  { declaredAt, variablesAt }: UncheckedSettings,
  variable: string | undefined,
  code: SettingFault['code'],
  rule: string,
  fix: { readonly option: string; readonly variable: string },
): readonly Problem[] {
  return variable === undefined
    ? toProblems('application', declaredAt, [fault(code, rule, fix.option)])
    : toProblems('environment', variablesAt, [fault(code, rule, fix.variable)]);
}

function checkHubRedis(settings: UncheckedSettings): readonly Problem[] {
  const { hub, hubRedis, variables } = settings;
  if (hubRedis === undefined) return [];
  // A program without types may give anything.
  const wrong = typeof hubRedis === 'string' ? redisUrlFault(hubRedis) : 'the URL of Redis is no text';
  if (wrong !== undefined) return hubRedisProblems(settings, wrong, hubRedisFix);
  if (hub.backend === undefined || variables.hubRedis !== undefined) return [];
  return hubRedisProblems(settings, 'the hub has a backend, too', 'take one of the two out');
}

const hubRedisFix = 'write redis://host:6379, or rediss://user:password@host:6379';

/** What is wrong with the Redis of the hub, where it is named. */
export function hubRedisProblems(
  { variables: { hubRedis: variable }, variablesAt, declaredAt }: UncheckedSettings,
  rule: string,
  fix: string,
): readonly Problem[] {
  const named = fault(
    'setting-hub-redis',
    variable === undefined ? `hub.redis: ${rule}` : `${variable}: ${rule}`,
    fix,
  );
  return variable === undefined
    ? toProblems('application', declaredAt, [named])
    : toProblems('environment', variablesAt, [named]);
}

function checkRuns(runs: UncheckedSettings['runs']): readonly SettingFault[] {
  const { keepDays, keepRuns, keepBytesPerCaller, lease, maxResumed, giveUpAfter } = runs;
  return [
    ...(giveUpAfter >= 0 && Number.isFinite(giveUpAfter)
      ? []
      : [
          fault(
            'setting-runs',
            `runs.giveUpAfter ${giveUpAfter} is no time`,
            `write seconds: ${defaultSettings.runs.giveUpAfter}`,
          ),
        ]),
    ...checkCount('setting-runs', 'runs.keepRuns', keepRuns, defaultSettings.runs.keepRuns),
    ...checkCount(
      'setting-runs',
      'runs.keepBytesPerCaller',
      keepBytesPerCaller,
      defaultSettings.runs.keepBytesPerCaller,
    ),
    ...checkCount('setting-runs', 'runs.maxResumed', maxResumed, defaultSettings.runs.maxResumed),
    ...(keepDays > 0 && Number.isFinite(keepDays)
      ? []
      : [
          fault(
            'setting-runs',
            `runs.keepDays ${keepDays} is no time`,
            `write days: ${defaultSettings.runs.keepDays}`,
          ),
        ]),
    ...(lease >= leastLease && lease <= longestLease
      ? []
      : [
          fault(
            'setting-runs',
            `runs.lease ${lease} is not from ${leastLease} to ${longestLease} seconds`,
            `write seconds: ${defaultSettings.runs.lease}`,
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

/** Finds what is odd about its options, and about where they came from. */
export function checkOddities(
  variables: Readonly<Record<string, string | undefined>>,
  settings: UncheckedSettings,
): readonly Problem[] {
  const { env, host, allowUnauthenticated, declaredAt, variablesAt } = settings;
  const isOpen = env('NODE_ENV') === 'production' && host !== defaultSettings.host && allowUnauthenticated;
  return [
    ...toProblems('environment', variablesAt, checkEnvironment(variables)),
    ...toProblems('application', declaredAt, isOpen ? [openInProduction] : []),
    ...toProblems('application', declaredAt, findTooFewSockets(settings)),
  ];
}

/** A default is no promise: who wants fewer sockets need not say it of streams, too. */
function findTooFewSockets({ hub, maxSocketsPerCaller }: UncheckedSettings): readonly SettingFault[] {
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
