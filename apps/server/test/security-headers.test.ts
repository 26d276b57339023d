import { verifies } from '@waymark/contract/testing';
import { type Application, reply, Type } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { doors, echo, insideExpress, type Knock, type Knocked, knock, upgrade } from './knock.ts';
import { otherSecret, secret, serve } from './serve.ts';

const names = [
  'x-content-type-options',
  'x-frame-options',
  'referrer-policy',
  'cross-origin-opener-policy',
  'content-security-policy',
  'strict-transport-security',
];

/** The protective headers of an answer. */
function protection({ headers }: Knocked): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const defaults = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin',
};

function maps(app: Application): Application {
  return app
    .get('/maps', { input: { n: Type.Optional(Type.Integer()) } }, () => ['atlas'])
    .post('/maps', { input: { n: Type.Integer() } }, () => undefined)
    .get('/closed', { scopes: ['maps:read'] }, () => 'secret')
    .get('/broken', () => {
      throw new Error('broken');
    })
    .get('/stuck', { timeoutMs: 20 }, () => new Promise(() => {}))
    .add(echo('/live'));
}

const json = { 'content-type': 'application/json' };
const cases: readonly (readonly [status: number, path: string, options?: Knock])[] = [
  [200, '/maps'],
  [200, '/maps', { method: 'HEAD' }],
  [204, '/maps', { method: 'OPTIONS' }],
  [204, '/maps', { method: 'POST', headers: json, body: '{"n":1}' }],
  [101, '/live', { headers: upgrade }],
  [400, '/maps', { method: 'POST', headers: json, body: '{' }],
  [400, '/maps?n=%'],
  [401, '/closed'],
  [401, '/maps', { headers: { 'x-api-key': 'wrong' } }],
  [401, '/live', { headers: { ...upgrade, 'x-api-key': 'wrong' } }],
  [401, '/_svc/tools'],
  [403, '/closed', { headers: { 'x-api-key': secret } }],
  [403, '/maps', { method: 'POST', headers: { origin: 'https://evil.example' } }],
  [403, '/live', { headers: { ...upgrade, origin: 'https://evil.example' } }],
  [403, '/_svc/tools', { headers: { host: 'evil.example' } }],
  [404, '/nowhere'],
  [404, '/nowhere', { headers: upgrade }],
  [405, '/maps', { method: 'DELETE' }],
  [413, '/maps', { method: 'POST', headers: { ...json, 'content-length': '9999999' } }],
  [415, '/maps', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '1' }],
  [422, '/maps', { method: 'POST', headers: json, body: '{}' }],
  [426, '/live'],
  [431, '/maps', { headers: { 'x-long': 'x'.repeat(20_000) } }],
  [500, '/broken'],
  [504, '/stuck'],
];

describe.each(doors)('security headers, %s', (_door, application) => {
  it('are on every answer, with these defaults', async () => {
    verifies(
      'declare.security-headers.enabled.default',
      'declare.security-headers.frame-options.default',
      'declare.security-headers.referrer-policy.default',
      'declare.security-headers.csp.default',
      'http.headers.everywhere',
    );
    const { url } = await serve(maps(application().apiKey('SHOP_KEY', 'shop')));
    for (const [status, path, options] of cases) {
      const answer = await knock(url + path, options);
      expect([path, answer.status, protection(answer)]).toEqual([path, status, defaults]);
    }
  });

  it('are on 304 and 429 too', async () => {
    const app = application({ failureLimit: { perSecond: 0.001, burst: 1 } }).rateLimit(0.001, { burst: 3 });
    const { url } = await serve(maps(app).get('/tagged', () => reply(200, 'atlas', { etag: '"1"' })));
    const answers = [
      await knock(`${url}/tagged`, { headers: { 'if-none-match': '"1"' } }),
      await knock(`${url}/maps`),
      await knock(`${url}/live`, { headers: upgrade }),
      await knock(`${url}/live`, { headers: upgrade }),
      await knock(`${url}/maps`),
      await knock(`${url}/nowhere`),
      await knock(`${url}/nowhere`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([304, 200, 101, 429, 429, 404, 429]);
    for (const answer of answers) expect(protection(answer)).toEqual(defaults);
  });

  it('say what is declared', async () => {
    verifies('declare.security-headers');
    const app = application().securityHeaders({
      frameOptions: 'SAMEORIGIN',
      referrerPolicy: 'no-referrer',
      contentSecurityPolicy: "default-src 'self'",
    });
    const { url } = await serve(maps(app));
    for (const [path, options] of [['/maps'], ['/nowhere'], ['/live', { headers: upgrade }]] as const)
      expect(protection(await knock(url + path, options))).toEqual({
        ...defaults,
        'x-frame-options': 'SAMEORIGIN',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'self'",
      });
  });

  it('can be switched off, all of them', async () => {
    const { url } = await serve(
      maps(application().securityHeaders({ enabled: false, frameOptions: 'DENY' })),
    );
    for (const path of ['/maps', '/nowhere', '/_svc/health'])
      expect(protection(await knock(url + path))).toEqual({});
  });

  it('are those declared last, as a whole', async () => {
    const app = application()
      .securityHeaders({ enabled: false, contentSecurityPolicy: "default-src 'none'" })
      .securityHeaders({ referrerPolicy: 'origin' });
    const { url } = await serve(maps(app));
    expect(protection(await knock(`${url}/maps`))).toEqual({ ...defaults, 'referrer-policy': 'origin' });
  });

  it('give way to what a route says itself', async () => {
    const app = application().get('/framed', () => reply(200, 'framed', { 'X-Frame-Options': 'SAMEORIGIN' }));
    const { url } = await serve(app);
    expect(protection(await knock(`${url}/framed`))).toEqual({
      ...defaults,
      'x-frame-options': 'SAMEORIGIN',
    });
  });
});

describe.each(doors)('HSTS, %s', (_door, application) => {
  const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' };
  const hsts = async (app: Application, headers: Readonly<Record<string, string>>) => {
    const { url } = await serve(maps(app));
    return (await knock(`${url}/maps`, { headers })).headers['strict-transport-security'];
  };

  it('lasts a year by default, where a trusted proxy says that the request came by https', async () => {
    verifies('declare.security-headers.hsts.default', 'http.headers.hsts-https');
    expect(await hsts(application({ trustProxy: 1 }), https)).toBe('max-age=31536000');
    expect(await hsts(application({ trustProxy: ['127.0.0.1'] }), https)).toBe('max-age=31536000');
  });

  it('is not sent to requests that came by http, nor on the word of anybody else', async () => {
    verifies('http.headers.hsts-https');
    expect(await hsts(application(), https)).toBeUndefined();
    expect(await hsts(application({ trustProxy: 0 }), https)).toBeUndefined();
    expect(await hsts(application({ trustProxy: ['192.0.2.1'] }), https)).toBeUndefined();
    expect(await hsts(application({ trustProxy: 1 }), {})).toBeUndefined();
    expect(
      await hsts(application({ trustProxy: 1 }), { ...https, 'x-forwarded-proto': 'http' }),
    ).toBeUndefined();
  });

  it('lasts as long as it is said to, and 0 takes it back', async () => {
    const app = (hstsMaxAge: number) => application({ trustProxy: 1 }).securityHeaders({ hstsMaxAge });
    expect(await hsts(app(60), https)).toBe('max-age=60');
    expect(await hsts(app(0), https)).toBe('max-age=0');
    expect(await hsts(app(60).securityHeaders({ enabled: false }), https)).toBeUndefined();
  });
});

describe('answers of middleware', () => {
  it('have the same headers and guards: what middleware answers, and what it fails at', async () => {
    const app = insideExpress().use((req, res, next) => {
      if (req.url === '/legacy') res.end('old');
      else if (req.url === '/fails') next(new Error('broken'));
      else next();
    });
    const { url } = await serve(app);
    for (const [path, status] of [
      ['/legacy', 200],
      ['/fails', 500],
    ] as const) {
      const answer = await knock(url + path);
      expect([answer.status, protection(answer)]).toEqual([status, defaults]);
    }
    const forged = { method: 'POST', headers: { origin: 'https://evil.example' } };
    expect((await knock(`${url}/legacy`, forged)).status).toBe(403);
    expect((await knock(`${url}/legacy`, { headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await knock(`${url}/legacy`, { headers: { origin: 'https://evil.example' } })).text).toBe('old');
  });

  it('are held to the hosts of an application with keys only below the control prefix', async () => {
    const app = insideExpress().apiKey('OTHER_KEY', 'other', { scopes: ['svc:admin'] });
    app.use((req, res, next) => void (req.url === '/legacy' ? res.end('old') : next()));
    const { url } = await serve(app);
    const host = 'shop.example';
    expect((await knock(`${url}/legacy`, { headers: { host } })).text).toBe('old');
    const headers = { host, 'x-api-key': otherSecret };
    expect((await knock(`${url}/_svc/tools`, { headers })).status).toBe(403);
    expect((await knock(`${url}/_svc/health`, { headers })).status).toBe(200);
  });
});
