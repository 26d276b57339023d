import { type IssuedTokens, issuerAlgorithms } from '../jwt/jwt.ts';
import type { Claims } from '../jwt/verify-jwt.ts';
import type { IssuerKeys } from './issuer-keys.ts';

/** What was found out about a token. `unreadable`: the keys of its issuer could not be read. */
export type IssuedVerdict =
  | { readonly verdict: 'good'; readonly claims: Claims; readonly generation: number }
  | { readonly verdict: 'wrong' | 'unreadable' };

const wrong: IssuedVerdict = { verdict: 'wrong' };

/** No issuer names its keys at such length. */
const maxKidLength = 256;

/**
 * Verifies the signature, audience and issuer of one token with a key that its issuer publishes.
 *
 * Of what a token says of itself, `alg` chooses among the declared signatures, and `kid` among the keys of its own
 * issuer; `jku`, `jwk`, `x5u` and `x5c` choose nothing, and `crit` is refused. Nobody is asked about a token that says it
 * is another's, or is signed in another way. Never rejects.
 */
export async function verifyIssued(
  token: string,
  keys: IssuerKeys,
  { issuer, audience, algorithm }: IssuedTokens,
): Promise<IssuedVerdict> {
  // With the first token; node hands it out from then on.
  const jose = await import('jose');
  const read = readUnverified(token, jose);
  if (!read) return wrong;
  const { alg, kid, claims } = read;
  // All that `EdDSA` stands for here has a name of its own since RFC 9864.
  const declared = alg === 'Ed25519' ? 'EdDSA' : alg;
  const isTaken = algorithm === undefined ? isIssuerAlgorithm(declared) : declared === algorithm;
  if (!isTaken || claims['iss'] !== issuer || !names(claims['aud'], audience)) return wrong;
  const { generation } = keys;
  const found = await keys.find({ alg, ...(kid !== undefined && { kid }) });
  if (found.found === 'none') return wrong;
  if (found.found === 'unreadable') return { verdict: 'unreadable' };
  try {
    await jose.compactVerify(token, found.key, { algorithms: [alg] });
    // The signature is over these very claims.
    return { verdict: 'good', claims, generation };
  } catch {
    // The library throws for each reason; its texts may quote the token.
    return wrong;
  }
}

interface Unverified {
  readonly alg: string;
  readonly kid: string | undefined;
  readonly claims: Claims;
}

function readUnverified(
  token: string,
  { decodeJwt, decodeProtectedHeader }: typeof import('jose'),
): Unverified | undefined {
  try {
    const header = decodeProtectedHeader(token);
    const { alg, kid } = header;
    if (typeof alg !== 'string' || 'crit' in header) return undefined;
    if (kid !== undefined && (typeof kid !== 'string' || kid.length > maxKidLength)) return undefined;
    return { alg, kid, claims: decodeJwt(token) };
  } catch {
    // No token at all.
    return undefined;
  }
}

function isIssuerAlgorithm(alg: string): boolean {
  return (issuerAlgorithms as readonly string[]).includes(alg);
}

/** `aud` is the audience, or a list that has it. Without one nothing is meant for us: `checkCredentials` wants one. */
function names(aud: unknown, audience: string | undefined): boolean {
  return audience !== undefined && (aud === audience || (Array.isArray(aud) && aud.includes(audience)));
}
