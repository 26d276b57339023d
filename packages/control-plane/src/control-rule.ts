import { HTTPError } from '@waymark/contract';
import { adminScope, type ControlRule, holds, scopeRefusal } from '@waymark/contract/principal';
import { stylePath } from './face/face.ts';
import { loopbackAddresses } from './loopback-addresses.ts';

/** Options of `controlRule`. */
export interface ControlRuleOptions {
  /** Tells whether any credential is declared. */
  readonly authenticated: boolean;
  /**
   * Scopes for `/mcp` and `/tools` instead of `svc:admin`, so that keys can use tools without the right to approve;
   * default: `svc:admin`.
   */
  readonly mcpScopes?: readonly string[];
}

/**
 * Makes the rule for everything under the control prefix, known path or not (decision 3.6).
 *
 * With authentication: `svc:admin` for all but `/health`, the console, and what browsers sign in with, which says nothing
 * about the service and is open to any credential; 401 for anonymous callers, 403 for others. Without: loopback
 * peers only, health included, 403 for everybody else and for calls that come from no address.
 */
export function controlRule({ authenticated, mcpScopes = [adminScope] }: ControlRuleOptions): ControlRule {
  if (!authenticated) {
    const rule = loopbackOnly();
    return (access) => (access.path === stylePath ? undefined : rule(access));
  }
  return ({ path, principal }) => {
    const needed = controlScopes(path, mcpScopes);
    return holds(principal, needed) ? undefined : scopeRefusal(principal, needed);
  };
}

/** The scopes that a path under the prefix needs once authentication is configured. */
export function controlScopes(path: string, mcpScopes: readonly string[]): readonly string[] {
  if (open.has(path) || isConsole(path)) return [];
  return path === '/mcp' || path === '/tools' ? mcpScopes : [adminScope];
}

/** Whoever has a credential may exchange it for a session (decision 12.1), however little it lets them do. */
const open: ReadonlySet<string> = new Set([
  ...['/health', '/session', '/session/end', '/sign-in'],
  stylePath,
]);

/**
 * The operator console: a page with its scripts and styles, where that is served. A browser that is typed its address has no
 * credential to send, so the page itself asks for one. It is safe for anybody: the files are the same for every application
 * and hold nothing of this one, and what the page shows then it asks of the routes of this rule, and of no other way.
 */
function isConsole(path: string): boolean {
  return path === '/console' || path.startsWith('/console/');
}

function loopbackOnly(): ControlRule {
  const isLoopback = loopbackAddresses();
  return ({ clientAddress }) => {
    if (isLoopback(clientAddress)) return undefined;
    return new HTTPError(
      403,
      'without authentication the control plane answers this machine only: declare an API key, apiKey(env, id, { scopes: ["svc:admin"] })',
    );
  };
}
