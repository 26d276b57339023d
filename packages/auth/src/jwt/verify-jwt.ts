import type { KeyObject } from 'node:crypto';
import { createRequire } from 'node:module';
import type { KeyedTokens } from './jwt.ts';

const load = createRequire(import.meta.url);

/** The claims of a token, read and not yet judged. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Verifies the signature, audience and issuer of one token. The only place that knows the library.
 *
 * The algorithm and the key are the declared ones: nothing that a token says of itself (`alg`, `kid`, `jku`, `jwk`,
 * `x5u`, `x5c`) chooses either. `crit` names extensions that must be understood (RFC 7515, 4.1.11); none are.
 *
 * @returns undefined for a token that is not good, whatever the reason
 */
export function verifyJwt(
  token: string,
  key: KeyObject,
  { algorithm, audience, issuer }: KeyedTokens,
): Claims | undefined {
  // With the first token: a sixth of what a server loads that has none.
  const jsonwebtoken = load('jsonwebtoken') as typeof import('jsonwebtoken');
  try {
    const { header, payload } = jsonwebtoken.verify(token, key, {
      algorithms: [algorithm],
      ...(audience !== undefined && { audience }),
      ...(issuer !== undefined && { issuer }),
      complete: true,
      // Times are looked at on every use of a token, and this happens on the first: `BearerTokens` holds their only rule.
      ignoreExpiration: true,
      ignoreNotBefore: true,
    });
    if ('crit' in header || typeof payload === 'string') return undefined;
    return payload;
  } catch {
    // The library throws for each reason, and for some tokens by mistake. Its texts may quote the token.
    return undefined;
  }
}
