import { toClient } from '@waymark/client-gen';
import { verifies } from '@waymark/contract/testing';
import { Type } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { application, serve } from './served.ts';

/** `/old` went out of use on a day, `/new` is there instead. */
function shop() {
  const app = application();
  const input = { id: Type.Integer() };
  app.get('/new', { input }, ({ id }) => id);
  app.get('/old', { input, deprecated: '2026-11-20', description: 'Use `/new`.' }, ({ id }) => id);
  return app;
}

describe('a deprecated route', () => {
  it('works, and says since when on every answer', async () => {
    verifies('version.deprecation');
    const { url } = await serve(shop());
    const old = await fetch(`${url}/old?id=4`);
    expect([old.status, await old.json()]).toEqual([200, 4]);
    // A date of structured fields: seconds since 1970 (RFC 9745).
    const since = `@${Date.UTC(2026, 10, 20) / 1000}`;
    expect(old.headers.get('deprecation')).toBe(since);
    expect((await fetch(`${url}/old?id=x`)).headers.get('deprecation')).toBe(since);
    expect((await fetch(`${url}/new?id=4`)).headers.has('deprecation')).toBe(false);
  });

  it('is marked in the document and in the client', async () => {
    verifies('version.deprecation');
    const app = shop();
    const { url } = await serve(app);
    const { paths } = (await (await fetch(`${url}/_svc/openapi.json`)).json()) as {
      paths: Record<string, { get: { deprecated?: boolean } }>;
    };
    expect(paths['/old']?.get.deprecated).toBe(true);
    expect(paths['/new']?.get).not.toHaveProperty('deprecated');
    const client = toClient(app.table, { title: 'shop' });
    expect(client).toContain('@deprecated since 2026-11-20');
    expect(client.match(/@deprecated/g)).toHaveLength(1);
  });
});
