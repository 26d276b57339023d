import { createHmac, generateKeyPairSync, sign } from 'node:crypto';

/** A moment on the clock of these tests, in seconds. */
export const nowSecs = 1_800_000_000;

/** The secret of the issuer most tests believe. */
export const jwtSecret = 'jwt-secret-of-forty-characters-012345678';

/** An RSA pair of the issuer; made once, which takes a tenth of a second. */
export const rsa = pair(2048);

/** A pair of keys as PEM. */
export function pair(modulusLength: number): { readonly publicPem: string; readonly privatePem: string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicPem: publicKey, privatePem: privateKey };
}

/** Claims that are in order: an hour to go. */
export const goodClaims = { sub: 'ada', exp: nowSecs + 3600 };

/** A part of a token: JSON text as it is, anything else made JSON. */
export function encode(part: unknown): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

/** Signs header and payload, whatever they are, with a hash of so many bits: an issuer that checks nothing. */
export function hmacToken(header: unknown, payload: unknown, secret = jwtSecret, bits = 256): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${createHmac(`sha${bits}`, secret).update(signed).digest('base64url')}`;
}

/** The same with an RSA key. */
export function rsaToken(header: unknown, payload: unknown, privatePem = rsa.privatePem, bits = 256): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${sign(`sha${bits}`, Buffer.from(signed), privatePem).toString('base64url')}`;
}

/** A token that is in order but for these claims. */
export function hs256(claims: Readonly<Record<string, unknown>> = {}, header: object = {}): string {
  return hmacToken({ alg: 'HS256', typ: 'JWT', ...header }, { ...goodClaims, ...claims });
}

/** The same, signed with the RSA key. */
export function rs256(claims: Readonly<Record<string, unknown>> = {}): string {
  return rsaToken({ alg: 'RS256', typ: 'JWT' }, { ...goodClaims, ...claims });
}
