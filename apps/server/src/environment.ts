import { type Fault, nearestOr, type RuleBook } from '@waymark/contract';
import { isDatabaseUrl } from '@waymark/data';

/** What holds for the variables that a server reads. */
export const environmentRules = {
  'variable-unknown': 'A variable that begins with WAYMARK_ is one of the product.',
  'variable-ignored': 'A variable that other programs set, too, is usable here.',
  'log-level': 'LOG_LEVEL is one of the levels there are.',
} as const satisfies RuleBook;

type EnvironmentFault = Fault<keyof typeof environmentRules>;

/** The variables of the product. All others with its prefix are mistakes. */
const knownVariables = ['WAYMARK_HOST', 'WAYMARK_DATABASE_URL'];

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

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

/** Says what is odd about variables: none of it keeps a server from starting. */
export function checkEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
): readonly EnvironmentFault[] {
  const { HOST: host = '', WAYMARK_HOST: ownHost = '', LOG_LEVEL: level = '' } = variables;
  const { DATABASE_URL: database = '', WAYMARK_DATABASE_URL: ownDatabase = '' } = variables;
  return [
    ...Object.keys(variables)
      .filter((name) => name.startsWith('WAYMARK_') && !knownVariables.includes(name))
      .map((name) => ({
        ...odd('variable-unknown', `unknown variable ${name}`),
        ...nearestOr(`take it out; there are ${knownVariables.join(', ')}`, name, knownVariables),
      })),
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
            ...odd('log-level', `LOG_LEVEL=${level} is no level, and info is used`),
            ...nearestOr(`set it to one of ${logLevels.join(', ')}`, level, logLevels),
          },
        ]),
  ];
}

function odd(code: EnvironmentFault['code'], rule: string): EnvironmentFault {
  return { code, severity: 'warning', rule };
}
