import { HTTPError } from '../engine/http-error.ts';

/** The caller that a call acts for. Immutable; its scopes only ever shrink (`narrow`). */
export interface Principal {
  /** The caller: an API key id, a JWT subject behind its prefix, `anonymous`, or `agent:<name>`, `watcher:<name>` inside a run. */
  readonly id: string;
  /** The human, service or watcher at the start of the chain. Rows of memory and sessions belong to it. */
  readonly rootId: string;
  readonly authenticated: boolean;
  readonly scopes: readonly string[];
  /** When the credential is accepted no more, epoch milliseconds; open sockets close with 4401 then, and streams end. */
  readonly expiresAtMs?: number;
  /** Who issued the token that proved it, and can issue one with more scopes; absent where no declaration names one. */
  readonly issuer?: string;
}

/** Says whether a principal has every one of the scopes. Equality only: no wildcard, no prefix (decision 3.4). */
export function holds(principal: Principal, scopes: readonly string[]): boolean {
  if (scopes.length === 0) return true;
  // Of one text, which a program without types may pass, `includes` would find every part.
  if (!Array.isArray(principal.scopes)) return false;
  for (const scope of scopes) if (!principal.scopes.includes(scope)) return false;
  return true;
}

/**
 * Says which scopes are missing: 401 to somebody who might still sign in, 403 to somebody who has. The door adds how: it
 * knows which credentials are taken.
 */
export function scopeRefusal(principal: Principal, scopes: readonly string[]): HTTPError {
  const missing = scopes.filter((scope) => !principal.scopes.includes(scope));
  const list = missing.map((scope) => `"${scope}"`).join(', ');
  return principal.authenticated
    ? new HTTPError(403, `missing scope ${list}`)
    : new HTTPError(401, `authentication is needed for scope ${list}`);
}

/** The same chain with less authority, under a new id: what a run hands to the calls it makes (decision 3.5). */
export function narrow(principal: Principal, id: string, scopes: readonly string[]): Principal {
  return { ...principal, id, scopes: principal.scopes.filter((scope) => scopes.includes(scope)) };
}

/** A caller without a credential (decision 3.3). */
export function anonymous(scopes: readonly string[] = []): Principal {
  return { id: 'anonymous', rootId: 'anonymous', authenticated: false, scopes };
}
