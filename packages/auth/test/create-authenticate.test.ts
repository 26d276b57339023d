import { createHash } from 'node:crypto';
import { apiKey, createAuthenticate, jwt } from '@waymark/auth';
import { DeclarationError } from '@waymark/contract';
import type { Credentials, Principal } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { env, environment, keys, operatorSecret, readerSecret } from './declare.ts';
import { jwtSecret } from './tokens.ts';

const authenticate = createAuthenticate(keys, env);
const whole: Credentials = { headers: {} };

/** The id of the principal, or the status of the refusal. */
async function outcome(credentials: Partial<Credentials>, using = authenticate): Promise<string | number> {
  const answer = await using({ ...whole, ...credentials });
  return answer.ok ? answer.principal.id : answer.error.status;
}

const withKey = (key: string): Partial<Credentials> => ({ headers: { 'x-api-key': key } });
const withBearer = (text: string): Partial<Credentials> => ({ headers: { authorization: `Bearer ${text}` } });
const withTokens = environment({
  OPERATOR_KEY: operatorSecret,
  READER_KEY: readerSecret,
  JWT_SECRET: jwtSecret,
});

async function principalOf(credentials: Partial<Credentials>): Promise<Principal | undefined> {
  const answer = await authenticate({ ...whole, ...credentials });
  return answer.ok ? answer.principal : undefined;
}

describe('createAuthenticate', () => {
  it('turns a key into the principal it was declared for', async () => {
    verifies(
      'auth.api-key.header',
      'auth.api-key.id-and-scopes',
      'auth.principal',
      'authority.key.from-variable',
    );
    expect(await principalOf(withKey(operatorSecret))).toEqual({
      id: 'operator',
      rootId: 'operator',
      authenticated: true,
      scopes: ['svc:admin', 'tickets:read'],
    });
    expect(await principalOf(withKey(readerSecret))).toEqual({
      id: 'reader',
      rootId: 'reader',
      authenticated: true,
      scopes: ['tickets:read'],
    });
  });

  it('takes a caller without credentials for anonymous, without scopes', async () => {
    verifies('authority.anonymous');
    expect(await principalOf({})).toEqual({
      id: 'anonymous',
      rootId: 'anonymous',
      authenticated: false,
      scopes: [],
    });
    expect(await principalOf({ headers: { accept: '*/*', cookie: operatorSecret } })).toMatchObject({
      id: 'anonymous',
    });
  });

  it.each([
    ['an unknown key', 'no-such-secret-0123456789'],
    ['an empty key', ''],
    ['the variable for the key', 'OPERATOR_KEY'],
    ['the id for the key', 'operator'],
    ['another case', operatorSecret.toUpperCase()],
    ['the first half', operatorSecret.slice(0, 13)],
    ['one character less', operatorSecret.slice(0, -1)],
    ['one character more', `${operatorSecret}x`],
    ['the digest of the key', createHash('sha256').update(operatorSecret).digest('hex')],
    ['two headers of different keys', `${operatorSecret}, ${readerSecret}`],
    ['two headers of the same key', `${operatorSecret}, ${operatorSecret}`],
    ['a good header after an empty one', `, ${operatorSecret}`],
    ['the key in quotes', `"${operatorSecret}"`],
  ])('answers 401 to %s', async (_, key) => {
    verifies('authority.wrong-credential', 'http.header.two-keys');
    expect(await outcome(withKey(key))).toBe(401);
  });

  it.each([
    ['a key as bearer token', `Bearer ${operatorSecret}`],
    ['a key without scheme', operatorSecret],
    ['a key as password', `Basic ${Buffer.from(`operator:${operatorSecret}`).toString('base64')}`],
    ['an unsigned token', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJvcGVyYXRvciJ9.'],
    ['an empty header', ''],
  ])('answers 401 to an authorization header with %s', async (_, authorization) => {
    verifies('authority.key.not-bearer', 'authority.wrong-credential');
    expect(await outcome({ headers: { authorization } })).toBe(401);
  });

  it('answers 401 when a wrong credential stands beside a good one', async () => {
    const headers = { 'x-api-key': operatorSecret, authorization: 'Bearer x' };
    expect(await outcome({ headers })).toBe(401);
    expect(await outcome({ headers: { authorization: 'Bearer x' }, accessToken: operatorSecret })).toBe(401);
  });

  it('says the same about every wrong credential, and how to do better', async () => {
    verifies('http.status.401');
    const wrong: readonly Partial<Credentials>[] = [
      withKey('no-such-secret-0123456789'),
      withKey(''),
      { headers: { authorization: `Bearer ${operatorSecret}` } },
      { accessToken: 'no-such-secret-0123456789' },
    ];
    const said = await Promise.all(
      wrong.map(async (credentials) => {
        const answer = await authenticate({ ...whole, ...credentials });
        if (answer.ok) return undefined;
        const { status, message, headers, members } = answer.error;
        return { status, message, headers, members };
      }),
    );
    const same = {
      status: 401,
      message: 'the credential is not valid',
      headers: { 'www-authenticate': 'ApiKey realm="waymark"' },
      members: {},
    };
    expect(said).toEqual([same, same, same, same]);
  });

  it('asks for a token only where tokens are taken, and says so for whoever refuses in its name', async () => {
    verifies('authority.challenge.key');
    const bearerKey = apiKey('READER_KEY', 'reader', { bearer: true });
    const cases = [
      [[], 'ApiKey'],
      [keys, 'ApiKey'],
      [[bearerKey], 'ApiKey'],
      [[...keys, jwt('JWT_SECRET')], 'Bearer'],
      [[bearerKey, jwt('JWT_SECRET')], 'Bearer'],
    ] as const;
    for (const [declarations, scheme] of cases) {
      const using = createAuthenticate(declarations, withTokens);
      expect(using.challenge).toBe(`${scheme} realm="waymark"`);
      const wrong: readonly Partial<Credentials>[] = [withKey('x'), withBearer('x'), { accessToken: 'x' }];
      for (const credentials of wrong) {
        const answer = await using({ ...whole, ...credentials });
        expect(answer.ok ? undefined : answer.error.headers).toEqual({ 'www-authenticate': using.challenge });
      }
    }
  });

  it('reads the key of an upgrade from accessToken when no header carries one', async () => {
    expect(await outcome({ accessToken: readerSecret })).toBe('reader');
    expect(await outcome({ accessToken: '' })).toBe(401);
    expect(await outcome({ accessToken: 'no-such-secret-0123456789' })).toBe(401);
  });

  it('leaves accessToken alone when a header carries a credential', async () => {
    expect(await outcome({ ...withKey(operatorSecret), accessToken: readerSecret })).toBe('operator');
    expect(await outcome({ ...withKey('no-such-secret-0123456789'), accessToken: readerSecret })).toBe(401);
    expect(await outcome({ ...withKey(''), accessToken: readerSecret })).toBe(401);
  });

  it('takes any credential for wrong when none is declared', async () => {
    const none = createAuthenticate([], env);
    expect(await outcome({}, none)).toBe('anonymous');
    expect(await outcome(withKey(operatorSecret), none)).toBe(401);
    expect(await outcome({ headers: { authorization: 'Bearer x' } }, none)).toBe(401);
  });

  it('gives out one frozen principal for each key', async () => {
    const first = await principalOf(withKey(operatorSecret));
    expect(await principalOf(withKey(operatorSecret))).toBe(first);
    expect(await principalOf({})).toBe(await principalOf({}));
    for (const principal of [first, await principalOf({})]) {
      expect(Object.isFrozen(principal)).toBe(true);
      expect(Object.isFrozen(principal?.scopes)).toBe(true);
    }
  });

  it('keeps the scopes it was declared with, even if the list changes later', async () => {
    const scopes = ['tickets:read'];
    const using = createAuthenticate([apiKey('READER_KEY', 'reader', { scopes })], env);
    scopes.push('svc:admin');
    expect(await using({ ...whole, ...withKey(readerSecret) })).toMatchObject({
      principal: { scopes: ['tickets:read'] },
    });
  });

  it('reads each variable once, at the start', async () => {
    verifies('authority.key.from-variable');
    const variables: Record<string, string> = { READER_KEY: readerSecret };
    const using = createAuthenticate([apiKey('READER_KEY', 'reader')], (name) => variables[name]);
    variables['READER_KEY'] = operatorSecret;
    expect(await outcome(withKey(readerSecret), using)).toBe('reader');
    expect(await outcome(withKey(operatorSecret), using)).toBe(401);
  });

  it('refuses to be made of bad declarations, so that no empty key ever works', () => {
    const make = (): unknown =>
      createAuthenticate([apiKey('UNSET', 'one'), apiKey('SHORT', 'two')], environment({ SHORT: 'x' }));
    expect(make).toThrow(DeclarationError);
    expect(make).toThrow(/UNSET is not set.*\n.*SHORT has 1 bytes/);
  });
});

describe('createAuthenticate as a whole', () => {
  const secret = fc.string({ minLength: 16, maxLength: 40, unit: fc.constantFrom('a', 'b', 'A', '0', '-') });

  it('accepts exactly the secrets declared, each for its own id', async () => {
    verifies('auth.api-key.id-and-scopes', 'authority.wrong-credential');
    const secrets = fc.uniqueArray(secret, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(secrets, fc.oneof(secret, fc.string()), async (declared, stranger) => {
        const names = declared.map((_, i) => `K${i}`);
        const variables = environment(Object.fromEntries(declared.map((text, i) => [`K${i}`, text])));
        const using = createAuthenticate(
          names.map((name) => apiKey(name, `id-${name}`)),
          variables,
        );
        for (const [i, text] of declared.entries())
          expect(await outcome(withKey(text), using)).toBe(`id-K${i}`);
        const known = declared.indexOf(stranger);
        expect(await outcome(withKey(stranger), using)).toBe(known === -1 ? 401 : `id-K${known}`);
      }),
    );
  });

  it('takes no two headers joined for one key, whatever the secrets are', async () => {
    verifies('http.header.two-keys');
    await fc.assert(
      fc.asyncProperty(secret, secret, async (one, other) => {
        const using = createAuthenticate([apiKey('K', 'one')], environment({ K: one }));
        expect(await outcome(withKey(`${one}, ${other}`), using)).toBe(401);
        expect(await outcome(withKey(`${other}, ${one}`), using)).toBe(401);
      }),
    );
  });
});
