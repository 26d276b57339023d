import type { RouteTable } from '@waymark/contract';
import type { Finding, LimitInForce } from '@waymark/contract/declaring';
import { adminScope } from '@waymark/contract/principal';
import type { DocumentAccess } from '../control-rule.ts';

/** Facts about authentication: credentials, scopes of anonymous callers, and scopes of the MCP endpoint. */
export interface AuthenticationFacts {
  /** Tells whether any API key or JWT is declared. */
  readonly configured: boolean;
  /** Declared API keys with their scopes; default: none. */
  readonly keys?: readonly { readonly id: string; readonly scopes: readonly string[] }[];
  /** Tells whether JWTs are taken, which may carry any scope; default: false. */
  readonly jwt?: boolean;
  /** Scopes of callers without a credential; default: none. */
  readonly anonymousScopes?: readonly string[];
  /** Scopes that a caller needs for `/mcp` and `/tools`; default: `['svc:admin']`. */
  readonly mcpScopes?: readonly string[];
  /** Who reads the OpenAPI document; default: `protected`. */
  readonly openapi?: DocumentAccess;
  /** Tells whether any address may be bound without authentication; default: false. */
  readonly allowUnauthenticated?: boolean;
}

/** Protective headers of every response, with the names of the options of `securityHeaders`. */
export interface SecurityHeadersFacts {
  readonly enabled: boolean;
  readonly frameOptions?: string;
  readonly referrerPolicy?: string;
  readonly contentSecurityPolicy?: string;
  readonly hstsMaxAge?: number;
}

/** Facts for a security report. Only the table is required; the report is silent about absent facts. */
export interface SecurityFacts {
  readonly table: RouteTable;
  readonly authentication?: AuthenticationFacts;
  readonly limits?: readonly LimitInForce[];
  /** Foreign origins whose pages may read answers; default: none. */
  readonly cors?: { readonly origins: readonly string[]; readonly credentials?: boolean };
  readonly securityHeaders?: SecurityHeadersFacts;
  /**
   * Proxies believed about the client's address: all (`true`), a number of hops, or those at these addresses; default:
   * none.
   */
  readonly trustProxy?: boolean | number | readonly string[];
  /** Host names besides the loopback ones that the service answers to; default: none. */
  readonly allowedHosts?: readonly string[];
  /** Findings that plugins report about themselves; default: none. */
  readonly findings?: readonly Finding[];
}

/** The authentication of a service that says nothing about it: whatever it is, it guards the control plane. */
const guarded: Required<AuthenticationFacts> = {
  configured: true,
  keys: [],
  jwt: false,
  anonymousScopes: [],
  mcpScopes: [adminScope],
  openapi: 'protected',
  allowUnauthenticated: false,
};

/** The authentication of the facts, with every default filled in. */
export function authenticationOf({ authentication }: SecurityFacts): Required<AuthenticationFacts> {
  return { ...guarded, ...authentication };
}
