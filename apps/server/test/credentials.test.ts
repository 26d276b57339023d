import { createHmac } from 'node:crypto';
import { verifies } from '@waymark/contract/testing';
import type { Application, RouteRequest } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { doors, echo, knock, upgrade } from './knock.ts';
import { application, otherSecret, secret, serve } from './serve.ts';

const jwtSecret = 'a-secret-that-is-shared-with-the-issuer-alone';
const env = { JWT_SECRET: jwtSecret };

/** Signs a token the way an issuer does, at a time counted from now. */
function token(claims: object = {}, { alg = 'HS256', key = jwtSecret, ttl = 60 } = {}): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + ttl;
  const signed = `${encode({ alg, typ: 'JWT' })}.${encode({ sub: 'ann', exp, ...claims })}`;
  const signature = createHmac(alg.replace('HS', 'sha'), key).update(signed).digest('base64url');
  return `${signed}.${signature}`;
}

const seconds = (from: number): number => Math.floor(Date.now() / 1000) + from;

function whoAmI(app: Application): Application {
  const who = (_input: unknown, { user: { id, authenticated, scopes } }: RouteRequest): object => ({
    ...{ id, authenticated, scopes },
  });
  return app
    .get('/who', who)
    .get('/closed', { scopes: ['maps:read'] }, () => 'maps')
    .add(echo('/live'));
}

async function who(url: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { status, text } = await knock(`${url}/who`, { headers });
  return status === 200 ? (JSON.parse(text) as unknown) : status;
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

describe.each(doors)('apiKey, %s', (_door, make) => {
  it('makes whoever sends the secret of the variable the principal of that id, without scopes by default', async () => {
    verifies(
      'declare.api-key',
      'declare.api-key.scopes.default',
      'auth.api-key.header',
      'auth.api-key.id-and-scopes',
    );
    const app = make()
      .apiKey('SHOP_KEY', 'shop')
      .apiKey('OTHER_KEY', 'other', { scopes: ['maps:read', 'x'] });
    const { url } = await serve(whoAmI(app));
    expect(await who(url, { 'x-api-key': secret })).toEqual({ id: 'shop', authenticated: true, scopes: [] });
    expect(await who(url, { 'x-api-key': otherSecret })).toEqual({
      ...{ id: 'other', authenticated: true },
      scopes: ['maps:read', 'x'],
    });
    expect(await who(url, { 'x-api-key': `${secret}x` })).toBe(401);
    expect((await knock(`${url}/closed`, { headers: { 'x-api-key': secret } })).status).toBe(403);
    expect((await knock(`${url}/closed`, { headers: { 'x-api-key': otherSecret } })).status).toBe(200);
  });

  it('gives each declaration its own place: a later one adds a key and replaces none', async () => {
    const app = make().apiKey('SHOP_KEY', 'shop').apiKey('OTHER_KEY', 'other');
    const { url } = await serve(whoAmI(app));
    expect(await who(url, { 'x-api-key': secret })).toMatchObject({ id: 'shop' });
    expect(await who(url, { 'x-api-key': otherSecret })).toMatchObject({ id: 'other' });
  });
});

describe.each(doors)('jwt, %s', (_door, make) => {
  it('makes whoever sends a token signed with the secret of the variable its subject', async () => {
    verifies('declare.jwt', 'auth.jwt', 'authority.jwt.bearer', 'authority.jwt.scopes');
    const { url } = await serve(whoAmI(make({}, env).jwt('JWT_SECRET')));
    expect(await who(url, bearer(token({ scope: 'maps:read a', scopes: ['b'] })))).toEqual({
      ...{ id: 'ann', authenticated: true },
      scopes: ['maps:read', 'a', 'b'],
    });
    expect(await who(url, bearer(token({}, { key: `${jwtSecret}x` })))).toBe(401);
    expect(await who(url, { 'x-api-key': token() })).toBe(401);
    expect((await knock(`${url}/closed`)).status).toBe(401);
  });

  it('expects HS256, any audience and any issuer by default, and 30 seconds of drift', async () => {
    verifies(
      'declare.jwt.algorithm.default',
      'declare.jwt.audience.default',
      'declare.jwt.issuer.default',
      'declare.jwt.leeway.default',
      'auth.jwt.algorithm',
      'auth.jwt.leeway',
    );
    const { url } = await serve(whoAmI(make({}, env).jwt('JWT_SECRET')));
    expect(await who(url, bearer(token({ aud: 'anybody', iss: 'anyone' })))).toMatchObject({ id: 'ann' });
    for (const alg of ['HS384', 'HS512']) expect(await who(url, bearer(token({}, { alg })))).toBe(401);
    // Two seconds on either side, so that a slow machine does not decide.
    expect(await who(url, bearer(token({}, { ttl: -28 })))).toMatchObject({ id: 'ann' });
    expect(await who(url, bearer(token({}, { ttl: -31 })))).toBe(401);
    expect(await who(url, bearer(token({ nbf: seconds(28) })))).toMatchObject({ id: 'ann' });
    expect(await who(url, bearer(token({ nbf: seconds(33) })))).toBe(401);
  });

  it('holds a token to the algorithm, audience, issuer and drift that are declared', async () => {
    verifies('auth.jwt.audience', 'auth.jwt.issuer', 'authority.jwt.pinned');
    const app = make({}, env).jwt('JWT_SECRET', {
      ...{ algorithm: 'HS512', audience: 'shop', issuer: 'https://id.example', leewaySecs: 5 },
    });
    const { url } = await serve(whoAmI(app));
    const good = { aud: 'shop', iss: 'https://id.example' };
    const as = (claims: object, options: object = {}) =>
      who(url, bearer(token(claims, { alg: 'HS512', ...options })));
    expect(await as(good)).toMatchObject({ id: 'ann' });
    expect(await as({ ...good, aud: ['other', 'shop'] })).toMatchObject({ id: 'ann' });
    expect(await as(good, { ttl: -3 })).toMatchObject({ id: 'ann' });
    expect(await as(good, { ttl: -6 })).toBe(401);
    expect(await as(good, { alg: 'HS256' })).toBe(401);
    expect(await as({ ...good, aud: 'other' })).toBe(401);
    expect(await as({ aud: 'shop' })).toBe(401);
    expect(await as({ iss: 'https://id.example' })).toBe(401);
  });

  it('stands beside keys and other issuers: a later one adds and replaces none', async () => {
    const more = { ...env, NEW_SECRET: `new-${jwtSecret}` };
    const app = make({}, more).apiKey('SHOP_KEY', 'shop').jwt('JWT_SECRET').jwt('NEW_SECRET');
    const { url } = await serve(whoAmI(app));
    expect(await who(url, bearer(token()))).toMatchObject({ id: 'ann' });
    expect(await who(url, bearer(token({}, { key: more.NEW_SECRET })))).toMatchObject({ id: 'ann' });
    expect(await who(url, { 'x-api-key': secret })).toMatchObject({ id: 'shop' });
    expect(await who(url, bearer(token({ sub: 'shop' })))).toBe(401);
    expect(await who(url, { ...bearer(token()), 'x-api-key': secret })).toBe(401);
  });
});

describe.each(doors)('anonymousScopes, %s', (_door, make) => {
  it('gives callers without a credential the scopes that are named, and nobody else', async () => {
    verifies('declare.anonymous-scopes', 'auth.anonymous-scopes', 'authority.anonymous.scopes');
    const app = make().anonymousScopes('maps:read').apiKey('SHOP_KEY', 'shop');
    const { url } = await serve(whoAmI(app));
    expect(await who(url)).toEqual({ id: 'anonymous', authenticated: false, scopes: ['maps:read'] });
    expect((await knock(`${url}/closed`)).status).toBe(200);
    expect((await knock(`${url}/closed`, { headers: { 'x-api-key': secret } })).status).toBe(403);
    expect(await who(url, { 'x-api-key': 'wrong' })).toBe(401);
  });

  it('gives none by default, and adds up where it is declared twice', async () => {
    const none = await serve(whoAmI(make()));
    expect(await who(none.url)).toEqual({ id: 'anonymous', authenticated: false, scopes: [] });
    const both = await serve(
      whoAmI(make().anonymousScopes('a', 'b').anonymousScopes('b', 'c').anonymousScopes()),
    );
    expect(await who(both.url)).toMatchObject({ scopes: ['a', 'b', 'c'] });
  });

  it('is no authentication: the control plane stays with this machine, and no other address is bound', async () => {
    const app = make({ host: '0.0.0.0' }).anonymousScopes('svc:admin');
    await expect(app.listen()).rejects.toThrow('no authentication is configured');
  });
});

describe('access_token', () => {
  const maps = (): Application => whoAmI(application({}, env).apiKey('SHOP_KEY', 'shop').jwt('JWT_SECRET'));

  it('is taken on upgrades, a key or a token, and only there', async () => {
    verifies('auth.upgrade.access-token', 'auth.upgrade.only-upgrades', 'authority.access-token.either');
    const app = maps().add(echo('/mine', { scopes: ['maps:read'] }));
    const { url } = await serve(app);
    const open = (path: string) => knock(url + path, { headers: upgrade }).then(({ status }) => status);
    const good = token({ scope: 'maps:read' });
    expect(await open('/mine')).toBe(401);
    expect(await open(`/mine?access_token=${good}`)).toBe(101);
    expect(await open(`/mine?access_token=${secret}`)).toBe(403);
    expect(await open('/mine?access_token=wrong')).toBe(401);
    expect(await open('/live?access_token=wrong')).toBe(401);
    expect(await open(`/mine?access_token=${good}&access_token=${good}`)).toBe(401);
    expect((await knock(`${url}/closed?access_token=${good}`)).status).toBe(401);
    expect((await knock(`${url}/who?access_token=wrong`)).text).toContain('"anonymous"');
  });

  it('counts for nothing beside a header that carries a credential', async () => {
    verifies('auth.upgrade.header-first');
    const { url } = await serve(maps().add(echo('/mine', { scopes: ['maps:read'] })));
    const good = token({ scope: 'maps:read' });
    const open = (query: string, headers: Readonly<Record<string, string>>) =>
      knock(`${url}/mine${query}`, { headers: { ...upgrade, ...headers } }).then(({ status }) => status);
    expect(await open(`?access_token=${good}`, { 'x-api-key': secret })).toBe(403);
    expect(await open(`?access_token=${good}`, { 'x-api-key': 'wrong' })).toBe(401);
    expect(await open('?access_token=wrong', bearer(good))).toBe(101);
  });
});

describe('a credential that is declared wrongly', () => {
  const any = (value: unknown): never => value as never;

  it.each<[string, (app: Application) => Application]>([
    ['scopes are not a list of words', (app) => app.apiKey('SHOP_KEY', 'shop', { scopes: any('svc:admin') })],
    [
      'unknown option "scope" (did you mean "scopes"?)',
      (app) => app.apiKey('SHOP_KEY', 'shop', any({ scope: [] })),
    ],
    ['the id is empty', (app) => app.apiKey('SHOP_KEY', '')],
    ['the variable NOWHERE is not set', (app) => app.apiKey('NOWHERE', 'shop')],
    ['leewaySecs is not a number from 0 to 300', (app) => app.jwt('JWT_SECRET', { leewaySecs: -1 })],
    ['leewaySecs is not a number from 0 to 300', (app) => app.jwt('JWT_SECRET', { leewaySecs: any('30') })],
    [
      'unknown algorithm "none"; write HS256, HS384',
      (app) => app.jwt('JWT_SECRET', { algorithm: any('none') }),
    ],
    ['audience is not a text, or an empty one', (app) => app.jwt('JWT_SECRET', { audience: '' })],
    ['issuer is not a text, or an empty one', (app) => app.jwt('JWT_SECRET', { issuer: any(5) })],
    [
      'unknown option "leeway_secs" (did you mean "leewaySecs"?)',
      (app) => app.jwt('JWT_SECRET', any({ leeway_secs: 5 })),
    ],
    ['scopes are not a list of words', (app) => app.anonymousScopes(any(['a', 'b']))],
    ['scopes are not a list of words', (app) => app.anonymousScopes('maps:read maps:write')],
    ['scopes are not a list of words', (app) => app.anonymousScopes(any(undefined))],
    ['the first argument is not the name of a variable', (app) => app.apiKey(any(undefined), 'shop')],
    ['scopes are not a list of words', (app) => app.apiKey('SHOP_KEY', 'shop', { scopes: any(null) })],
  ])('is refused with its place: %s', async (words, declare) => {
    const error = await declare(application({}, env)).listen().catch(String);
    expect(error).toContain('1 declaration problem');
    expect(error).toContain(words);
    expect(error).toMatch(/apps\/server\/test\/credentials\.test\.ts:\d+ {2}(apiKey|jwt|anonymousScopes)/);
  });
});
