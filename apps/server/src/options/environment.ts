import { type Fault, nearest, nearestOr, type RuleBook } from '@waymark/contract/declaring';
import { isDatabaseUrl } from '@waymark/data';

/** What holds for the variables that a server reads. */
export const environmentRules = {
  'variable-unknown': 'A variable that begins with WAYMARK_ is one of the product.',
  'variable-ignored': 'A variable that other programs set, too, is usable here.',
  'log-level': 'LOG_LEVEL is one of the levels there are.',
} as const satisfies RuleBook;

type EnvironmentFault = Fault<keyof typeof environmentRules>;

const prefix = 'WAYMARK_';

/**
 * The variables there are, by what they are called without the prefix. All others that bear it are mistakes, also
 * WAYMARK_PORT: hosting platforms set PORT.
 */
const knownVariables: ReadonlyMap<string, string> = new Map([
  ['PORT', 'PORT'],
  ['HOST', 'WAYMARK_HOST'],
  ['DATABASE_URL', 'WAYMARK_DATABASE_URL'],
  ['WORKERS', 'WAYMARK_WORKERS'],
  ['HUB_REDIS', 'WAYMARK_HUB_REDIS'],
  // Of `waymark push`, which may have the same `.env`.
  ['PUSH_SOURCE', 'WAYMARK_PUSH_SOURCE'],
  ['LOG_LEVEL', 'LOG_LEVEL'],
  ['NODE_ENV', 'NODE_ENV'],
]);

const logLevels = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The log levels of the `LOG_LEVEL` variable. */
export type LogLevelName = (typeof logLevels)[number];

/** The level that a variable names, if it is one. */
export function toLogLevel(text: string): LogLevelName | undefined {
  return logLevels.find((level) => level === text);
}

/** Whether a host can be bound. Some shells set HOST to the machine's name. */
export function isAddress(host: string): boolean {
  return host === 'localhost' || /^[\d.]+$/.test(host) || host.includes(':');
}

/** Says what is wrong and what is odd about variables. Only a log level that is none keeps a server from starting. */
export function checkEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
): readonly EnvironmentFault[] {
  const { HOST: host = '', WAYMARK_HOST: ownHost = '', LOG_LEVEL: level = '' } = variables;
  const close = toLogLevel(level) === undefined ? nearest(level, logLevels) : undefined;
  const { DATABASE_URL: database = '', WAYMARK_DATABASE_URL: ownDatabase = '' } = variables;
  return [
    ...Object.keys(variables)
      .filter((name) => name.startsWith(prefix) && ![...knownVariables.values()].includes(name))
      .map((name) => ({ ...odd('variable-unknown', `unknown variable ${name}`), ...meantBy(name) })),
    ...(host !== '' && !isAddress(host) && ownHost === ''
      ? [
          {
            ...odd('variable-ignored', `HOST=${host} is not an address to bind and is ignored`),
            fix: 'set WAYMARK_HOST',
          },
        ]
      : []),
    ...(database !== '' && !isDatabaseUrl(database) && ownDatabase === ''
      ? [
          {
            // What it says is not shown: it may hold a password.
            ...odd(
              'variable-ignored',
              'DATABASE_URL names no database that can be opened here and is ignored',
            ),
            fix: 'set WAYMARK_DATABASE_URL',
          },
        ]
      : []),
    ...(level === '' || toLogLevel(level) !== undefined
      ? []
      : [
          {
            code: 'log-level' as const,
            rule: `LOG_LEVEL=${level} is no level`,
            ...(close !== undefined && { nearest: close }),
            fix: `set it to one of ${logLevels.join(', ')}`,
          },
        ]),
  ];
}

function meantBy(name: string): Pick<EnvironmentFault, 'nearest' | 'fix'> {
  const fix = `take it out; there are ${[...knownVariables.values()].join(', ')}`;
  const meant = nearestOr(fix, name.slice(prefix.length), knownVariables.keys());
  return 'nearest' in meant ? { nearest: knownVariables.get(meant.nearest) ?? meant.nearest } : meant;
}

function odd(code: EnvironmentFault['code'], rule: string): EnvironmentFault {
  return { code, severity: 'warning', rule };
}
