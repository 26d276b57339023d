import { apiKey, createAuthenticate, jwt } from '@waymark/auth';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { environment, operatorSecret, readerSecret } from '../declare.ts';
import { issued, issuerKey, plainOutbound, startIssuer } from '../issuer.ts';
import { encode, goodClaims, hmacToken, hs256, jwtSecret, nowSecs, rs256 } from '../tokens.ts';
import {
  clock,
  declared,
  holderOf,
  opened,
  refusal,
  start,
  variables,
  withKey,
  withToken,
} from './session-kit.ts';

const halfDayMs = 12 * 3_600_000;

describe('a session', () => {
  it('lets in whoever has shown a key, for twelve hours', async () => {
    verifies('session.open', 'session.cookie.half-day');
    const time = clock();
    const sessions = start({ options: { now: time.now } });
    const session = await opened(sessions, withKey(readerSecret));
    expect(session.principal).toEqual({
      ...{ id: 'reader', rootId: 'reader', authenticated: true, scopes: ['tickets:read'] },
      expiresAtMs: nowSecs * 1000 + halfDayMs,
    });
    expect(sessions.read(session.value)).toEqual({ id: session.id, principal: session.principal });
    time.secs = 12 * 3600 - 1;
    expect(holderOf(sessions, session)).toBe('reader');
    time.secs++;
    expect(holderOf(sessions, session)).toBeUndefined();
  });

  it('lets in whoever has shown a token, no longer than that lives', async () => {
    verifies('session.cookie.token-life');
    const time = clock();
    const sessions = start({ options: { now: time.now } });
    const session = await opened(sessions, withToken(hs256({ scope: 'a b', exp: nowSecs + 60 })));
    expect(sessions.read(session.value)?.principal).toEqual({
      ...{ id: 'ada', rootId: 'ada', authenticated: true, scopes: ['a', 'b'] },
      expiresAtMs: (nowSecs + 60) * 1000,
    });
    time.secs = 60;
    expect(holderOf(sessions, session)).toBeUndefined();
    const long = await opened(sessions, withToken(hs256({ exp: nowSecs + 10 * 86_400 })));
    expect(long.principal.expiresAtMs).toBe(time.now() + halfDayMs);
  });

  it('is not opened for a token that lives by the leeway of clocks alone', async () => {
    const token = withToken(hs256({ exp: nowSecs - 5 }));
    expect(await refusal(start(), token)).toEqual([401, 'the token has expired']);
  });

  it.each([
    ['no credential', { headers: {} }, 'a key or a token is needed'],
    ['a wrong key', withKey('nobody-knows-this-key'), 'the credential is not valid'],
    ['a wrong token', withToken(hs256().slice(0, -2)), 'the credential is not valid'],
    ['a key where bearers are', withToken(operatorSecret), 'the credential is not valid'],
    ['a wrong key in a body', { headers: {}, accessToken: 'nope' }, 'the credential is not valid'],
  ])('is refused for %s', async (_, credentials, message) => {
    expect(await refusal(start(), credentials)).toEqual([401, message]);
  });

  it('is opened by every form that credentials have, and never by itself', async () => {
    const sessions = start();
    for (const credentials of [
      withKey(operatorSecret),
      withToken(readerSecret),
      { headers: {}, accessToken: operatorSecret },
      { headers: {}, accessToken: hs256() },
    ])
      expect((await sessions.open(credentials)).ok).toBe(true);
    const { value } = await opened(sessions, withKey(operatorSecret));
    for (const credentials of [withKey(value), withToken(value), { headers: {}, accessToken: value }])
      expect(await refusal(sessions, credentials)).toEqual([401, 'the credential is not valid']);
  });

  it('holds nothing of the credential', async () => {
    verifies('session.cookie.no-credential');
    const sessions = start();
    const token = hs256({ scope: 'a' });
    for (const [secret, credentials] of [
      [readerSecret, withKey(readerSecret)],
      [token.split('.')[2] ?? '', withToken(token)],
    ] as const) {
      const { value } = await opened(sessions, credentials);
      const told = value.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
      for (const text of [value, ...told]) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(encode(secret));
      }
    }
  });

  it('is another one each time, and never an older one that somebody has planted', async () => {
    const sessions = start();
    const values = new Set<string>();
    for (let i = 0; i < 20; i++) values.add((await opened(sessions, withKey(readerSecret))).value);
    expect(values.size).toBe(20);
  });

  it('is refused when its scopes do not fit into a cookie', async () => {
    const scopes = (count: number): string[] => Array.from({ length: count }, (_, i) => `scope-${i}:read`);
    const sessions = start();
    expect((await opened(sessions, withToken(hs256({ scopes: scopes(150) })))).value.length).toBeLessThan(
      3_800,
    );
    expect(await refusal(sessions, withToken(hs256({ scopes: scopes(200) })))).toEqual([
      422,
      'the scopes of this token are too many for the cookie of a session',
    ]);
  });
});

describe('a session somewhere else', () => {
  it('is the same on another process, and after a restart', async () => {
    verifies('session.survives-restart');
    const first = start();
    for (const credentials of [withKey(readerSecret), withToken(hs256())]) {
      const { value, principal } = await opened(first, credentials);
      expect(start().read(value)?.principal).toEqual(principal);
    }
  });

  it('ends with a key that is another one, is withdrawn, or belongs to somebody else', async () => {
    verifies('session.ends-with-credential');
    const session = await opened(start(), withKey(readerSecret));
    const rotated = { ...variables, READER_KEY: 'another-secret-of-the-reader' };
    expect(holderOf(start({ env: rotated }), session)).toBeUndefined();
    expect(holderOf(start({ declarations: declared.slice(2) }), session)).toBeUndefined();
    const renamed = [apiKey('READER_KEY', 'writer', { scopes: ['tickets:write'] })];
    expect(holderOf(start({ declarations: renamed }), session)).toBeUndefined();
    const swapped = { ...variables, OPERATOR_KEY: readerSecret, READER_KEY: operatorSecret };
    expect(holderOf(start({ env: swapped }), session)).toBeUndefined();
  });

  it('ends with the secret of its tokens, and with what is asked of them', async () => {
    const session = await opened(start(), withToken(hs256()));
    expect(holderOf(start({ env: { ...variables, JWT_SECRET: `${jwtSecret}!` } }), session)).toBeUndefined();
    const stricter = [jwt('JWT_SECRET', { audience: 'somebody-else' })];
    expect(holderOf(start({ declarations: stricter }), session)).toBeUndefined();
  });

  it('has the scopes that its key has by now', async () => {
    verifies('session.key.scopes-today');
    const session = await opened(start(), withKey(operatorSecret));
    const less = [apiKey('OPERATOR_KEY', 'operator', { scopes: ['tickets:read'] })];
    expect(start({ declarations: less }).read(session.value)?.principal.scopes).toEqual(['tickets:read']);
  });

  it('is nobody any more when its subject has become the id of a key', async () => {
    const session = await opened(start(), withToken(hs256()));
    const taken = [...declared, apiKey('ADA_KEY', 'ada')];
    const env = { ...variables, ADA_KEY: 'a-key-of-sixteen-bytes-or-more' };
    expect(holderOf(start({ declarations: taken, env }), session)).toBeUndefined();
  });

  it('is not that of another application, though both know the key', async () => {
    const session = await opened(start(), withKey(readerSecret));
    expect(holderOf(start({ options: { application: 'shop' } }), session)).toBeUndefined();
  });

  it('ends with the process where tokens are verified with what is public', async () => {
    const sessions = start();
    const session = await opened(sessions, withToken(rs256({ iss: 'the-issuer' })));
    expect(sessions.read(session.value)?.principal).toMatchObject({ id: 'ada', issuer: 'the-issuer' });
    expect(holderOf(start(), session)).toBeUndefined();
  });

  it('ends when its issuer takes back the key of the token', async () => {
    const [old, other] = [await issuerKey('old'), await issuerKey('other')];
    const issuer = await startIssuer();
    issuer.publish(old);
    let ms = 0;
    const sessions = start({
      declarations: [jwt({ issuer: issuer.url, audience: 'desk' })],
      options: { outbound: plainOutbound, monotonic: () => ms },
    });
    const session = await opened(sessions, withToken(await issued(issuer, old, { scope: 'a' })));
    expect(sessions.read(session.value)?.principal).toMatchObject({ scopes: ['a'], issuer: issuer.url });
    issuer.publish(other);
    ms = 11 * 60_000;
    // The keys are read anew in the background.
    await expect.poll(() => holderOf(sessions, session)).toBeUndefined();
  });
});

describe('a forged session', () => {
  it('is refused when a single character of it is another, is missing or is too many', async () => {
    verifies('session.forged');
    const sessions = start();
    const { value } = await opened(sessions, withToken(hs256({ scope: 'a' })));
    for (let i = 0; i < value.length; i++) {
      const other = value[i] === 'A' ? 'B' : 'A';
      expect(sessions.read(value.slice(0, i) + other + value.slice(i + 1))).toBeUndefined();
      expect(sessions.read(value.slice(0, i))).toBeUndefined();
      expect(sessions.read(`${value.slice(0, i)}A${value.slice(i)}`)).toBeUndefined();
    }
  });

  it('is refused with the claims of another one, or signed by another credential', async () => {
    const sessions = start();
    const [reader, operator, token] = await Promise.all([
      opened(sessions, withKey(readerSecret)),
      opened(sessions, withKey(operatorSecret)),
      opened(sessions, withToken(hs256())),
    ]);
    const parts = [reader, operator, token].map(({ value }) => value.split('.'));
    for (const [version, mark] of parts)
      for (const [, , claims] of parts)
        for (const [, , , mac] of parts) {
          const made = [version, mark, claims, mac].join('.');
          const isOne = [reader, operator, token].some(({ value }) => value === made);
          expect(sessions.read(made) !== undefined).toBe(isOne);
        }
  });

  it('is refused when it was signed with the secret itself, or is a token', async () => {
    const sessions = start();
    const { value } = await opened(sessions, withToken(hs256()));
    const [version, mark, claims] = value.split('.');
    const signed = hmacToken('', '', jwtSecret).split('.')[2];
    expect(sessions.read([version, mark, claims, signed].join('.'))).toBeUndefined();
    expect(sessions.read(hmacToken({ alg: 'HS256' }, goodClaims))).toBeUndefined();
  });

  it('is refused whatever else it is, and however long', () => {
    const sessions = start();
    for (const value of [
      '',
      '.',
      '...',
      'v1...',
      'v1.a.b.c',
      'x'.repeat(100_000),
      `v1.${'a.'.repeat(50_000)}`,
    ])
      expect(sessions.read(value)).toBeUndefined();
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (value) => sessions.read(value) === undefined));
  });

  it('is refused when it was issued ahead of time, by a clock that was wrong', async () => {
    const time = clock();
    const sessions = start({ options: { now: time.now } });
    time.secs = 365 * 86_400;
    const session = await opened(sessions, withKey(readerSecret));
    time.secs -= 300;
    expect(holderOf(sessions, session)).toBe('reader');
    time.secs--;
    expect(holderOf(sessions, session)).toBeUndefined();
    time.secs = 0;
    expect(holderOf(sessions, session)).toBeUndefined();
  });
});

describe('a session that was ended', () => {
  it('is refused from then on, and no other one is', async () => {
    verifies('session.ended');
    const sessions = start();
    const [one, other] = [
      await opened(sessions, withKey(readerSecret)),
      await opened(sessions, withKey(readerSecret)),
    ];
    const told: string[] = [];
    sessions.onEnded((id) => void told.push(id));
    expect(sessions.end(one.value)).toMatchObject({ id: one.id, expiresAtMs: one.principal.expiresAtMs });
    expect([holderOf(sessions, one), holderOf(sessions, other)]).toEqual([undefined, 'reader']);
    expect([sessions.end(one.value), sessions.end('no session')]).toEqual([undefined, undefined]);
    expect(told).toEqual([one.id]);
  });

  it('is refused by a process that is told of it', async () => {
    const [here, there] = [start(), start()];
    const session = await opened(here, withKey(readerSecret));
    const ended = here.end(session.value);
    expect(holderOf(there, session)).toBe('reader');
    if (ended) there.restore(ended);
    expect(holderOf(there, session)).toBeUndefined();
  });

  it('stays so however many are ended, which signs nobody out but who ends them', async () => {
    verifies('session.ended.bounded');
    const time = clock();
    const sessions = start({ options: { now: time.now, maxEndedSessions: 3 } });
    const operator = await opened(sessions, withKey(operatorSecret));
    const ended = [];
    for (let i = 0; i < 10; i++) {
      const session = await opened(sessions, withKey(readerSecret));
      time.secs++;
      sessions.end(session.value);
      ended.push(session);
    }
    expect(ended.map((session) => holderOf(sessions, session))).toEqual(Array(10).fill(undefined));
    expect(holderOf(sessions, operator)).toBe('operator');
    expect(holderOf(sessions, await opened(sessions, withKey(readerSecret)))).toBe('reader');
  });
});

describe('the cookie of a session', () => {
  it('has the name of the application, and over https one that no other host can set', () => {
    verifies('session.cookie.name');
    const nameOf = (application: string, https = false): string =>
      start({ options: { application } }).cookieName(https);
    expect(nameOf('support-desk')).toBe('waymark-support-desk');
    expect(nameOf('support-desk', true)).toBe('__Host-waymark-support-desk');
    const names = ['Desk', 'desk', 'de sk', 'de-sk', 'de_sk', '机', '桌', 'a=b; c'].map((name) =>
      nameOf(name),
    );
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9-]{1,60}$/);
  });

  it('is for this host alone, out of reach of scripts and other sites, as long as the session lasts', async () => {
    verifies('session.cookie.attributes');
    const time = clock();
    const sessions = start({ options: { now: time.now } });
    const session = await opened(sessions, withToken(hs256({ exp: nowSecs + 90 })));
    const attributes = 'Path=/; Max-Age=90; HttpOnly; SameSite=Strict';
    expect(sessions.setCookie(false, session)).toBe(`waymark-desk=${session.value}; ${attributes}`);
    expect(sessions.setCookie(true, session)).toBe(
      `__Host-waymark-desk=${session.value}; ${attributes}; Secure`,
    );
    expect(sessions.setCookie(false)).toBe('waymark-desk=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
  });

  it('is there with authentication only', () => {
    expect(createAuthenticate([], environment({})).sessions).toBeUndefined();
  });
});
