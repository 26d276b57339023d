import { createHmac, generateKeyPairSync, sign } from 'node:crypto';

/** The secret of the issuer most tokens are from. */
export const jwtSecret = 'jwt-secret-of-forty-Buchstaben-012345678';

/** The secret of an issuer whose tokens need an audience and an issuer. */
export const ticketsSecret = 'tickets-secret-of-forty-Buchstaben-01234';

/** The RSA pair of a third issuer. */
export const rsa = pair();

/** A pair nobody declared. */
export const stranger = pair();

function pair(): { readonly publicPem: string; readonly privatePem: string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicPem: publicKey, privatePem: privateKey };
}

/** Seconds since the epoch, when this file was loaded. */
export const nowSecs = Math.floor(Date.now() / 1000);

/** Claims that are in order: an hour to go, and the right to read. */
export const goodClaims = { sub: 'ada', exp: nowSecs + 3600, scope: 'notes:read' };

/** A part of a token: text as it is, anything else made JSON. */
export function encode(part: unknown): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

/** Signs whatever it is given: an issuer that checks nothing. */
export function hmacToken(header: unknown, payload: unknown, secret = jwtSecret, bits = 256): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${createHmac(`sha${bits}`, secret).update(text).digest('base64url')}`;
}

/** The same with an RSA key. */
export function rsaToken(header: unknown, payload: unknown, privatePem = rsa.privatePem, bits = 256): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${sign(`sha${bits}`, Buffer.from(text), privatePem).toString('base64url')}`;
}

/** A token that is in order but for these claims and headers. */
export function hs256(claims: Readonly<Record<string, unknown>> = {}, header: object = {}): string {
  return hmacToken({ alg: 'HS256', typ: 'JWT', ...header }, { ...goodClaims, ...claims });
}

/** The P-256 pair of an issuer that publishes its keys, its public half as a JSON Web Key. */
export const es256 = ecPair('es-1');

export function ecPair(kid: string): { readonly jwk: object; readonly token: (payload: object) => string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' },
    token: (payload) => {
      const text = `${encode({ alg: 'ES256', kid })}.${encode(payload)}`;
      const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${text}.${signature.toString('base64url')}`;
    },
  };
}
