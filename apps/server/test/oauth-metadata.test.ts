import { createHmac } from 'node:crypto';
import type { JwtOptions } from '@waymark/auth';
import { verifies } from '@waymark/contract/testing';
import type { Application, ApplicationOptions } from '@waymark/server';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { doors, type Knock, knock } from './knock.ts';
import { application, secret, serve } from './serve.ts';

const issuer = 'https://login.example.com';
const metadata = '/.well-known/oauth-protected-resource/_svc/mcp';
const jwtSecret = 'a-secret-that-is-shared-with-the-issuer-alone';

/** A token of the issuer with these scopes, good for a minute. */
function bearer(scope: string): Readonly<Record<string, string>> {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 60;
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub: 'ann', iss: issuer, exp, scope })}`;
  return {
    authorization: `Bearer ${signed}.${createHmac('sha256', jwtSecret).update(signed).digest('base64url')}`,
  };
}

const withTokens = (
  make: typeof application,
  options: ApplicationOptions = {},
  jwt: JwtOptions = { issuer },
): Application => make(options, { JWT_SECRET: jwtSecret }).jwt('JWT_SECRET', jwt);

const listTools = (headers: Readonly<Record<string, string>> = {}): Knock => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
});

describe.each(doors)('the MCP endpoint, %s', (_door, make) => {
  it('leads a client without a good token to who issues them', async () => {
    verifies('mcp.auth.challenge');
    const { url, port } = await serve(withTokens(make));
    const expected = `Bearer realm="waymark", scope="svc:admin", resource_metadata="${url}${metadata}"`;
    const cases: readonly Knock[] = [
      listTools(),
      listTools({ authorization: 'Bearer wrong' }),
      { method: 'GET' },
      { method: 'DELETE' },
    ];
    for (const options of cases) {
      const answer = await knock(`${url}/_svc/mcp`, options);
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, expected]);
    }
    const byName = await knock(`${url}/_svc/mcp`, listTools({ host: `localhost:${port}` }));
    expect(byName.headers['www-authenticate']).toContain(`"http://localhost:${port}${metadata}"`);
  });

  it('names the realm alone while no issuer is declared that a client could ask', async () => {
    verifies('mcp.auth.challenge');
    for (const app of [withTokens(make, {}, {}), withTokens(make, {}, { issuer: 'the shop' })]) {
      const { url } = await serve(app);
      const answer = await knock(`${url}/_svc/mcp`, listTools());
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer realm="waymark"']);
    }
  });

  it('asks for a key where only keys are taken, on every path that refuses', async () => {
    verifies('authority.challenge.key');
    for (const bearer of [false, true]) {
      const app = make().apiKey('SHOP_KEY', 'shop', { bearer });
      const { url } = await serve(app.get('/own', { scopes: ['own'] }, () => 1));
      const wrong = { authorization: 'Bearer wrong' };
      for (const [path, options] of [
        ['/_svc/mcp', listTools()],
        ['/_svc/mcp', listTools(wrong)],
        ['/_svc/routes', {}],
        ['/own', {}],
        ['/own', { headers: wrong }],
      ] as const) {
        const answer = await knock(url + path, options);
        expect([answer.status, answer.headers['www-authenticate']], path).toEqual([
          401,
          'ApiKey realm="waymark"',
        ]);
      }
    }
  });

  it('takes a key as bearer where its declaration says so', async () => {
    verifies('authority.key.bearer', 'authority.key.not-bearer');
    const asBearer = listTools({ authorization: `Bearer ${secret}` });
    for (const [bearer, status] of [
      [true, 200],
      [false, 401],
    ] as const) {
      const { url } = await serve(make().apiKey('SHOP_KEY', 'shop', { bearer, scopes: ['svc:admin'] }));
      expect((await knock(`${url}/_svc/mcp`, asBearer)).status).toBe(status);
    }
  });

  it('tells a caller whose credential is not enough which scopes are', async () => {
    verifies('mcp.auth.insufficient-scope');
    const { url } = await serve(
      withTokens(make, { mcpScopes: ['tools:use', 'tools:list'] }).apiKey('SHOP_KEY', 'shop'),
    );
    for (const [headers, scope] of [
      // A token's own scopes come first: whoever asks for another asks for what it is told.
      [bearer('openid tools:use'), 'openid tools:use tools:list'],
      [{ 'x-api-key': secret }, 'tools:use tools:list'],
    ] as const) {
      const answer = await knock(`${url}/_svc/mcp`, listTools(headers));
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        403,
        `Bearer realm="waymark", error="insufficient_scope", scope="${scope}", resource_metadata="${url}${metadata}"`,
      ]);
    }
    expect((await knock(`${url}/_svc/mcp`, listTools(bearer('tools:list tools:use')))).status).toBe(200);
  });

  it('leads a token to the scopes of a tool by 403, and tells a key in a result', async () => {
    verifies('mcp.auth.step-up');
    const app = withTokens(make, { mcpScopes: ['tools:use'] }).apiKey('SHOP_KEY', 'shop', {
      scopes: ['tools:use'],
    });
    const { url } = await serve(
      app.get('/stock', { tool: true, scopes: ['stock:read', 'shop'] }, () => 'plenty'),
    );
    const call = (headers: Readonly<Record<string, string>>): ReturnType<typeof knock> =>
      knock(`${url}/_svc/mcp`, {
        ...listTools(headers),
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_stock"}}',
      });
    const text = 'tool get_stock failed with 403: missing scope "stock:read"';
    const token = await call(bearer('tools:use shop'));
    expect([token.status, token.headers['content-type'], token.headers['www-authenticate']]).toEqual([
      403,
      'application/json',
      `Bearer realm="waymark", error="insufficient_scope", scope="tools:use shop stock:read", resource_metadata="${url}${metadata}"`,
    ]);
    expect(JSON.parse(token.text)).toEqual({
      ...{ jsonrpc: '2.0', id: 1 },
      error: { code: -32600, message: text },
    });
    const key = await call({ 'x-api-key': secret });
    expect([key.status, key.headers['www-authenticate']]).toEqual([200, undefined]);
    expect(JSON.parse(key.text)).toMatchObject({
      result: { isError: true, content: [{ text: text.replace('"stock:read"', '"stock:read", "shop"') }] },
    });
    const refusals = async (): Promise<unknown> =>
      JSON.parse((await knock(`${url}/_svc/audit?kind=tool_refused`, { headers: bearer('svc:admin') })).text);
    // The log is written in batches.
    await expect.poll(refusals).toMatchObject({ events: [{ via: 'mcp' }, { via: 'mcp' }] });
  });

  it('is described where a client looks first: whose tokens it takes, and how they travel', async () => {
    verifies('mcp.auth.metadata');
    const { url } = await serve(
      withTokens(make, { mcpScopes: ['tools:use'] })
        .get('/stock', { tool: true, scopes: ['stock:read', 'tools:use'] }, () => 1)
        .get('/safe', { scopes: ['safe:open'] }, () => 1),
    );
    const answer = await knock(url + metadata);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(JSON.parse(answer.text)).toEqual({
      resource: `${url}/_svc/mcp`,
      authorization_servers: [issuer],
      scopes_supported: ['tools:use', 'stock:read'],
      bearer_methods_supported: ['header'],
    });
    expect((await knock(url + metadata, { method: 'HEAD' })).status).toBe(200);
    expect((await knock(url + metadata, { method: 'POST' })).status).toBe(405);
  });

  it('is described under the prefix and the public URL that are set', async () => {
    verifies('mcp.auth.metadata');
    const { url } = await serve(
      withTokens(make, { controlPrefix: '/ops', publicUrl: 'https://shop.example.com' }),
    );
    const path = '/.well-known/oauth-protected-resource/ops/mcp';
    const answer = await knock(url + path, { headers: { host: 'shop.example.com' } });
    expect(JSON.parse(answer.text)).toMatchObject({ resource: 'https://shop.example.com/ops/mcp' });
    const refused = await knock(`${url}/ops/mcp`, listTools());
    expect(refused.headers['www-authenticate']).toContain(`"https://shop.example.com${path}"`);
    expect((await knock(url + metadata)).status).toBe(404);
  });

  it('is described to anybody who asks for one of our hosts, and for no other', async () => {
    verifies('mcp.auth.metadata.hosts');
    const { url } = await serve(withTokens(make, { allowedHosts: ['shop.example.com'] }));
    const named = await knock(url + metadata, { headers: { host: 'shop.example.com' } });
    expect(JSON.parse(named.text)).toMatchObject({ resource: 'http://shop.example.com/_svc/mcp' });
    for (const path of [metadata, '/.well-known/oauth-authorization-server']) {
      const foreign = await knock(url + path, { headers: { host: 'evil.example' } });
      expect(foreign.status).toBe(403);
      expect(foreign.text).not.toContain('authorization_servers');
    }
    const refused = await knock(`${url}/_svc/mcp`, listTools({ host: 'evil.example' }));
    expect(refused.status).toBe(403);
    expect(refused.headers['www-authenticate']).toBeUndefined();
  });
});

describe.each(doors)('a client in a page of a listed origin, %s', (_door, make) => {
  const origin = 'http://localhost:6274';
  const preflight = (names: string, method = 'POST'): Knock => ({
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': names,
    },
  });
  const names = [
    ...['authorization', 'content-type', 'last-event-id', 'mcp-method', 'mcp-name', 'mcp-param-region'],
    ...['mcp-protocol-version', 'mcp-session-id', 'x-api-key'],
  ];

  it('may send what the protocol asks for, whatever else pages may send', async () => {
    verifies('mcp.cors');
    for (const headers of [undefined, ['x-mine']]) {
      const { url } = await serve(withTokens(make).cors([origin], headers ? { headers } : {}));
      for (const method of ['POST', 'GET', 'DELETE']) {
        const answer = await knock(`${url}/_svc/mcp`, preflight(names.join(','), method));
        const allowed = answer.headers['access-control-allow-headers']?.split(', ');
        expect([answer.status, names.filter((name) => !allowed?.includes(name))]).toEqual([204, []]);
        // GET, HEAD and POST need no leave (Fetch, 3.3.5).
        expect(answer.headers['access-control-allow-origin']).toBe(origin);
      }
      const elsewhere = await knock(`${url}/_svc/tools`, preflight('mcp-method'));
      expect(elsewhere.headers['access-control-allow-headers']).not.toContain('mcp-');
    }
  });

  it('reads the challenge and the metadata that it leads to', async () => {
    verifies('mcp.cors', 'mcp.auth.challenge');
    const { url } = await serve(withTokens(make).cors([origin]));
    for (const given of [listTools(), listTools({ authorization: 'Bearer wrong' }), { method: 'GET' }]) {
      const refused = await knock(`${url}/_svc/mcp`, { ...given, headers: { ...given.headers, origin } });
      expect([refused.status, refused.headers['access-control-expose-headers']]).toEqual([
        401,
        'www-authenticate',
      ]);
    }
    const asked = await knock(url + metadata, preflight('mcp-protocol-version', 'GET'));
    expect(asked.headers['access-control-allow-headers']).toContain('mcp-protocol-version');
    const described = await knock(url + metadata, {
      headers: { origin, 'mcp-protocol-version': '2025-11-25' },
    });
    expect([described.status, described.headers['access-control-allow-origin']]).toEqual([200, origin]);
    const missing = await knock(`${url}/.well-known/openid-configuration`, { headers: { origin } });
    expect([missing.status, missing.headers['access-control-allow-origin']]).toEqual([404, origin]);
  });

  it('is refused as ever where its origin is not listed', async () => {
    const { url } = await serve(withTokens(make).cors(['https://other.example.com']));
    expect((await knock(`${url}/_svc/mcp`, preflight('mcp-method'))).status).toBe(403);
    const refused = await knock(`${url}/_svc/mcp`, listTools({ origin }));
    expect([refused.status, refused.headers['access-control-expose-headers']]).toEqual([403, undefined]);
  });
});

describe('a path where OAuth metadata is looked for', () => {
  const paths = [
    metadata,
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/_svc/mcp',
    '/.well-known/openid-configuration',
    '/.well-known/openid-configuration/_svc/mcp',
  ];

  it.each(doors)('is a problem document when there is none, %s', async (_door, make) => {
    verifies('mcp.auth.json-404');
    const { url } = await serve(make().apiKey('SHOP_KEY', 'shop'));
    for (const path of paths) {
      const answer = await knock(url + path);
      expect([answer.status, answer.headers['content-type']], path).toEqual([
        404,
        'application/problem+json',
      ]);
    }
  });

  it('is never left to middleware that answers everything with a page', async () => {
    verifies('mcp.auth.json-404');
    const pages = express.Router().get('/{*path}', (_req, res) => void res.send('<!doctype html>'));
    const { url } = await serve(application().apiKey('SHOP_KEY', 'shop').use(pages));
    expect((await knock(`${url}/anything`)).text).toBe('<!doctype html>');
    for (const path of paths) {
      const answer = await knock(url + path);
      expect([answer.status, answer.headers['content-type']], path).toEqual([
        404,
        'application/problem+json',
      ]);
    }
    const tokens = await serve(withTokens(application).use(pages));
    expect((await knock(tokens.url + metadata)).text).toContain(issuer);
  });

  it('may be a route of the application, for one that issues its tokens itself', async () => {
    const path = '/.well-known/oauth-authorization-server';
    const app = application()
      .apiKey('SHOP_KEY', 'shop')
      .get(path, () => ({ issuer }));
    const { url } = await serve(app);
    expect(JSON.parse((await knock(url + path)).text)).toEqual({ issuer });
  });
});
