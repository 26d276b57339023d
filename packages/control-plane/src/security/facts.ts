import type { RouteTable } from '@waymark/contract';
import type { Finding } from '@waymark/contract/declaring';
import { adminScope } from '@waymark/contract/principal';

/** Who can prove to be somebody, and what callers may do who cannot. */
export interface AuthenticationFacts {
  /** Whether any API key or JWT is declared. */
  readonly configured: boolean;
  /** None. */
  readonly keys?: readonly { readonly id: string; readonly scopes: readonly string[] }[];
  /** Whether tokens are taken. They may carry any scope, so none can be called granted to nobody; false. */
  readonly jwt?: boolean;
  /** None. */
  readonly anonymousScopes?: readonly string[];
  /** Scopes that reach `/mcp` and `/tools`; `['svc:admin']`. */
  readonly mcpScopes?: readonly string[];
  /** Whether the service may bind any address without authentication; false. */
  readonly allowUnauthenticated?: boolean;
}

/** One limit that holds for the whole service: `{ name: 'request_timeout', value: 30, unit: 's' }`. */
export interface LimitInForce {
  /** In snake_case, as it is shown. */
  readonly name: string;
  /** `none` says that nothing is limited where something should be, and is warned about. */
  readonly value: number | 'none';
  readonly unit?: string;
  readonly note?: string;
}

/** The protective headers of every response, by the names of their option table. */
export interface SecurityHeadersFacts {
  readonly enabled: boolean;
  readonly frameOptions?: string;
  readonly referrerPolicy?: string;
  readonly contentSecurityPolicy?: string;
  readonly hstsMaxAge?: number;
}

/** What a security report is made of. Only the table is needed: of what is absent, nothing is said. */
export interface SecurityFacts {
  readonly table: RouteTable;
  readonly authentication?: AuthenticationFacts;
  readonly limits?: readonly LimitInForce[];
  /** Whose pages may read answers; absent: nobody's. */
  readonly cors?: { readonly origins: readonly string[]; readonly credentials?: boolean };
  readonly securityHeaders?: SecurityHeadersFacts;
  /** Whose word is taken for a client's address: everybody's (true), so many hops', or these addresses'. */
  readonly trustProxy?: boolean | number | readonly string[];
  /** Names besides the loopback ones that the service answers to. */
  readonly allowedHosts?: readonly string[];
  /** What plugins found out about themselves. */
  readonly findings?: readonly Finding[];
}

/** The authentication of a service that says nothing about it: whatever it is, it guards the control plane. */
const guarded: Required<AuthenticationFacts> = {
  configured: true,
  keys: [],
  jwt: false,
  anonymousScopes: [],
  mcpScopes: [adminScope],
  allowUnauthenticated: false,
};

/** The authentication of the facts, with every default filled in. */
export function authenticationOf({ authentication }: SecurityFacts): Required<AuthenticationFacts> {
  return { ...guarded, ...authentication };
}
