import type { Caller } from './callers.ts';
import { prefix, type Row } from './rows.ts';

/** What becomes of somebody at a door: let in to the route, whatever that then says, or sent away. */
export type Verdict =
  | 'in'
  | 'in, to no socket'
  | 'waits for a human'
  | 'refused 401'
  | `refused 403 ${string}`;

/** What the rule of the control plane asks for, before anything else. */
export function controlScopes(path: string, mcpScopes: readonly string[]): readonly string[] {
  if (!path.startsWith(`${prefix}/`) || openPaths.has(path) || isConsole(path)) return [];
  return path === `${prefix}/mcp` || path === `${prefix}/tools` ? mcpScopes : ['svc:admin'];
}

/** Who may send a request to a row (decisions 3.3, 3.4 and 3.6). */
export function overHttp(caller: Caller, row: Row, mcpScopes: readonly string[]): Verdict {
  if (row.path === `${prefix}/health`) return 'in';
  const known = row.path === `${prefix}/mcp` ? caller : withSession(caller, row.method === 'GET');
  return pass(known, controlScopes(row.path, mcpScopes), row.scopes);
}

/** Who may open a socket; what is no socket says so, under the control prefix to those alone who may be there. */
export function byUpgrade(
  caller: Caller,
  row: Row,
  isSocket: boolean,
  mcpScopes: readonly string[],
): Verdict {
  const control = controlScopes(row.path, mcpScopes);
  if (!isSocket && (!row.path.startsWith(`${prefix}/`) || row.path === `${prefix}/health`))
    return 'in, to no socket';
  const known = row.path === `${prefix}/mcp` ? caller : withSession(caller, false);
  const verdict = pass(withQuery(known), control, row.scopes);
  return verdict === 'in' && !isSocket ? 'in, to no socket' : verdict;
}

/** Who may call a tool, and what only a human may set going. */
export function overMcp(caller: Caller, row: Row, mcpScopes: readonly string[]): Verdict {
  const verdict = pass(caller, mcpScopes, row.scopes);
  return verdict === 'in' && row.approval !== 'never' ? 'waits for a human' : verdict;
}

/** All scopes of a stage are needed, and all that are missing are named; the later stage says nothing before the first is passed. */
function pass({ credential, scopes }: Caller, ...stages: readonly (readonly string[])[]): Verdict {
  if (credential === 'wrong') return 'refused 401';
  for (const needed of stages) {
    const missing = needed.filter((scope) => !scopes.includes(scope));
    if (missing.length > 0) return credential === 'none' ? 'refused 401' : `refused 403 ${missing.join(' ')}`;
  }
  return 'in';
}

/** What browsers sign in with, and what says whether the service lives. */
/** The page of operators, which is the same for all applications, and what it is made of (decision 12.1). */
function isConsole(path: string): boolean {
  return path === `${prefix}/console` || path.startsWith(`${prefix}/console/`);
}

const openPaths: ReadonlySet<string> = new Set(
  ['/health', '/session', '/session/end', '/sign-in', '/sign-in/style.css'].map((path) => prefix + path),
);

/** A session counts for its own pages, and of a browser that says nothing of where it comes from, for looking. */
function withSession(caller: Caller, looks: boolean): Caller {
  const { session } = caller;
  return session && (session.marked || looks)
    ? { ...caller, credential: 'right', scopes: session.scopes }
    : caller;
}

/** What the query shows counts for upgrades, and nowhere else. */
function withQuery(caller: Caller): Caller {
  return caller.inQuery ? { ...caller, credential: 'right', scopes: caller.inQuery.scopes } : caller;
}
