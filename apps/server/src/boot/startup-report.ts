import type { Problem, Route } from '@waymark/contract';
import { type Finding, toFinding } from '@waymark/contract/declaring';
import type { Declarations } from '../declaring/declarations.ts';
import type { ProcessPlan } from '../options/processes-of.ts';
import type { Composed } from '../security/security-facts.ts';
import { openDoors } from '../security/security-warnings.ts';

/** Facts about a server that has just started, which `formatReport` prints on one screen (decisions 10.5, 12.5). */
export interface StartupReport {
  readonly name: string;
  readonly version: string;
  readonly url: string;
  readonly mcpUrl: string;
  readonly openapiUrl: string;
  /** The console, signed in for a minute where that could be arranged; only where there is one. */
  readonly consoleUrl?: string;
  /** Page of the document, for people; only where there is one. */
  readonly docsUrl?: string;
  /** Milliseconds since the process began. */
  readonly bootMs: number;
  readonly counts: Readonly<Record<string, number>>;
  /** Credentials in a sentence: `3 API keys: operator, device, reader`. */
  readonly authentication: string;
  /** Place of the door, in a sentence, such as inside express after the middleware of the application. */
  readonly door: string;
  /** Place where the service keeps its own state, in a sentence. */
  readonly state: string;
  readonly processes: string;
  /** File of the keys for development, and those that were made just now; only where there is one. */
  readonly keys?: { readonly file: string; readonly made: Readonly<Record<string, string>> };
  /** Who answers for the models, in a sentence; only where a simulator does. */
  readonly models?: string;
  readonly warnings: readonly Finding[];
}

/** Collects what is worth knowing at start. */
export function startupReport({
  declarations,
  composed,
  problems,
  url,
  bootMs,
  processes = 1,
  because,
  keys,
  models,
}: {
  readonly declarations: Declarations;
  readonly composed: Composed;
  /** What the check found: nothing but warnings, in a server that has started. */
  readonly problems: readonly Problem[];
  readonly url: string;
  readonly bootMs: number;
  /** Of the server, where it is one of several. */
  readonly processes?: number | undefined;
  /** Why they are no more, where nobody said how many. */
  readonly because?: string | undefined;
  readonly keys?: StartupReport['keys'] | undefined;
  readonly models?: string | undefined;
}): StartupReport {
  const { name, settings, declared, middleware } = declarations;
  const { version, controlPrefix, workers, database } = settings;
  const { table } = composed;
  return {
    ...{ name, version, url, bootMs },
    mcpUrl: `${url}${controlPrefix}/mcp`,
    openapiUrl: `${url}${controlPrefix}/openapi.json`,
    ...([...table].some(({ plane, path }) => plane === 'control' && path === '/docs') && {
      docsUrl: `${url}${controlPrefix}/docs`,
    }),
    counts: { routes: table.size, tools: table.tools().length },
    authentication: describeAuthentication(declared.credentials),
    door:
      middleware.length === 0
        ? 'table first'
        : `inside express, after ${middleware.length} middleware of the application`,
    state: describeState(database),
    processes: describeProcesses({ processes, because }, declared.routes, workers),
    ...(keys && { keys }),
    ...(models !== undefined && { models }),
    warnings: [...problems.map(toFinding), ...openDoors(declarations, composed, problems)],
  };
}

function describeProcesses(plan: ProcessPlan, routes: readonly Route[], workers: number | undefined): string {
  const { processes } = plan;
  if (processes === 1)
    return workers === undefined || workers === 1
      ? '1 process'
      : `1 process (${workers} workers are for waymark start)`;
  return routes.some(({ placement }) => placement === 'any')
    ? `${countProcesses(plan)} (handlers share no variables between them; placement: 'owner' keeps a route in one, workers: 1 all)`
    : countProcesses(plan);
}

/** How many there are, and why no more, in words. */
export function countProcesses({ processes, because }: ProcessPlan): string {
  const count = processes === 1 ? '1 process' : `${processes} processes`;
  return because === undefined ? count : `${count}, because ${because}`;
}

function describeState(database: string | undefined): string {
  return database === undefined || database.includes(':memory:')
    ? 'in memory: gone when the process stops'
    : `in ${database}`;
}

function describeAuthentication(credentials: Declarations['declared']['credentials']): string {
  const keys = credentials.filter(({ kind }) => kind === 'apiKey').map(({ name }) => name);
  const parts = [
    ...(keys.length > 0
      ? [`${keys.length} API ${keys.length === 1 ? 'key' : 'keys'}: ${keys.join(', ')}`]
      : []),
    ...new Set(
      credentials.flatMap((one) =>
        one.kind === 'jwt'
          ? [`JSON Web Tokens${one.options.env === undefined ? ` of ${one.options.issuer}` : ''}`]
          : [],
      ),
    ),
  ];
  return parts.length === 0 ? 'none: only this machine reaches the control plane' : parts.join('; ');
}
