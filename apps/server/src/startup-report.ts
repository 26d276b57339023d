import type { Finding, RouteTable } from '@waymark/contract';
import { toSecurityReport } from '@waymark/control-plane';
import type { Declarations } from './application.ts';
import { securityFacts } from './security-facts.ts';

/** One screen about a server that has just started (decision 10.5). */
export interface StartupReport {
  readonly name: string;
  readonly version: string;
  readonly url: string;
  readonly mcpUrl: string;
  readonly openapiUrl: string;
  /** Milliseconds since the process began. */
  readonly bootMs: number;
  readonly counts: Readonly<Record<string, number>>;
  /** `3 API keys: operator, device, reader`. */
  readonly authentication: string;
  /** Which door answers. */
  readonly door: string;
  /** Where the service's own state is kept. */
  readonly state: string;
  readonly processes: string;
  readonly warnings: readonly Finding[];
}

/** Collects what is worth knowing at start. */
export function startupReport({
  declarations,
  table,
  url,
  bootMs,
}: {
  readonly declarations: Declarations;
  readonly table: RouteTable;
  readonly url: string;
  readonly bootMs: number;
}): StartupReport {
  const { name, settings, credentials, middleware } = declarations;
  const { version, controlPrefix, workers } = settings;
  return {
    ...{ name, version, url, bootMs },
    mcpUrl: `${url}${controlPrefix}/mcp`,
    openapiUrl: `${url}${controlPrefix}/openapi.json`,
    counts: { routes: table.size, tools: table.tools().length },
    authentication: describeAuthentication(credentials),
    door:
      middleware.length === 0
        ? 'table first'
        : `inside express, after ${middleware.length} middleware of the application`,
    state: 'in memory: gone when the process stops',
    processes:
      workers === undefined || workers === 1
        ? '1 process'
        : `1 process (${workers} workers asked; several processes are not supported yet)`,
    warnings: findWarnings(declarations, table),
  };
}

function describeAuthentication(credentials: Declarations['credentials']): string {
  const keys = credentials.filter(({ kind }) => kind === 'apiKey').map(({ name }) => name);
  const parts = [
    ...(keys.length > 0
      ? [`${keys.length} API ${keys.length === 1 ? 'key' : 'keys'}: ${keys.join(', ')}`]
      : []),
    ...(credentials.some(({ kind }) => kind === 'jwt') ? ['JSON Web Tokens'] : []),
  ];
  return parts.length === 0 ? 'none: only this machine reaches the control plane' : parts.join('; ');
}

function findWarnings(declarations: Declarations, table: RouteTable): readonly Finding[] {
  const { settings } = declarations;
  const warn = (text: string): Finding => ({ severity: 'warning', text });
  return [
    ...settings.warnings.map(warn),
    ...(settings.database === undefined
      ? []
      : [warn('the database option is set, and nothing declared here keeps anything in it')]),
    ...(settings.templates === undefined
      ? []
      : [warn('the templates option is set, and nothing declared here reads it')]),
    ...shorten(openDoors(declarations, table)),
  ];
}

/**
 * What the security report warns about that is open to others than it should be. Scopes that fit nobody and limits that
 * are not there can wait until somebody asks for the whole report.
 */
function openDoors(declarations: Declarations, table: RouteTable): readonly Finding[] {
  const facts = securityFacts(declarations, table);
  const { configured, allowUnauthenticated } = facts.authentication;
  // In production the settings have said so already.
  const said = declarations.settings.warnings.some((text) => text.startsWith('allowUnauthenticated'));
  const { warnings } = toSecurityReport({
    ...facts,
    limits: [],
    authentication: {
      ...facts.authentication,
      allowUnauthenticated: allowUnauthenticated && !said,
      // Tokens may carry any scope: nothing is said of scopes that no key holds.
      ...{ keys: [], jwt: true },
    },
  });
  return warnings
    .filter(({ text }) => configured || !ofPublicRoutes.test(text))
    .map(({ text, fix }) => ({ severity: 'warning', text, ...(fix !== null && { fix }) }));
}

/** Without authentication one line says it of all routes. */
const ofPublicRoutes = /changes state and answers anybody$/;

const maxShown = 8;

/** One screen is read; a hundred lines are not. */
function shorten(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= maxShown) return findings;
  const rest = findings.length - maxShown;
  return [
    ...findings.slice(0, maxShown),
    { severity: 'warning', text: `and ${rest} more`, fix: 'waymark security lists them all' },
  ];
}

/** The report as text for a terminal. */
export function formatReport(report: StartupReport): string {
  const { name, version, url, mcpUrl, openapiUrl, counts, authentication, door, state, processes, warnings } =
    report;
  const rows: readonly (readonly [string, string])[] = [
    ['url', url],
    ['mcp', mcpUrl],
    ['openapi', openapiUrl],
    [
      'serves',
      Object.entries(counts)
        .map(([what, count]) => `${count} ${what}`)
        .join(', '),
    ],
    ['auth', authentication],
    ['door', door],
    ['state', state],
    ['runs', processes],
    ...warnings.map(({ text, fix }) => ['warning', fix === undefined ? text : `${text}; ${fix}`] as const),
  ];
  const lines = rows.map(([label, text]) => `  ${label.padEnd(8)} ${text}`);
  return [`${name} ${version} is ready in ${Math.round(report.bootMs)} ms`, ...lines].join('\n');
}
