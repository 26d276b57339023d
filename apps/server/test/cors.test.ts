import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { doors, echo, knock, upgrade } from './knock.ts';
import { secret, serve } from './serve.ts';

const foreign = 'https://app.example.com';
const other = 'https://other.example.com';
const json = { 'content-type': 'application/json' };

/** What a browser sends before a request that is not simple. */
const preflight = (origin: string, method = 'PUT') => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': method },
});

function maps(app: Application): Application {
  return app
    .get('/maps', () => ['atlas'])
    .post('/maps', () => 'added')
    .get('/closed', { scopes: ['maps:read'] }, () => 'secret')
    .get('/broken', () => {
      throw new Error('broken');
    })
    .add(echo('/live'));
}

describe.each(doors)('without cors, %s', (_door, application) => {
  it('answers foreign pages nothing that a browser would let them read', async () => {
    const { url } = await serve(maps(application()));
    const read = await knock(`${url}/maps`, { headers: { origin: foreign } });
    expect(read.status).toBe(200);
    const asked = await knock(`${url}/maps`, preflight(foreign));
    for (const { headers } of [read, asked])
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(asked.headers['allow']).toContain('POST');
  });

  it('refuses what foreign pages change, open and forge, and names the option', async () => {
    verifies('http.browser.cross-origin', 'http.browser.upgrade');
    const { url } = await serve(maps(application()));
    const detail = `requests from pages of the origin ${foreign} are not allowed: list it in \`cors\``;
    for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded'])
      expect(
        await knock(`${url}/maps`, {
          method: 'POST',
          headers: { origin: foreign, 'content-type': type },
          body: '{}',
        }),
      ).toMatchObject({ status: 403, detail });
    expect(await knock(`${url}/live`, { headers: { ...upgrade, origin: foreign } })).toMatchObject({
      status: 403,
      detail,
    });
    for (const site of ['cross-site', 'same-site'])
      expect(
        await knock(`${url}/maps`, { method: 'POST', headers: { 'sec-fetch-site': site } }),
      ).toMatchObject({ status: 403 });
    expect(
      await knock(`${url}/_svc/mcp`, { method: 'POST', headers: { origin: foreign, ...json } }),
    ).toMatchObject({
      status: 403,
      detail,
    });
  });

  it('serves pages of its own, and callers that are no browser', async () => {
    verifies('http.browser.others');
    const { url } = await serve(maps(application()));
    const own = [
      { origin: url },
      { origin: url, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      {},
    ];
    for (const headers of own) {
      expect((await knock(`${url}/maps`, { method: 'POST', headers })).status).toBe(200);
      expect((await knock(`${url}/live`, { headers: { ...upgrade, ...headers } })).status).toBe(101);
    }
  });

  it('takes the origin of publicUrl for its own, and neither its host on another port nor its http', async () => {
    const { url } = await serve(maps(application({ publicUrl: 'https://maps.example.com/shop' })));
    const post = (origin: string) => knock(`${url}/maps`, { method: 'POST', headers: { origin } });
    expect((await post('https://maps.example.com')).status).toBe(200);
    for (const origin of [
      'http://maps.example.com',
      'https://maps.example.com:8443',
      'https://example.com',
      'null',
    ])
      expect((await post(origin)).status).toBe(403);
  });
});

describe.each(doors)('cors, %s', (_door, application) => {
  it('lets the pages of a listed origin read, change and open, and nobody else', async () => {
    verifies('declare.cors', 'http.browser.cors-allows');
    const { url } = await serve(maps(application().cors([foreign])));
    for (const [origin, status] of [
      [foreign, 200],
      [other, 403],
    ] as const) {
      expect(
        (await knock(`${url}/maps`, { method: 'POST', headers: { origin, 'sec-fetch-site': 'cross-site' } }))
          .status,
      ).toBe(status);
      const opened = await knock(`${url}/live`, { headers: { ...upgrade, origin } });
      expect(opened.status).toBe(status === 200 ? 101 : 403);
      const read = await knock(`${url}/maps`, { headers: { origin } });
      expect(read.headers['access-control-allow-origin']).toBe(status === 200 ? foreign : undefined);
      expect((await knock(`${url}/maps`, preflight(origin))).status).toBe(status === 200 ? 204 : 403);
    }
  });

  it.each([
    `${foreign}.evil.com`,
    `${foreign}:8443`,
    'http://app.example.com',
    'https://APP.example.com',
    'https://xapp.example.com',
    `${foreign}/`,
    `${foreign}, ${other}`,
    'null',
    '*',
    '',
  ])('compares origins letter by letter: %j is another one', async (origin) => {
    const { url } = await serve(maps(application().cors([foreign])));
    expect((await knock(`${url}/maps`, { method: 'POST', headers: { origin } })).status).toBe(403);
    const { headers } = await knock(`${url}/maps`, { headers: { origin } });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('tells caches that answers depend on the origin, whoever asks', async () => {
    const { url } = await serve(maps(application().cors([foreign])));
    for (const headers of [{}, { origin: foreign }, { origin: other }])
      expect((await knock(`${url}/maps`, { headers })).headers['vary']).toBe('Origin');
  });

  it('lets listed pages read errors too', async () => {
    const { url } = await serve(maps(application().cors([foreign]).apiKey('SHOP_KEY', 'shop')));
    for (const [path, status, more] of [
      ['/closed', 401, {}],
      ['/closed', 403, { 'x-api-key': secret }],
      ['/nowhere', 404, {}],
      ['/maps?%', 400, {}],
      ['/broken', 500, {}],
      ['/live', 426, {}],
      ['/_svc/tools', 401, {}],
    ] as const) {
      const answer = await knock(url + path, { headers: { origin: foreign, ...more } });
      expect([path, answer.status, answer.headers['access-control-allow-origin']]).toEqual([
        path,
        status,
        foreign,
      ]);
    }
  });

  it('answers a preflight before anybody is authenticated, and after the guard of hosts', async () => {
    verifies('http.order.preflight', 'http.order.host-before-cors');
    const { url } = await serve(maps(application().cors([foreign]).apiKey('SHOP_KEY', 'shop')));
    for (const path of ['/closed', '/_svc/tools', '/nowhere'])
      expect((await knock(url + path, preflight(foreign))).status).toBe(204);
    const asked = preflight(foreign);
    const rebound = await knock(`${url}/_svc/tools`, {
      ...asked,
      headers: { ...asked.headers, host: 'evil.example' },
    });
    expect(rebound).toMatchObject({ status: 403, detail: expect.stringContaining('allowedHosts') as string });
  });

  it('leaves an OPTIONS request that is no preflight to the table', async () => {
    const { url } = await serve(maps(application().cors([foreign])));
    const answer = await knock(`${url}/maps`, { method: 'OPTIONS', headers: { origin: foreign } });
    expect(answer.headers['allow']).toContain('POST');
    expect(answer.headers['access-control-allow-methods']).toBeUndefined();
  });

  it('has a default for every option', async () => {
    verifies(
      'declare.cors.credentials.default',
      'declare.cors.methods.default',
      'declare.cors.headers.default',
      'declare.cors.expose.default',
      'declare.cors.max-age.default',
      'http.cors.methods',
      'http.cors.headers',
    );
    const { url } = await serve(maps(application().cors([foreign])));
    const asked = await knock(`${url}/maps`, preflight(foreign));
    expect(corsOf(asked.headers)).toEqual({
      'access-control-allow-origin': foreign,
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers':
        'content-type, authorization, x-api-key, x-request-id, idempotency-key, last-event-id',
      'access-control-max-age': '600',
    });
    const read = await knock(`${url}/maps`, { headers: { origin: foreign } });
    expect(corsOf(read.headers)).toEqual({ 'access-control-allow-origin': foreign });
  });

  it('says every option that is given', async () => {
    const app = application().cors([foreign, other], {
      credentials: true,
      methods: ['GET', 'PUT'],
      headers: ['X-Map'],
      expose: ['etag', 'x-request-id'],
      maxAge: 86_400,
    });
    const { url } = await serve(maps(app));
    const always = {
      'access-control-allow-origin': other,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'etag, x-request-id',
    };
    expect(corsOf((await knock(`${url}/maps`, { headers: { origin: other } })).headers)).toEqual(always);
    expect(corsOf((await knock(`${url}/maps`, preflight(other))).headers)).toEqual({
      ...always,
      'access-control-allow-methods': 'GET, PUT',
      'access-control-allow-headers': 'X-Map',
      'access-control-max-age': '86400',
    });
  });

  it('takes 0 seconds and empty lists as they are', async () => {
    const app = application().cors([foreign], { maxAge: 0, methods: [], headers: [] });
    const { url } = await serve(maps(app));
    expect(corsOf((await knock(`${url}/maps`, preflight(foreign))).headers)).toMatchObject({
      'access-control-allow-methods': '',
      'access-control-allow-headers': '',
      'access-control-max-age': '0',
    });
  });

  it('lets any origin but null in with "*"', async () => {
    const { url } = await serve(maps(application().cors(['*'])));
    const post = (origin: string) => knock(`${url}/maps`, { method: 'POST', headers: { origin } });
    expect(await post('https://anybody.example')).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': '*' },
    });
    expect((await post('null')).status).toBe(403);
  });

  it('is what was declared last, as a whole', async () => {
    const app = application()
      .cors([other], { credentials: true, maxAge: 5, expose: ['etag'] })
      .cors([foreign]);
    const { url } = await serve(maps(app));
    expect((await knock(`${url}/maps`, { method: 'POST', headers: { origin: other } })).status).toBe(403);
    const asked = corsOf((await knock(`${url}/maps`, preflight(foreign))).headers);
    expect(asked['access-control-max-age']).toBe('600');
    expect(asked).not.toHaveProperty('access-control-allow-credentials');
    expect(asked).not.toHaveProperty('access-control-expose-headers');
  });
});

function corsOf(headers: Readonly<Record<string, string | undefined>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
}
