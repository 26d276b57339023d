import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { JwtAlgorithm } from './jwt.ts';

/** The fewest bytes of an HMAC secret: those of the shortest digest (RFC 7518, 3.2). */
const minSecretBytes = 32;
/** RFC 7518, 3.3. */
const minModulusBits = 2048;

/** What a variable was found to hold: the key, or the rule it breaks. No text shows any part of it. */
export type VerificationKey =
  | { readonly ok: true; readonly key: KeyObject }
  | { readonly ok: false; readonly rule: string; readonly fix: string };

/**
 * Makes the key that tokens are verified with of what a variable holds.
 *
 * @param text the secret, or for RS a PEM public key; its line ends may be written `\n`, as `.env` files have them
 */
export function toVerificationKey(env: string, text: string, algorithm: JwtAlgorithm): VerificationKey {
  return algorithm.startsWith('RS')
    ? toPublicKey(env, text.replaceAll('\\n', '\n').trim(), algorithm)
    : toSecretKey(env, text, algorithm);
}

function toSecretKey(env: string, text: string, algorithm: JwtAlgorithm): VerificationKey {
  const fix = `make one with: waymark keygen --env ${env}`;
  if (text === '') return { ok: false, rule: `the variable ${env} is not set`, fix };
  // What is public must never sign: this is how a token of the wrong family would get its secret.
  if (text.includes('-----BEGIN'))
    return {
      ok: false,
      rule: `the variable ${env} holds a PEM, which is no secret for ${algorithm}`,
      fix: `declare the algorithm RS256, or ${fix}`,
    };
  const bytes = Buffer.byteLength(text);
  return bytes < minSecretBytes
    ? { ok: false, rule: `the secret in ${env} has ${bytes} bytes, ${minSecretBytes} are the least`, fix }
    : { ok: true, key: createSecretKey(text, 'utf8') };
}

function toPublicKey(env: string, pem: string, algorithm: JwtAlgorithm): VerificationKey {
  const fix = `set ${env} to the issuer's public key: openssl rsa -in private.pem -pubout`;
  if (pem === '') return { ok: false, rule: `the variable ${env} is not set`, fix };
  if (pem.includes('PRIVATE KEY'))
    return {
      ok: false,
      rule: `the variable ${env} holds a private key, which belongs to the issuer alone`,
      fix,
    };
  const key = readPublicKey(pem);
  if (!key) return { ok: false, rule: `the variable ${env} holds no PEM public key`, fix };
  if (key.asymmetricKeyType !== 'rsa')
    return { ok: false, rule: `the public key in ${env} is no RSA key, which ${algorithm} needs`, fix };
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  return bits < minModulusBits
    ? { ok: false, rule: `the RSA key in ${env} has ${bits} bits, ${minModulusBits} are the least`, fix }
    : { ok: true, key };
}

/** One public key and nothing else: node would also take the first of several, or that of a certificate long ended. */
function readPublicKey(pem: string): KeyObject | undefined {
  if (!/^-----BEGIN (RSA )?PUBLIC KEY-----[^-]+-----END \1PUBLIC KEY-----$/.test(pem)) return undefined;
  try {
    return createPublicKey(pem);
  } catch {
    // The reason could quote the text, and the rule says enough.
    return undefined;
  }
}
