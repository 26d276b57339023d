import { inspect } from 'node:util';
import { createAuthenticate, jwt } from '@waymark/auth';
import type { Authentication, Credentials } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { environment, keys, operatorSecret, readerSecret } from './declare.ts';
import { audienceCases, hmacCases, rsaCases, scopeCases } from './jwt-corpus.ts';
import { keyCases } from './key-corpus.ts';
import { encode, goodClaims, hmacToken, hs256, jwtSecret, nowSecs, rs256, rsa, rsaToken } from './tokens.ts';

const oldSecret = 'old-secret-of-forty-characters-012345678';
const env = environment({
  OPERATOR_KEY: operatorSecret,
  READER_KEY: readerSecret,
  JWT_SECRET: jwtSecret,
  OLD_SECRET: oldSecret,
  JWT_PEM: rsa.publicPem,
});
const now = (): number => nowSecs * 1000;
const authenticate = createAuthenticate([...keys, jwt('JWT_SECRET')], env, { now });

/** What comes of credentials, in a word. */
async function verdict(credentials: Credentials, using = authenticate): Promise<string> {
  const answer = await using(credentials);
  if (answer.ok) return 'granted';
  const { status, message } = answer.error;
  if (status !== 401) return `${status} ${message}`;
  return message === 'the token has expired'
    ? 'expired'
    : message.replace('the credential is not valid', 'refused');
}

const bearer = (token: string): Credentials => ({ headers: { authorization: `Bearer ${token}` } });

async function principalOf(credentials: Credentials, using = authenticate): Promise<unknown> {
  const answer = await using(credentials);
  return answer.ok ? answer.principal : undefined;
}

describe('a token', () => {
  it('identifies its caller, with scopes and end', async () => {
    verifies('auth.jwt', 'authority.jwt.bearer', 'declare.jwt', 'auth.principal');
    const claims = { scope: 'tickets:read tickets:write', scopes: ['pages:read'], email: 'ada@example.com' };
    expect(await principalOf(bearer(hs256(claims)))).toEqual({
      id: 'ada',
      rootId: 'ada',
      authenticated: true,
      scopes: ['tickets:read', 'tickets:write', 'pages:read'],
      expiresAtMs: (nowSecs + 3600 + 30) * 1000,
    });
  });

  it('whose subject looks like another is refused, and the log says why', async () => {
    verifies('authority.identity.unclear');
    const logged: unknown[] = [];
    const log = (...line: unknown[]): void => void logged.push(line);
    const telling = createAuthenticate([jwt('JWT_SECRET')], env, { now, log });
    expect(await verdict(bearer(hs256({ sub: 'ad\u200ba' })), telling)).toBe('refused');
    const message = 'the subject of a token cannot be told from another';
    const subject = '"ad\\u{200b}a"';
    const why = 'holds a character that cannot be seen';
    expect(logged).toEqual([['warn', message, { subject, why }]]);
    // Nobody else has a line written: not without a subject, nor without the secret.
    await verdict(bearer(hs256({ sub: 'anonymous' })), telling);
    await verdict(bearer(hs256({ sub: undefined })), telling);
    await verdict(bearer(hs256({ sub: 'ad\u200ba' }).slice(0, -4)), telling);
    expect(logged).toHaveLength(1);
  });

  it('is verified with HS256, whoever issued it and for whom, where nothing else is declared', async () => {
    verifies('auth.jwt.algorithm', 'declare.jwt.algorithm.default');
    verifies('declare.jwt.audience.default', 'declare.jwt.issuer.default');
    expect(await verdict(bearer(hs256({ aud: 'x', iss: 'y' })))).toBe('granted');
    expect(await verdict(bearer(hmacToken({ alg: 'HS512' }, goodClaims, jwtSecret, 512)))).toBe('refused');
  });

  it.each(hmacCases)('of HS256, %s', async (_, token, expected) => {
    verifies('authority.jwt.pinned', 'authority.jwt.exp-sub', 'authority.jwt.nbf', 'aside.jwt.exp-and-sub');
    verifies('authority.identity.sub-collision', 'authority.identity.reserved', 'auth.jwt.leeway');
    verifies('declare.jwt.leeway.default', 'authority.wrong-credential');
    expect(await verdict(bearer(token))).toBe(expected);
    expect(await verdict({ headers: {}, accessToken: token })).toBe(expected);
    // A second look sees the same: what is remembered changes nothing.
    expect(await verdict(bearer(token))).toBe(expected);
  });

  it.each(rsaCases)('of RS256, %s', async (_, token, expected) => {
    verifies('authority.jwt.pinned', 'authority.jwt.pem');
    const using = createAuthenticate([jwt('JWT_PEM', { algorithm: 'RS256' })], env, { now });
    expect(await verdict(bearer(token), using)).toBe(expected);
  });

  it.each(audienceCases)('for an audience of an issuer, with %s', async (_, token, expected) => {
    verifies('auth.jwt.audience', 'auth.jwt.issuer', 'authority.jwt.audience-issuer');
    const issuer = 'https://issuer.example';
    const using = createAuthenticate([jwt('JWT_SECRET', { audience: 'tickets', issuer })], env, { now });
    expect(await verdict(bearer(token), using)).toBe(expected);
  });

  it.each(scopeCases)('has the scopes of its claims: %s', async (_, claims, scopes) => {
    verifies('authority.jwt.scopes', 'authority.jwt.scopes-typed');
    expect(await principalOf(bearer(hs256(claims)))).toMatchObject({ id: 'ada', scopes });
  });

  it.each([
    ['HS256', 256],
    ['HS384', 384],
    ['HS512', 512],
    ['RS256', 256],
    ['RS384', 384],
    ['RS512', 512],
  ] as const)('can be declared to be signed with %s, and then with nothing else', async (algorithm, bits) => {
    verifies('authority.jwt.algorithms', 'authority.jwt.pinned');
    const isHmac = algorithm.startsWith('HS');
    const using = createAuthenticate([jwt(isHmac ? 'JWT_SECRET' : 'JWT_PEM', { algorithm })], env, { now });
    const sign = (alg: string, size: number): string =>
      alg.startsWith('HS')
        ? hmacToken({ alg }, goodClaims, isHmac ? jwtSecret : rsa.publicPem, size)
        : rsaToken({ alg }, goodClaims, rsa.privatePem, size);
    expect(await verdict(bearer(sign(algorithm, bits)), using)).toBe('granted');
    for (const other of ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'].filter(
      (name) => name !== algorithm,
    ))
      expect(await verdict(bearer(sign(other, Number(other.slice(2)))), using), other).toBe('refused');
  });

  it('is held to the leeway declared', async () => {
    const using = createAuthenticate([jwt('JWT_SECRET', { leewaySecs: 0 })], env, { now });
    expect(await verdict(bearer(hs256({ exp: nowSecs + 1 })), using)).toBe('granted');
    expect(await verdict(bearer(hs256({ exp: nowSecs })), using)).toBe('expired');
    expect(await verdict(bearer(hs256({ nbf: nowSecs })), using)).toBe('granted');
    expect(await verdict(bearer(hs256({ nbf: nowSecs + 1 })), using)).toBe('refused');
  });

  it('is held against the clock on the wall where none is given', async () => {
    const using = createAuthenticate([jwt('JWT_SECRET')], env);
    const secs = Math.floor(Date.now() / 1000);
    expect(await verdict(bearer(hs256({ exp: secs + 600 })), using)).toBe('granted');
    expect(await verdict(bearer(hs256({ exp: secs - 600 })), using)).toBe('expired');
  });

  it.each([
    ['bearer', 'granted'],
    ['BEARER', 'granted'],
    ['Bearer  ', 'granted'],
    ['Bearer\t', 'refused'],
    ['Bearer:', 'refused'],
    ['Bearers', 'refused'],
    ['JWT', 'refused'],
    ['Token', 'refused'],
    ['Basic', 'refused'],
    ['Bearer Bearer', 'refused'],
  ])('after the scheme %j is %s', async (scheme, expected) => {
    verifies('authority.jwt.bearer');
    expect(await verdict({ headers: { authorization: `${scheme} ${hs256()}` } })).toBe(expected);
  });

  it('is refused without scheme, in the header of keys, twice, and beside a key', async () => {
    verifies('authority.jwt.bearer');
    const token = hs256();
    for (const headers of [
      { authorization: token },
      { 'x-api-key': token },
      { 'x-api-key': `Bearer ${token}` },
      { authorization: `Bearer ${token}, Bearer ${token}` },
      { authorization: `Bearer ${token}`, 'x-api-key': operatorSecret },
      { authorization: `Bearer ${token}`, 'x-api-key': '' },
    ])
      expect(await verdict({ headers })).toBe('refused');
  });

  it('of an upgrade counts only where no header carries a credential', async () => {
    const accessToken = hs256();
    expect(await verdict({ headers: { authorization: 'Bearer x' }, accessToken })).toBe('refused');
    expect(await verdict({ headers: { 'x-api-key': 'x' }, accessToken })).toBe('refused');
    expect(await principalOf({ headers: { 'x-api-key': operatorSecret }, accessToken })).toMatchObject({
      id: 'operator',
    });
    expect(await principalOf({ headers: {}, accessToken })).toMatchObject({ id: 'ada' });
  });

  it('is taken for wrong where no tokens are declared', async () => {
    const using = createAuthenticate(keys, env, { now });
    expect(await verdict(bearer(hs256()), using)).toBe('refused');
    expect(await verdict({ headers: {}, accessToken: hs256() }, using)).toBe('refused');
  });
});

describe('several declarations of tokens', () => {
  const oldToken = (claims: object = {}): string =>
    hmacToken({ alg: 'HS256' }, { ...goodClaims, ...claims }, oldSecret);

  it('accept what any of them verifies, so that a secret can be changed', async () => {
    const using = createAuthenticate([jwt('JWT_SECRET'), jwt('OLD_SECRET')], env, { now });
    expect(await verdict(bearer(hs256()), using)).toBe('granted');
    expect(await verdict(bearer(oldToken()), using)).toBe('granted');
    expect(await verdict(bearer(oldToken({ exp: 1 })), using)).toBe('expired');
    expect(await verdict(bearer(hmacToken({ alg: 'HS256' }, goodClaims, 'x'.repeat(40))), using)).toBe(
      'refused',
    );
  });

  it('keep their own algorithm and audience', async () => {
    const RS256 = { algorithm: 'RS256', audience: 'a' } as const;
    const using = createAuthenticate([jwt('JWT_PEM', RS256), jwt('JWT_SECRET', { audience: 'b' })], env, {
      now,
    });
    expect(await verdict(bearer(rs256({ aud: 'a' })), using)).toBe('granted');
    expect(await verdict(bearer(hs256({ aud: 'b' })), using)).toBe('granted');
    expect(await verdict(bearer(rs256({ aud: 'b' })), using)).toBe('refused');
    expect(await verdict(bearer(hs256({ aud: 'a' })), using)).toBe('refused');
    const confused = hmacToken({ alg: 'HS256' }, { ...goodClaims, aud: 'b' }, rsa.publicPem);
    expect(await verdict(bearer(confused), using)).toBe('refused');
  });
});

describe('an API key, beside tokens,', () => {
  it.each(keyCases)('%s', async (_, credentials, id) => {
    verifies('authority.key.not-bearer', 'http.header.two-keys', 'authority.wrong-credential');
    const answer = await authenticate(credentials);
    expect(answer.ok ? answer.principal.id : undefined).toBe(id);
    if (!answer.ok)
      expect(answer.error).toMatchObject({ status: 401, message: 'the credential is not valid' });
  });
});

describe('what is said about wrong credentials', () => {
  const refusals = async (): Promise<readonly Authentication[]> =>
    Promise.all(
      [...hmacCases, ...audienceCases]
        .filter(([, , expected]) => expected !== 'granted')
        .map(async ([, token]) => authenticate(bearer(token))),
    );

  it('is one of two sentences, with the challenge, and nothing else', async () => {
    verifies('http.status.401');
    const said = (await refusals()).flatMap((answer) =>
      answer.ok ? [] : [JSON.stringify([answer.error.message, answer.error.headers, answer.error.members])],
    );
    const headers = { 'www-authenticate': 'Bearer realm="waymark"' };
    expect([...new Set(said)].sort()).toEqual([
      JSON.stringify(['the credential is not valid', headers, {}]),
      JSON.stringify(['the token has expired', headers, {}]),
    ]);
  });

  it('holds no cause and no part of token or secret, however deep one looks', async () => {
    for (const answer of await refusals()) {
      if (answer.ok) continue;
      expect(answer.error.cause).toBeUndefined();
      const text = inspect(answer.error, { depth: Number.POSITIVE_INFINITY, showHidden: true });
      for (const part of [jwtSecret, encode(goodClaims), hs256().split('.')[2] ?? '', 'eyJ'])
        expect(text).not.toContain(part);
    }
  });
});

describe('tokens as a whole', () => {
  it('never give a scope that their claims do not hold, whatever the claims are', async () => {
    verifies('authority.jwt.scopes', 'authority.jwt.scopes-typed');
    const word = fc.constantFrom('a', 'b:c', '*', 'svc:admin', '', ' ', 'a b:c');
    const claim = fc.oneof(word, fc.array(fc.oneof(word, fc.jsonValue())), fc.array(word), fc.jsonValue());
    const claims = fc.record(
      {
        sub: fc.oneof(fc.constant('ada'), fc.string()),
        scope: claim,
        scopes: claim,
        scp: claim,
        roles: claim,
      },
      { requiredKeys: ['sub'] },
    );
    await fc.assert(
      fc.asyncProperty(claims, async (drawn) => {
        const answer = await authenticate(bearer(hs256(drawn)));
        if (!answer.ok) {
          expect(drawn.sub).not.toBe('ada');
          return;
        }
        const { scope, scopes } = drawn;
        const held = [
          ...(typeof scope === 'string' ? scope.split(' ') : []),
          ...(Array.isArray(scopes) ? scopes : []),
        ];
        expect(answer.principal).toMatchObject({ id: drawn.sub, rootId: drawn.sub, authenticated: true });
        expect(answer.principal.scopes.filter((item) => !held.includes(item))).toEqual([]);
        expect(new Set(answer.principal.scopes).size).toBe(answer.principal.scopes.length);
      }),
      { numRuns: 500 },
    );
  });

  it('give the standard claims no meaning but their own: any JSON is granted or refused, never an error', async () => {
    const claims = fc.dictionary(
      fc.constantFrom('sub', 'exp', 'nbf', 'iat', 'aud', 'iss', 'jti', 'scope'),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(claims, fc.jsonValue()), fc.jsonValue(), async (payload, header) => {
        for (const head of [{ alg: 'HS256' }, header])
          expect(['granted', 'refused', 'expired']).toContain(
            await verdict(bearer(hmacToken(head, payload))),
          );
      }),
    );
  });

  it('are refused when a single character of them is another', async () => {
    const token = hs256({ scope: 'tickets:read' });
    const position = fc.nat({ max: token.length - 1 });
    const letter = fc.constantFrom(...'ABCxyz019-_.=+/ \u0000é'.split(''));
    await fc.assert(
      fc.asyncProperty(position, letter, async (at, other) => {
        fc.pre(token[at] !== other);
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        expect(await verdict(bearer(changed))).toBe('refused');
      }),
      { numRuns: 500 },
    );
  });

  it('make any header either a principal or a 401', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', 'Bearer ', 'bearer  '),
        async (text, scheme) => {
          expect(await verdict({ headers: { authorization: scheme + text } })).toBe('refused');
          expect(await verdict({ headers: {}, accessToken: text })).toBe('refused');
        },
      ),
    );
  });
});
