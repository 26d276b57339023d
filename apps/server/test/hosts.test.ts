import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { doors, echo, type Knock, knock, upgrade } from './knock.ts';
import { application, secret, serve } from './serve.ts';

const maps = (app: Application): Application =>
  app
    .get('/maps', () => 'maps')
    .post('/maps', () => 'added')
    .add(echo('/live'));

const admin = { scopes: ['svc:admin'] };

const listing: Knock = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
};

/** The status for one name of the server. */
async function statusOf(url: string, host: string, options: Knock = {}): Promise<number> {
  return (await knock(url, { ...options, headers: { ...options.headers, host } })).status;
}

describe.each(doors)('the guard of hosts, %s', (_door, make) => {
  it('lets nobody in under another name while there is no authentication, and names the option', async () => {
    verifies('http.host.without-authentication', 'http.host.says-option', 'authority.control.allowed-host');
    const { url } = await serve(maps(make()));
    const asked: readonly (readonly [string, Knock?])[] = [
      ['/maps'],
      ['/maps', { method: 'POST' }],
      ['/live', { headers: upgrade }],
      ['/nowhere'],
      ['/_svc/health'],
      ['/_svc/tools'],
      ['/_svc/mcp', listing],
    ];
    for (const [path, options] of asked)
      expect([path, await statusOf(url + path, 'evil.example', options)]).toEqual([path, 403]);
    expect((await knock(`${url}/maps`, { headers: { host: 'evil.example' } })).detail).toBe(
      'the host evil.example is not allowed here: name it in `allowedHosts` or as `publicUrl`',
    );
  });

  it('guards the control plane alone once there is, health excepted', async () => {
    verifies('http.host.allow-list', 'http.host.health');
    const { url } = await serve(maps(make().apiKey('SHOP_KEY', 'shop', admin)));
    const asKey = { headers: { 'x-api-key': secret } };
    expect(await statusOf(`${url}/maps`, 'evil.example')).toBe(200);
    expect(await statusOf(`${url}/live`, 'evil.example', { headers: upgrade })).toBe(101);
    expect(await statusOf(`${url}/_svc/health`, 'evil.example')).toBe(200);
    for (const path of ['/_svc/tools', '/_svc', '/_svc/nowhere', '/%5fsvc/tools'])
      expect([path, await statusOf(url + path, 'evil.example', asKey)]).toEqual([path, 403]);
    expect(await statusOf(`${url}/_svc/tools`, 'localhost', asKey)).toBe(200);
  });

  it.each(['localhost', 'LOCALHOST:1', 'localhost.', '127.0.0.1', '127.8.8.8:80', '[::1]:8000', '[::1]'])(
    'lets %s in: it is this machine',
    async (host) => {
      const { url } = await serve(maps(make()));
      expect(await statusOf(`${url}/maps`, host)).toBe(200);
    },
  );

  it.each([
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example#localhost',
    '0.0.0.0',
    '127.evil',
    'localhost@evil.example',
    '[::2]',
    '[localhost',
  ])('keeps %j out, which only looks like it', async (host) => {
    const { url } = await serve(maps(make()));
    // Some are no hosts at all.
    expect([400, 403]).toContain(await statusOf(`${url}/maps`, host));
  });

  it('lets the names of allowedHosts and publicUrl in, on any port, and none below or beside them', async () => {
    verifies('http.host.allow-list');
    const options = {
      allowedHosts: ['app.example', '192.0.2.7'],
      publicUrl: 'https://www.example:8443/shop',
    };
    const { url } = await serve(maps(make(options)));
    for (const host of ['app.example', 'APP.example:9', '192.0.2.7', 'www.example', 'www.example:1'])
      expect([host, await statusOf(`${url}/maps`, host)]).toEqual([host, 200]);
    for (const host of ['x.app.example', 'example', 'app.example.evil', '192.0.2.8'])
      expect([host, await statusOf(`${url}/maps`, host)]).toEqual([host, 403]);
  });

  it('believes a forwarded name of trusted proxies only', async () => {
    const headers = { 'x-forwarded-host': 'localhost' };
    const direct = await serve(maps(make()));
    expect(await statusOf(`${direct.url}/maps`, 'evil.example', { headers })).toBe(403);
    const elsewhere = await serve(maps(make({ trustProxy: ['192.0.2.1'] })));
    expect(await statusOf(`${elsewhere.url}/maps`, 'evil.example', { headers })).toBe(403);
    const proxied = await serve(maps(make({ trustProxy: 1, publicUrl: 'https://app.example' })));
    const forwarded = { headers: { 'x-forwarded-host': 'app.example', 'x-forwarded-for': '203.0.113.9' } };
    expect(await statusOf(`${proxied.url}/maps`, 'localhost', forwarded)).toBe(200);
  });
});

describe('the guard of hosts', () => {
  it('lets the address in that was connected to', async () => {
    const { url } = await serve(maps(application({ host: '127.0.0.2' })));
    expect(await statusOf(`${url}/maps`, '127.0.0.2')).toBe(200);
    expect(
      await statusOf(`${url}/maps`, '127.0.0.2', { headers: { origin: 'http://127.0.0.2' }, method: 'POST' }),
    ).toBe(200);
  });
});
