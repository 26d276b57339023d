import { createHmac } from 'node:crypto';
import { apiKey, createAuthenticate, type IssuerOptions, jwt } from '@waymark/auth';
import { Partners } from '@waymark/contract/engine';
import type { Outbound } from '@waymark/contract/http';
import { verifies } from '@waymark/contract/testing';
import { exportJWK, exportSPKI, generateKeyPair, type JWK, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { environment, operatorSecret } from './declare.ts';
import {
  type Issuer,
  type IssuerKey,
  issued,
  issuerKey,
  plainOutbound,
  readings,
  startIssuer,
} from './issuer.ts';
import { encode, hs256, jwtSecret, nowSecs } from './tokens.ts';

/** Somebody who takes the tokens of an issuer, with clocks that the test moves. */
function desk(issuer: Issuer, options: Partial<IssuerOptions> = {}, outbound: Outbound = plainOutbound) {
  const clock = { nowMs: nowSecs * 1000, elapsedMs: 0 };
  const warnings: unknown[] = [];
  const issuers = new Partners('issuer', { monotonic: () => clock.elapsedMs });
  const authenticate = createAuthenticate(
    [jwt({ issuer: issuer.url, audience: 'desk', ...options }), apiKey('KEY', 'operator', { bearer: true })],
    environment({ KEY: operatorSecret }),
    {
      ...{ outbound, now: () => clock.nowMs, monotonic: () => clock.elapsedMs, issuers },
      log: (_level, message, fields) => void warnings.push([message, fields?.['issuer']]),
    },
  );
  const show = async (token: string): Promise<string> => {
    const answer = await authenticate({ headers: { authorization: `Bearer ${token}` } });
    if (answer.ok) return answer.principal.id;
    return answer.error.status === 401
      ? answer.error.message.replace('the credential is not valid', 'refused')
      : `${answer.error.status}`;
  };
  return {
    clock,
    warnings,
    authenticate,
    show,
    told: () => issuers.troubles().map(({ message }) => message),
  };
}

async function published(...keys: readonly (IssuerKey | JWK)[]): Promise<Issuer> {
  const issuer = await startIssuer();
  issuer.publish(...keys);
  return issuer;
}

const es = await issuerKey('es-1');
const minutes = (count: number): number => count * 60_000;

describe('an issuer whose keys cannot be read', () => {
  const sentence = 'Issuers of tokens cannot be asked for their keys, and tokens that need them are 503';

  it.each<[string, unknown, string]>([
    ['an error', 500, 'publishes no keys that can be read'],
    ['no keys', { surprise: [] }, 'publishes no keys that can be read'],
    ['no JSON', '<html>', 'publishes no keys that can be read'],
  ])('is named by its host until they can: %s', async (_, keys, fault) => {
    verifies('health.outside', 'health.outside.public');
    const issuer = await published(es);
    const good = issuer.documents.get('/keys');
    issuer.documents.set('/keys', keys);
    const token = await issued(issuer, es);
    const { clock, show, told } = desk(issuer);
    expect(await show(token)).toBe('503');
    expect(told()).toEqual([`${sentence}: "${new URL(issuer.url).host}" (${fault}, for 0 s).`]);
    issuer.documents.set('/keys', good);
    clock.elapsedMs += 5_000;
    expect(await show(token)).toBe('ada');
    expect(told()).toEqual([]);
  });

  it('is not named for metadata that are at another place', async () => {
    verifies('health.outside.fault');
    const issuer = await startIssuer('', '/.well-known/openid-configuration');
    issuer.publish(es);
    const { show, told } = desk(issuer);
    expect(await show(await issued(issuer, es))).toBe('ada');
    expect(told()).toEqual([]);
  });

  it('is not named for a token that is signed by nobody it knows', async () => {
    verifies('health.outside.fault');
    const issuer = await published(es);
    const { show, told } = desk(issuer);
    expect(await show(await issued(issuer, await issuerKey('other')))).toBe('refused');
    expect(told()).toEqual([]);
  });
});

describe('a token of an issuer that publishes its keys', () => {
  it('identifies its caller, who is known to be of that issuer', async () => {
    verifies('authority.jwt.issuer');
    const issuer = await published(es);
    const token = await issued(issuer, es, { scope: 'a b', scopes: ['c'] });
    const { authenticate } = desk(issuer);
    const answer = await authenticate({ headers: { authorization: `Bearer ${token}` } });
    expect(answer).toEqual({
      ok: true,
      principal: {
        ...{ id: 'ada', rootId: 'ada', authenticated: true, scopes: ['a', 'b', 'c'] },
        ...{ expiresAtMs: (nowSecs + 3600 + 30) * 1000, issuer: issuer.url },
      },
    });
    expect(await authenticate({ headers: {}, accessToken: token })).toEqual(answer);
  });

  it.each([
    ['as Entra writes it', { scp: 'a b' }, ['a', 'b']],
    ['as Okta writes it', { scp: ['a', 'b'] }, ['a', 'b']],
    ['beside the others', { scope: 'a', scopes: ['b'], scp: 'c a' }, ['a', 'b', 'c']],
    ['of another type', { scp: { a: true } }, []],
    ['with something that is no word', { scp: ['a', 5] }, []],
  ])('has the scopes of `scp`, too: %s', async (_, claims, scopes) => {
    verifies('authority.jwt.issuer');
    const issuer = await published(es);
    const { authenticate } = desk(issuer);
    const token = await issued(issuer, es, { scope: undefined, ...claims });
    const answer = await authenticate({ headers: { authorization: `Bearer ${token}` } });
    expect(answer).toMatchObject({ ok: true, principal: { scopes } });
  });

  it.each(['RS256', 'RS384', 'RS512', 'ES256', 'EdDSA'] as const)('may be signed with %s', async (alg) => {
    verifies('authority.jwt.issuer.algorithms');
    const key = await issuerKey('k', alg);
    const issuer = await published(key);
    const token = await issued(issuer, key);
    expect(await desk(issuer).show(token)).toBe('ada');
    expect(await desk(issuer, { algorithm: alg }).show(token)).toBe('ada');
    expect(await desk(issuer, { algorithm: alg === 'ES256' ? 'RS256' : 'ES256' }).show(token)).toBe(
      'refused',
    );
  });

  it('may be signed with Ed25519, where EdDSA may be', async () => {
    verifies('authority.jwt.issuer.algorithms');
    const made = await issuerKey('k', 'EdDSA');
    const tokenOf = (issuer: Issuer) => issued(issuer, made, {}, { alg: 'Ed25519' });
    for (const alg of [undefined, 'Ed25519']) {
      const issuer = await published({ ...made, jwk: { ...made.jwk, ...(alg && { alg }) } });
      expect(await desk(issuer).show(await tokenOf(issuer))).toBe('ada');
      expect(await desk(issuer, { algorithm: 'EdDSA' }).show(await tokenOf(issuer))).toBe('ada');
      expect(await desk(issuer, { algorithm: 'ES256' }).show(await tokenOf(issuer))).toBe('refused');
    }
    const other = await published({ ...made, jwk: { ...made.jwk, alg: 'EdDSA' } });
    expect(await desk(other).show(await tokenOf(other))).toBe('refused');
  });

  it.each(['ES384', 'PS256'])('is refused where it is signed with %s', async (alg) => {
    verifies('authority.jwt.issuer.algorithms');
    const key = await issuerKey('k', alg);
    const issuer = await published(key);
    expect(await desk(issuer).show(await issued(issuer, key))).toBe('refused');
    expect(issuer.asked).toEqual([]);
  });

  it.each([
    ['another audience', { aud: 'till' }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'https://login.example.com' }],
    ['a slash after the issuer', (url: string) => ({ iss: `${url}/` })],
    ['no end', { exp: undefined }],
    ['no subject', { sub: undefined }],
    ['the id of a key', { sub: 'operator' }],
    ['a subject of the service', { sub: 'agent:helper' }],
    ['a beginning to come', { nbf: nowSecs + 60 }],
  ])('is refused with %s', async (_, claims) => {
    verifies('authority.jwt.issuer.exact', 'authority.jwt.audience-issuer', 'authority.jwt.exp-sub');
    const issuer = await published(es);
    const given = typeof claims === 'function' ? claims(issuer.url) : claims;
    expect(await desk(issuer).show(await issued(issuer, es, given))).toBe('refused');
  });

  it('may be for others as well, and ends by the clock on the wall', async () => {
    const issuer = await published(es);
    const { show, clock } = desk(issuer, { leewaySecs: 0 });
    const token = await issued(issuer, es, { aud: ['till', 'desk'], exp: nowSecs + 10 });
    expect(await show(token)).toBe('ada');
    clock.nowMs += 10_000;
    expect(await show(token)).toBe('the token has expired');
    expect(await show(await issued(issuer, es, { exp: nowSecs }))).toBe('the token has expired');
  });

  it('is for the MCP endpoint where no audience is named', async () => {
    verifies('authority.jwt.issuer.audience');
    const issuer = await published(es);
    const resource = 'https://desk.example.com/_svc/mcp';
    const using = createAuthenticate([jwt({ issuer: issuer.url })], () => undefined, {
      ...{ outbound: plainOutbound, now: () => nowSecs * 1000, resource },
    });
    for (const [aud, ok] of [
      [resource, true],
      [`${resource}/`, false],
      ['desk', false],
    ] as const) {
      const token = await issued(issuer, es, { aud });
      expect(await using({ headers: { authorization: `Bearer ${token}` } })).toMatchObject({ ok });
    }
  });

  it.each([
    ['/.well-known/oauth-authorization-server/tenant'],
    ['/.well-known/openid-configuration/tenant'],
    ['/tenant/.well-known/openid-configuration'],
  ])('is verified with the keys that %s leads to', async (metadataPath) => {
    verifies('authority.jwt.issuer.discovery');
    const issuer = await startIssuer('/tenant', metadataPath);
    issuer.publish(es);
    expect(await desk(issuer).show(await issued(issuer, es))).toBe('ada');
  });

  it('is verified with the keys of an issuer whose name ends with a slash', async () => {
    const issuer = await startIssuer('/', '/.well-known/openid-configuration');
    issuer.publish(es);
    expect(await desk(issuer).show(await issued(issuer, es))).toBe('ada');
  });

  it('stands beside a secret of our own and beside keys', async () => {
    const issuer = await published(es);
    const using = createAuthenticate(
      [
        jwt('JWT_SECRET', { subjectPrefix: '' }),
        jwt({ issuer: issuer.url, audience: 'desk', subjectPrefix: '' }),
        apiKey('KEY', 'operator', { bearer: true }),
      ],
      environment({ JWT_SECRET: jwtSecret, KEY: operatorSecret }),
      { outbound: plainOutbound, now: () => nowSecs * 1000 },
    );
    const idOf = async (text: string): Promise<string | undefined> => {
      const answer = await using({ headers: { authorization: `Bearer ${text}` } });
      return answer.ok ? answer.principal.id : undefined;
    };
    expect(await idOf(hs256({ sub: 'bob' }))).toBe('bob');
    expect(await idOf(await issued(issuer, es))).toBe('ada');
    expect(await idOf(operatorSecret)).toBe('operator');
    expect(await idOf(await issued(issuer, es, { aud: 'till' }))).toBeUndefined();
  });
});

describe('a forged token', () => {
  it('is refused with "none", and with the public key as the secret of an HMAC, in any spelling', async () => {
    verifies('authority.jwt.issuer.algorithms', 'authority.jwt.pinned');
    const { publicKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'rs' };
    const issuer = await published(jwk);
    const { show } = desk(issuer);
    const claims = { iss: issuer.url, aud: 'desk', sub: 'ada', exp: nowSecs + 3600 };
    const secrets = [await exportSPKI(publicKey), JSON.stringify(jwk), String(jwk.n), ''];
    const forged = ['HS256', 'HS384', 'HS512'].flatMap((alg) =>
      secrets.map((secret) => {
        const signed = `${encode({ alg, kid: 'rs' })}.${encode(claims)}`;
        const digest = createHmac(`sha${alg.slice(2)}`, secret)
          .update(signed)
          .digest('base64url');
        return `${signed}.${digest}`;
      }),
    );
    for (const token of [...forged, new UnsecuredJWT(claims).encode()])
      expect(await show(token)).toBe('refused');
    for (const alg of ['none', 'None', 'NONE', '', undefined, 7, ['RS256'], 'rs256'])
      expect(await show(`${encode({ alg, kid: 'rs' })}.${encode(claims)}.`)).toBe('refused');
  });

  it.each([
    ['jku', { jku: 'http://127.0.0.1:1/keys' }],
    ['x5u', { x5u: 'http://127.0.0.1:1/keys' }],
    ['crit', { crit: ['exp'] }],
  ])('chooses no key by %s', async (name, header) => {
    const issuer = await published(es);
    const stranger = await issuerKey('es-1');
    expect(await desk(issuer).show(await issued(issuer, stranger, {}, name === 'crit' ? {} : header))).toBe(
      'refused',
    );
    const unsigned = `${encode({ alg: 'ES256', kid: 'es-1', ...header })}.${encode({ iss: issuer.url })}.AA`;
    expect(await desk(issuer).show(unsigned)).toBe('refused');
  });

  it('chooses no key by carrying one', async () => {
    const issuer = await published(es);
    const stranger = await issuerKey('es-1');
    const { kid: _, ...jwk } = stranger.jwk;
    expect(await desk(issuer).show(await issued(issuer, stranger, {}, { jwk }))).toBe('refused');
  });

  it.each(['../keys', 'es-1/../es-1', '%65s-1', 'ES-1', ' es-1', 'http://127.0.0.1:1/', '__proto__', ''])(
    'names its key letter by letter: %j is none',
    async (kid) => {
      verifies('authority.jwt.issuer.kid');
      const issuer = await published(es);
      const { show } = desk(issuer);
      expect(await show(await issued(issuer, es, {}, { kid }))).toBe('refused');
      expect(new Set(issuer.asked)).toEqual(new Set(['/.well-known/oauth-authorization-server', '/keys']));
      for (const odd of [1, null, ['es-1'], { a: 1 }, 'x'.repeat(257)]) {
        const header = encode({ alg: 'ES256', kid: odd });
        expect(await show(`${header}.${(await issued(issuer, es)).split('.').slice(1).join('.')}`)).toBe(
          'refused',
        );
      }
    },
  );

  it('is refused when a single character of it is another', async () => {
    const issuer = await published(es);
    const { show } = desk(issuer);
    const token = await issued(issuer, es);
    for (let at = 0; at < token.length - 1; at += 7) {
      const other = token[at] === 'A' ? 'B' : 'A';
      expect(await show(token.slice(0, at) + other + token.slice(at + 1))).toBe('refused');
    }
  });
});

describe('the keys of an issuer', () => {
  it('are told apart by kid; without one, only a key that alone fits is meant', async () => {
    verifies('authority.jwt.issuer.kid');
    const other = await issuerKey('es-2');
    const issuer = await published(es, other);
    const { show } = desk(issuer);
    expect(await show(await issued(issuer, other))).toBe('ada');
    expect(await show(await issued(issuer, other, {}, { kid: 'es-1' }))).toBe('refused');
    expect(await show(await issued(issuer, es, {}, { kid: undefined }))).toBe('refused');
    const single = await issuerKey(undefined);
    const small = await published(single);
    expect(await desk(small).show(await issued(small, single))).toBe('ada');
  });

  it('are not used that are for something else, weak, or known to everybody', async () => {
    verifies('authority.jwt.issuer.unfit-keys');
    const weak = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
    const cases: readonly [string, JWK][] = [
      ['encryption', { ...es.jwk, use: 'enc' }],
      ['signing only', { ...es.jwk, key_ops: ['sign'] }],
      ['another algorithm', { ...es.jwk, alg: 'ES384' }],
      ['with its private part', { ...(await exportJWK(es.privateKey)), kid: 'es-1' }],
      ['a secret', { kty: 'oct', k: encode('x'.repeat(32)), kid: 'es-1' }],
      ['another type', { ...(await exportJWK(weak.publicKey)), kid: 'es-1' }],
      ['nonsense', { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'es-1' }],
    ];
    for (const [name, jwk] of cases) {
      const issuer = await published(jwk);
      expect(await desk(issuer).show(await issued(issuer, es)), name).toBe('refused');
    }
    const mixed = await published({ ...es.jwk, use: 'enc', kid: 'enc' }, null as never, 7 as never, es.jwk);
    expect(await desk(mixed).show(await issued(mixed, es))).toBe('ada');
  });

  it('are read once for everybody who waits, when the first token comes', async () => {
    verifies('authority.jwt.issuer.cached');
    const issuer = await published(es);
    const { show } = desk(issuer);
    expect(issuer.asked).toEqual([]);
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, i) => issued(issuer, es, { sub: `u${i}` })),
    );
    expect(await Promise.all(tokens.map(show))).toEqual(tokens.map((_, i) => `u${i}`));
    expect(readings(issuer)).toBe(1);
  });

  it('are read again at once for one that nobody knows, and no more than once a minute', async () => {
    verifies('authority.jwt.issuer.unknown-kid');
    const issuer = await published(es);
    const { show, clock } = desk(issuer);
    expect(await show(await issued(issuer, es))).toBe('ada');
    const next = await issuerKey('es-2');
    issuer.publish(es, next);
    expect(await show(await issued(issuer, next))).toBe('ada');
    expect(readings(issuer)).toBe(2);

    const unknown = await Promise.all(
      Array.from({ length: 1000 }, (_, i) => issued(issuer, es, {}, { kid: `made-up-${i}` })),
    );
    expect(new Set(await Promise.all(unknown.map(show)))).toEqual(new Set(['refused']));
    expect(readings(issuer)).toBe(2);
    clock.elapsedMs += minutes(1) - 1;
    expect(await show(unknown[0] ?? '')).toBe('refused');
    expect(readings(issuer)).toBe(2);
    clock.elapsedMs += 1;
    expect(new Set(await Promise.all(unknown.map(show)))).toEqual(new Set(['refused']));
    expect(readings(issuer)).toBe(3);
    expect(await show(await issued(issuer, next, { sub: 'bob' }))).toBe('bob');
  });

  it('are read anew in the background after ten minutes, and what they were taken back for ends', async () => {
    verifies('authority.jwt.issuer.rotated');
    const issuer = await published(es);
    const { show, clock } = desk(issuer);
    const token = await issued(issuer, es);
    expect(await show(token)).toBe('ada');
    const next = await issuerKey('es-2');
    issuer.publish(next);
    clock.elapsedMs = minutes(10);
    expect(await show(token)).toBe('ada');
    expect(readings(issuer)).toBe(1);
    clock.elapsedMs += 1;
    // Nobody waits for the new ones, and who comes after them is held to them.
    expect(await show(token)).toBe('ada');
    await expect.poll(() => show(token)).toBe('refused');
    expect(await show(await issued(issuer, next))).toBe('ada');
  });

  it('are good for an hour while the issuer is out of reach, and then nothing is known', async () => {
    verifies('authority.jwt.issuer.unreadable');
    const issuer = await published(es);
    const { show, clock } = desk(issuer);
    const [token, another] = [await issued(issuer, es), await issued(issuer, es, { sub: 'bob' })];
    expect(await show(token)).toBe('ada');
    issuer.documents.set('/keys', 500);
    clock.elapsedMs = minutes(60);
    expect([await show(token), await show(another)]).toEqual(['ada', 'bob']);
    clock.elapsedMs += 1;
    expect([await show(token), await show(another)]).toEqual(['503', '503']);
    issuer.publish(es);
    clock.elapsedMs += 5_000;
    expect([await show(token), await show(another)]).toEqual(['ada', 'bob']);
  });
});

describe('an issuer that cannot be asked', () => {
  it.each([
    ['answers 500', (issuer: Issuer) => issuer.documents.set('/keys', 500)],
    ['redirects', (issuer: Issuer) => issuer.documents.set('/keys', 302)],
    ['sends no JSON', (issuer: Issuer) => issuer.documents.set('/keys', '<html>')],
    ['sends no set', (issuer: Issuer) => issuer.documents.set('/keys', { keys: {} })],
    ['sends nothing', (issuer: Issuer) => issuer.documents.set('/keys', null)],
    [
      'sends more keys than 100',
      (issuer: Issuer) => issuer.documents.set('/keys', { keys: Array.from({ length: 101 }, () => es.jwk) }),
    ],
    [
      'is another one by its metadata',
      (issuer: Issuer) =>
        issuer.documents.set('/.well-known/oauth-authorization-server', {
          issuer: `${issuer.url}/`,
          jwks_uri: `${issuer.url}/keys`,
        }),
    ],
    [
      'keeps its keys in the clear elsewhere',
      (issuer: Issuer) =>
        issuer.documents.set('/.well-known/oauth-authorization-server', {
          issuer: issuer.url,
          jwks_uri: `${issuer.url.replace('127.0.0.1', 'localhost')}/keys`,
        }),
    ],
    ['has no metadata', (issuer: Issuer) => issuer.documents.clear()],
  ])('because it %s, makes its tokens 503 and nobody else', async (_, spoil) => {
    verifies('authority.jwt.issuer.unreadable', 'authority.jwt.issuer.exact');
    const issuer = await published(es);
    spoil(issuer);
    const { show, warnings, clock, authenticate } = desk(issuer);
    const token = await issued(issuer, es);
    const answer = await authenticate({ headers: { authorization: `Bearer ${token}` } });
    expect(answer).toMatchObject({ ok: false, error: { status: 503, headers: { 'retry-after': '5' } } });
    expect(warnings).toEqual([['the keys of an issuer could not be read', issuer.url]]);

    const asked = issuer.asked.length;
    expect(await show(token)).toBe('503');
    expect(await show(await issued(issuer, es, { aud: 'till' }))).toBe('refused');
    expect(await show(operatorSecret)).toBe('operator');
    expect(issuer.asked.length).toBe(asked);
    issuer.publish(es);
    clock.elapsedMs += 4_999;
    expect(await show(token)).toBe('503');
    clock.elapsedMs += 1;
    expect(await show(token)).toBe('ada');
  });

  it('may have 100 keys', async () => {
    const issuer = await published(
      es,
      ...Array.from({ length: 99 }, (_, i) => ({ ...es.jwk, kid: `k${i}` })),
    );
    expect(await desk(issuer).show(await issued(issuer, es))).toBe('ada');
  });

  it('leaves a token with an unknown key unjudged, as long as the last reading failed', async () => {
    verifies('authority.jwt.issuer.unreadable');
    const issuer = await published(es);
    const { show, clock } = desk(issuer);
    expect(await show(await issued(issuer, es))).toBe('ada');
    const next = await issuerKey('es-2');
    issuer.documents.set('/keys', 500);
    const token = await issued(issuer, next);
    expect(await show(token)).toBe('503');
    expect(await show(token)).toBe('503');
    expect(await show(await issued(issuer, es, { sub: 'bob' }))).toBe('bob');
    issuer.publish(es, next);
    clock.elapsedMs += minutes(1);
    expect(await show(token)).toBe('ada');
  });

  it('is never asked without a client for it', async () => {
    const issuer = await published(es);
    const using = createAuthenticate([jwt({ issuer: issuer.url, audience: 'desk' })], () => undefined, {
      now: () => nowSecs * 1000,
    });
    const token = await issued(issuer, es);
    expect(await using({ headers: { authorization: `Bearer ${token}` } })).toMatchObject({
      error: { status: 503 },
    });
  });
});
