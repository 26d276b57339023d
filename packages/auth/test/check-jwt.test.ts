import { generateKeyPairSync } from 'node:crypto';
import { apiKey, checkCredentials, createAuthenticate, type JwtOptions, jwt } from '@waymark/auth';
import { toProblemLine } from '@waymark/contract/declaring';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { environment } from './declare.ts';
import { jwtSecret, pair, rs256, rsa } from './tokens.ts';

/** The rules that a declaration breaks whose variable holds this text. */
function rulesOf(text: string | undefined, options?: JwtOptions): readonly string[] {
  const variables = environment(text === undefined ? {} : { JWT: text });
  return checkCredentials([jwt('JWT', options)], variables).map(({ rule }) => rule);
}

/** Options that a JavaScript caller can write and the types forbid. */
const wild = (options: Readonly<Record<string, unknown>>): JwtOptions => options;

const RS256 = { algorithm: 'RS256' } as const;

/** A public key of a kind that RS256 has no use for. */
function otherPem(type: 'ec' | 'ed25519' | 'rsa-pss'): string {
  const { publicKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : type === 'ed25519'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

describe('checkCredentials on a secret', () => {
  it('names declaration, place, rule and the command that helps', () => {
    const declaration = jwt('JWT_SECRET', { declaredAt: 'src/app.ts:12' });
    expect(checkCredentials([declaration], environment({})).map(toProblemLine)).toEqual([
      'src/app.ts:12  jwt "JWT_SECRET": the variable JWT_SECRET is not set; make one with: waymark keygen --env JWT_SECRET',
    ]);
  });

  it.each(['HS256', 'HS384', 'HS512'] as const)(
    'takes 32 bytes and more for %s, and no fewer',
    (algorithm) => {
      verifies('authority.jwt.secret-length', 'authority.jwt.algorithms');
      expect(rulesOf('x'.repeat(31), { algorithm })).toEqual([
        'the secret in JWT has 31 bytes, 32 are the least',
      ]);
      expect(rulesOf('x'.repeat(32), { algorithm })).toEqual([]);
      expect(rulesOf('x'.repeat(33), { algorithm })).toEqual([]);
    },
  );

  it('counts bytes, not letters', () => {
    expect(rulesOf('é'.repeat(16))).toEqual([]);
  });

  it.each([undefined, ''])('refuses a variable that is not set or empty', (text) => {
    expect(rulesOf(text)).toEqual(['the variable JWT is not set']);
    expect(rulesOf(text, RS256)).toEqual(['the variable JWT is not set']);
  });

  it.each([rsa.publicPem, rsa.privatePem, rsa.publicPem.replaceAll('\n', '\\n')])(
    'refuses a PEM, which tokens of the wrong family would be signed with',
    (pem) => {
      expect(rulesOf(pem)).toEqual(['the variable JWT holds a PEM, which is no secret for HS256']);
    },
  );

  it('refuses the secret of an API key, whichever is declared first', () => {
    const key = apiKey('KEY', 'one', { declaredAt: 'src/app.ts:3' });
    const variables = environment({ KEY: jwtSecret, JWT: jwtSecret });
    for (const declarations of [
      [key, jwt('JWT')],
      [jwt('JWT'), key],
    ])
      expect(
        checkCredentials(declarations, variables).map(({ declaration, rule }) => [declaration, rule]),
      ).toEqual([
        [
          'jwt "JWT"',
          'the secret in JWT is also that of the key declared at src/app.ts:3, which could then sign tokens',
        ],
      ]);
  });
});

describe('checkCredentials on a public key', () => {
  it.each(['RS256', 'RS384', 'RS512'] as const)('takes a PEM public key for %s', (algorithm) => {
    verifies('authority.jwt.pem', 'authority.jwt.algorithms');
    expect(rulesOf(rsa.publicPem, { algorithm })).toEqual([]);
  });

  it('takes line ends as files of variables write them, and space around', async () => {
    const variables = environment({ JWT: `  ${rsa.publicPem.replaceAll('\n', '\\n')} ` });
    const authenticate = createAuthenticate([jwt('JWT', RS256)], variables, { now: () => 0 });
    expect(await authenticate({ headers: { authorization: `Bearer ${rs256()}` } })).toMatchObject({
      ok: true,
    });
  });

  it('says how to get one', () => {
    verifies('authority.jwt.pem');
    const declaration = jwt('JWT', { ...RS256, declaredAt: 'src/app.ts:12' });
    expect(checkCredentials([declaration], environment({ JWT: 'x'.repeat(40) })).map(toProblemLine)).toEqual([
      'src/app.ts:12  jwt "JWT": the variable JWT holds no PEM public key; set JWT to the issuer\'s public key: openssl rsa -in private.pem -pubout',
    ]);
  });

  it('refuses a private key, alone or behind a public one', () => {
    const rule = 'the variable JWT holds a private key, which belongs to the issuer alone';
    expect(rulesOf(rsa.privatePem, RS256)).toEqual([rule]);
    expect(rulesOf(rsa.publicPem + rsa.privatePem, RS256)).toEqual([rule]);
    expect(rulesOf(rsa.privatePem.replaceAll('\n', '\\n'), RS256)).toEqual([rule]);
  });

  it.each([
    ['a secret', jwtSecret],
    ['two public keys', rsa.publicPem + rsa.publicPem],
    ['a certificate', rsa.publicPem.replaceAll('PUBLIC KEY', 'CERTIFICATE')],
    ['a PEM cut short', rsa.publicPem.slice(0, 200)],
    ['a PEM of nonsense', '-----BEGIN PUBLIC KEY-----\nbm9uc2Vuc2U=\n-----END PUBLIC KEY-----'],
  ])('refuses %s', (_, text) => {
    expect(rulesOf(text, RS256)).toEqual(['the variable JWT holds no PEM public key']);
  });

  it.each(['ec', 'ed25519', 'rsa-pss'] as const)('refuses a key of the kind %s', (type) => {
    expect(rulesOf(otherPem(type), { algorithm: 'RS512' })).toEqual([
      'the public key in JWT is no RSA key, which RS512 needs',
    ]);
  });

  it('takes RSA keys of 2048 bits and more, and no fewer', () => {
    expect(rulesOf(pair(2040).publicPem, RS256)).toEqual([
      'the RSA key in JWT has 2040 bits, 2048 are the least',
    ]);
    expect(rulesOf(rsa.publicPem, RS256)).toEqual([]);
    expect(rulesOf(pair(2056).publicPem, RS256)).toEqual([]);
  });
});

describe('checkCredentials on the options of jwt', () => {
  it.each([
    ['none', undefined],
    ['ES256', 'HS256'],
    ['hs256', 'HS256'],
    ['RS-256', 'RS256'],
    ['', undefined],
    [undefined, undefined],
  ])('refuses the algorithm %j', (algorithm, nearest) => {
    verifies('authority.jwt.algorithms');
    const declaration = jwt('JWT', wild({ algorithm }));
    const problems = checkCredentials([declaration], environment({ JWT: jwtSecret }));
    expect(problems.map((problem) => [problem.rule, problem.nearest])).toEqual(
      algorithm === undefined ? [] : [[`unknown algorithm "${algorithm}"`, nearest]],
    );
  });

  it.each([0, 30, 299, 300])('takes %d seconds of leeway', (leewaySecs) => {
    expect(rulesOf(jwtSecret, { leewaySecs })).toEqual([]);
  });

  it.each([-1, 301, 30_000, Number.NaN, Number.POSITIVE_INFINITY, '30', null])(
    'refuses a leeway of %j',
    (leewaySecs) => {
      expect(rulesOf(jwtSecret, wild({ leewaySecs }))).toEqual(['leewaySecs is not a number from 0 to 300']);
    },
  );

  it.each(['', null, /tickets/, ['tickets'], 7])('refuses %j for audience and issuer', (value) => {
    expect(rulesOf(jwtSecret, wild({ audience: value, issuer: value }))).toEqual([
      'audience is not a text, or an empty one',
      'issuer is not a text, or an empty one',
    ]);
  });

  it('names options nobody knows', () => {
    const problems = checkCredentials(
      [jwt('JWT', wild({ aud: 'x', leewaySec: 5 }))],
      environment({ JWT: jwtSecret }),
    );
    expect(problems.map(({ rule, nearest }) => [rule, nearest])).toEqual([
      ['unknown option "aud"', undefined],
      ['unknown option "leewaySec"', 'leewaySecs'],
    ]);
  });

  it('takes several declarations, but not the same one twice', () => {
    const variables = environment({ OLD: jwtSecret, NEW: `${jwtSecret}x` });
    const audience = { audience: 'tickets', declaredAt: 'src/app.ts:3' };
    const declarations = [jwt('OLD'), jwt('NEW'), jwt('OLD', audience), jwt('OLD', { algorithm: 'HS512' })];
    expect(checkCredentials(declarations, variables)).toEqual([]);
    const again = jwt('OLD', { leewaySecs: 60, audience: 'tickets' });
    expect(checkCredentials([...declarations, again], variables).map(({ rule }) => rule)).toEqual([
      'OLD is declared in the same way at src/app.ts:3',
    ]);
  });

  it('never shows a part of a secret, a PEM included', () => {
    const text = fc.string({
      minLength: 4,
      maxLength: 60,
      unit: fc.constantFrom('Q', 'Z', '7', ' ', '\n', 'é'),
    });
    const prefix = fc.constantFrom('', '-----BEGIN PUBLIC KEY-----\n', '-----BEGIN RSA PRIVATE KEY-----\n');
    fc.assert(
      fc.property(prefix, text, fc.constantFrom('HS256', 'RS256'), (before, secret, algorithm) => {
        const declarations = [jwt('J', { algorithm }), jwt('J', { algorithm }), apiKey('J', 'one')];
        const lines = checkCredentials(declarations, environment({ J: before + secret }));
        expect(lines.map(toProblemLine).join('\n')).not.toMatch(/[QZé]/);
      }),
    );
  });
});
