import { isAuthenticationConfigured } from '@waymark/auth';
import type { Finding, RouteTable } from '@waymark/contract';
import type { Declarations } from './application.ts';

/** One screen about a server that has just started (decision 10.5). */
export interface StartupReport {
  readonly name: string;
  readonly version: string;
  readonly url: string;
  readonly mcpUrl: string;
  readonly openapiUrl: string;
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
  const { version, controlPrefix, database, workers } = settings;
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
    warnings: findWarnings(declarations, database),
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

function findWarnings(
  { settings, plugins, credentials }: Declarations,
  database: string | undefined,
): readonly Finding[] {
  const warn = (text: string, fix?: string): Finding => ({
    severity: 'warning',
    text,
    ...(fix !== undefined && { fix }),
  });
  return [
    ...settings.warnings.map((text) => warn(text)),
    ...(database === undefined
      ? []
      : [warn('the database option is set, and nothing declared here keeps anything in it')]),
    ...(settings.templates === undefined
      ? []
      : [warn('the templates option is set, and nothing declared here reads it')]),
    ...(isAuthenticationConfigured(credentials)
      ? []
      : [warn('every route without scopes answers anybody who connects', 'declare an apiKey')]),
    ...plugins.flatMap(
      (plugin) => plugin.findings?.().filter(({ severity }) => severity === 'warning') ?? [],
    ),
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
