import { apiKey, checkCredentials, createAuthenticate, jwt } from '@waymark/auth';
import type { Credentials } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { environment, operatorSecret, readerSecret } from './declare.ts';
import { hs256, jwtSecret, nowSecs } from './tokens.ts';

/** A key may look like anything that a header carries, like a token too. */
const shapedSecret = hs256({ sub: 'nobody', exp: 1 });
const env = environment({
  OPERATOR_KEY: operatorSecret,
  READER_KEY: readerSecret,
  SHAPED_KEY: shapedSecret,
  JWT_SECRET: jwtSecret,
});
const bearerKeys = [
  apiKey('OPERATOR_KEY', 'operator'),
  apiKey('READER_KEY', 'reader', { bearer: true, scopes: ['tickets:read'] }),
  apiKey('SHAPED_KEY', 'shaped', { bearer: true }),
];
const now = (): number => nowSecs * 1000;
const keysOnly = createAuthenticate(bearerKeys, env, { now });
const both = createAuthenticate([...bearerKeys, jwt('JWT_SECRET')], env, { now });

async function outcome(credentials: Partial<Credentials>, using = both): Promise<string> {
  const answer = await using({ headers: {}, ...credentials });
  return answer.ok ? answer.principal.id : `${answer.error.status} ${answer.error.message}`;
}

const refused = '401 the credential is not valid';
const bearer = (text: string, scheme = 'Bearer'): Credentials => ({
  headers: { authorization: `${scheme} ${text}` },
});

describe('a key that is declared with bearer', () => {
  it.each([
    ['alone', keysOnly],
    ['beside tokens', both],
  ])('is the same principal in either header, %s', async (_, using) => {
    verifies('authority.key.bearer');
    const answer = await using(bearer(readerSecret));
    expect(answer).toEqual(await using({ headers: { 'x-api-key': readerSecret } }));
    expect(answer).toMatchObject({ ok: true, principal: { id: 'reader', scopes: ['tickets:read'] } });
    expect(await outcome(bearer(readerSecret, 'bearer'), using)).toBe('reader');
    expect(await outcome({ accessToken: readerSecret }, using)).toBe('reader');
  });

  it('may look like a token, and be one that has ended', async () => {
    for (const using of [keysOnly, both]) expect(await outcome(bearer(shapedSecret), using)).toBe('shaped');
  });

  it('opens nothing to keys that are not', async () => {
    verifies('authority.key.not-bearer');
    for (const using of [keysOnly, both]) {
      expect(await outcome(bearer(operatorSecret), using)).toBe(refused);
      expect(await outcome({ headers: { 'x-api-key': operatorSecret } }, using)).toBe('operator');
    }
  });

  it.each([
    ['a letter less', bearer(readerSecret.slice(0, -1))],
    ['a letter more', bearer(`${readerSecret}x`)],
    ['no scheme', { headers: { authorization: readerSecret } }],
    ['another scheme', bearer(readerSecret, 'ApiKey')],
    ['twice', bearer(`${readerSecret}, Bearer ${readerSecret}`)],
    ['the same key beside it', { headers: { ...bearer(readerSecret).headers, 'x-api-key': readerSecret } }],
    ['another key beside it', { headers: { ...bearer(readerSecret).headers, 'x-api-key': operatorSecret } }],
    ['a token after it', bearer(`${readerSecret}, Bearer ${hs256()}`)],
  ])('is refused with %s', async (_, credentials) => {
    verifies('authority.key.bearer', 'authority.wrong-credential');
    for (const using of [keysOnly, both]) expect(await outcome(credentials, using)).toBe(refused);
  });

  it('leaves tokens what they are', async () => {
    expect(await outcome(bearer(hs256()))).toBe('ada');
    expect(await outcome(bearer(hs256({ exp: 1 })))).toBe('401 the token has expired');
    expect(await outcome(bearer(hs256({ sub: 'reader' })))).toBe(refused);
    expect(await outcome(bearer(hs256()), keysOnly)).toBe(refused);
  });

  it('is declared with true, and by nothing that only looks like it', () => {
    const declared = apiKey('READER_KEY', 'reader', { bearer: 'false' as unknown as boolean });
    expect(checkCredentials([declared], env)).toMatchObject([{ code: 'option-type' }]);
  });
});
