import { HTTPError } from '@waymark/contract';
import type { Declaration } from '@waymark/contract/declaring';
import type { Authentication } from '@waymark/contract/principal';

/** Answers a credential that is not good: 401, and the same text whatever is wrong with it, unless it has ended. */
export type Refuse = (message?: string) => Authentication;

/**
 * What a 401 asks for, as `WWW-Authenticate` has it. Where tokens are taken that is `Bearer`; else `ApiKey`, also where a key may come as a bearer:
 * to MCP clients `Bearer` means OAuth. They look for metadata that is not there, take the service itself for the
 * authorization server, try to register with it, and end with an error about that. Whoever sends a key as a bearer has
 * been given it by a person, and reads no challenge.
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
