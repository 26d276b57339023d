import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { controlScopes } from './authority/oracle.ts';
import { application, secrets, serve } from './served.ts';

/** What somebody is answered who asks for the page and the document. */
async function statusesOf(app: Application, headers: Readonly<Record<string, string>> = {}) {
  const { url } = await serve(app);
  const get = (path: string) => fetch(url + path, { headers });
  const page = await get('/_svc/docs');
  const [, script = ''] = /src="([^"]+)"/.exec(await page.text()) ?? [];
  const others = await Promise.all(
    [`/_svc/${script}`, '/_svc/openapi.json', '/_svc/routes', '/_svc/docs/x'].map(get),
  );
  return [page.status, ...others.map(({ status }) => status)];
}

describe('who reads the document', () => {
  const guarded = (openapi?: 'public' | 'protected') =>
    application({ ...(openapi && { openapi }) })
      .apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin'] })
      .apiKey('OTHER_KEY', 'other', { scopes: ['maps:read'] });

  it('is whoever holds svc:admin; the page is for anybody, and what it is made of', async () => {
    verifies('docs-page.asks', 'docs-page.no-facts');
    expect(await statusesOf(guarded())).toEqual([200, 200, 401, 401, 404]);
    expect(await statusesOf(guarded('protected'), { 'x-api-key': secrets.OTHER_KEY })).toEqual([
      200, 200, 403, 403, 404,
    ]);
    expect(await statusesOf(guarded(), { 'x-api-key': secrets.SHOP_KEY })).toEqual([200, 200, 200, 200, 404]);
    // A wrong credential is nobody, anywhere.
    expect((await statusesOf(guarded(), { 'x-api-key': 'not-a-key-of-this-shop' }))[0]).toBe(401);
  });

  it('is anybody where the application says so', async () => {
    verifies('docs-page.public');
    expect(await statusesOf(guarded('public'))).toEqual([200, 200, 200, 401, 404]);
    const { url } = await serve(guarded('public'));
    const document = (await (await fetch(`${url}/_svc/openapi.json`)).json()) as {
      readonly paths: Readonly<Record<string, { readonly get: { readonly security: readonly object[] } }>>;
    };
    // And the document says so of itself.
    const securityOf = (path: string) => document.paths[path]?.get.security;
    expect([securityOf('/_svc/openapi.json'), securityOf('/_svc/docs')]).toEqual([[], []]);
    expect(securityOf('/_svc/routes')).toEqual([{ apiKey: ['svc:admin'] }]);
  });

  it('tells of each control route what the door asks for', async () => {
    const { url } = await serve(guarded());
    const init = { headers: { 'x-api-key': secrets.SHOP_KEY } };
    const { paths } = (await (await fetch(`${url}/_svc/openapi.json`, init)).json()) as {
      readonly paths: Readonly<
        Record<string, Readonly<Record<string, { readonly security: readonly object[] }>>>
      >;
    };
    const told = Object.entries(paths)
      .filter(([path]) => path.startsWith('/_svc/'))
      .flatMap(([path, methods]) => Object.values(methods).map(({ security }) => [path, security] as const));
    expect(told.length).toBeGreaterThan(30);
    for (const [path, security] of told) {
      const [scope] = controlScopes(path, ['svc:admin']);
      expect([path, security]).toEqual([path, scope === undefined ? [] : [{ apiKey: [scope] }]]);
    }
  });

  it('is this machine without authentication', async () => {
    verifies('docs-page.loopback');
    expect(await statusesOf(application())).toEqual([200, 200, 200, 200, 404]);
  });
});
