import { HTTPError } from '@waymark/contract';
import { adminScope, type ControlRule, holds, scopeRefusal } from '@waymark/contract/principal';
import { stylePath } from './face/face.ts';
import { forwardedElsewhere } from './forwarded-elsewhere.ts';
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
  /** Who reads the OpenAPI document; default: `protected`, whoever holds `svc:admin`. */
  readonly openapi?: DocumentAccess;
}

/** Who reads the OpenAPI document: anybody, or whoever the control rule lets in. */
export type DocumentAccess = 'public' | 'protected';

/**
 * Makes the rule for everything under the control prefix, known path or not (decision 3.6).
 *
 * With authentication: `svc:admin` for all but `/health`, pages that hold no data (that of the document, the console) and
 * what browsers sign in with, which says nothing about the service and is open to any credential; 401 for anonymous callers,
 * 403 for others. Without: loopback peers only, health and pages included, 403 for everybody else, for calls that come from
 * no address, and for requests that a proxy forwarded for somebody who is not on this machine.
 */
export function controlRule({ authenticated, ...options }: ControlRuleOptions): ControlRule {
  if (!authenticated) {
    const rule = loopbackOnly();
    return (access) => (access.path === stylePath ? undefined : rule(access));
  }
  return ({ path, principal }) => {
    const needed = controlScopes(path, options);
    return holds(principal, needed) ? undefined : scopeRefusal(principal, needed);
  };
}

/** The scopes that a path under the prefix needs once authentication is configured. */
export function controlScopes(
  path: string,
  { mcpScopes = [adminScope], openapi = 'protected' }: Omit<ControlRuleOptions, 'authenticated'>,
): readonly string[] {
  if (open.has(path) || isPage(path)) return [];
  if (path === '/openapi.json' && openapi === 'public') return [];
  return path === '/mcp' || path === '/tools' ? mcpScopes : [adminScope];
}

/** Whoever has a credential may exchange it for a session (decision 12.1), however little it lets them do. */
const open: ReadonlySet<string> = new Set([
  ...['/health', '/session', '/session/end', '/sign-in'],
  stylePath,
]);

/**
 * The page of the document and the operator console, each with its scripts and styles (decisions 12.1, 12.3). A browser that
 * types an address has no key to send, so the page itself asks for one: it is the same for every application and says nothing
 * of this one. All that it shows comes from the routes of this rule, and by no other way.
 */
function isPage(path: string): boolean {
  return ['/docs', '/console'].some((page) => path === page || path.startsWith(`${page}/`));
}

function loopbackOnly(): ControlRule {
  const isLoopback = loopbackAddresses();
  const forwardedBy = forwardedElsewhere();
  return ({ clientAddress, headers }) => {
    const header = isLoopback(clientAddress) ? forwardedBy(headers) : '';
    return header === undefined ? undefined : onlyHere(header);
  };
}

/** @param header which says that a proxy forwarded the request; empty where the peer is elsewhere itself */
function onlyHere(header: string): HTTPError {
  const because =
    header === ''
      ? ''
      : `, and by its header ${header} a proxy forwarded this request for somebody who may be elsewhere`;
  return new HTTPError(
    403,
    `without authentication the control plane answers this machine only${because}: declare an API key, apiKey(env, id, { scopes: ["svc:admin"] })`,
  );
}
