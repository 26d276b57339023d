import { HTTPError } from '@waymark/contract';
import type { Declaration } from '@waymark/contract/declaring';
import type { Authentication } from '@waymark/contract/principal';

/** Answers a credential that is not good: 401, and the same text whatever is wrong with it, unless it has ended. */
export type Refuse = (message?: string) => Extract<Authentication, { ok: false }>;

/**
 * Gives the `WWW-Authenticate` value of a 401: `Bearer` where tokens are declared, else `ApiKey`.
 *
 * A key that may come as a bearer is `ApiKey` too, because MCP clients read `Bearer` as OAuth: they look for metadata that
 * is not there, try to register with the service itself, and fail.
 */
export function challengeOf(declarations: readonly Declaration[]): string {
  return `${declarations.some(({ kind }) => kind === 'jwt') ? 'Bearer' : 'ApiKey'} realm="waymark"`;
}

/** Makes the refusal that asks for something. */
export function createRefuse(challenge: string): Refuse {
  const headers = { 'www-authenticate': challenge };
  return (message = 'the credential is not valid') => ({
    ok: false,
    error: new HTTPError(401, message, { headers }),
  });
}
