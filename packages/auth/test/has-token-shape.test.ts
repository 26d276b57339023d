import { createPublicKey, createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hasTokenShape } from '../src/jwt/has-token-shape.ts';
import { goodClaims, hmacToken, jwtSecret, pair, rs256, rsa, rsaToken } from './tokens.ts';

const secret = createSecretKey(jwtSecret, 'utf8');
const publicKey = createPublicKey(rsa.publicPem);

describe('hasTokenShape', () => {
  it.each([
    ['HS256', 256],
    ['HS384', 384],
    ['HS512', 512],
  ])('knows the length of a signature of %s', (algorithm, bits) => {
    const token = hmacToken({ alg: algorithm }, goodClaims, jwtSecret, bits);
    expect(hasTokenShape(token, algorithm, secret)).toBe(true);
    expect(hasTokenShape(token.slice(0, -1), algorithm, secret)).toBe(false);
    expect(hasTokenShape(`${token}A`, algorithm, secret)).toBe(false);
  });

  it('takes the length of an RSA signature from the key', () => {
    expect(hasTokenShape(rs256(), 'RS256', publicKey)).toBe(true);
    const { privatePem } = pair(3072);
    expect(hasTokenShape(rsaToken({ alg: 'RS256' }, goodClaims, privatePem), 'RS256', publicKey)).toBe(false);
  });

  it.each(['', 'a', 'a.b', 'a.b.', `${rs256()}.c`, `${rs256()}=`, rs256().replace('.', '..')])(
    'knows no form but three parts: %j',
    (token) => {
      expect(hasTokenShape(token, 'RS256', publicKey)).toBe(false);
    },
  );
});
