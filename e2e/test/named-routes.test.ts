import { createApplication } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';

const key = 'admin-secret-of-more-than-16-bytes';

/** Routes that anonymous callers may or may not use, as the wire, the document and the security report have it. */
async function described() {
  const app = createApplication('desk', {
    ...{ port: 0, database: ':memory:', env: { KEY: key, LOG_LEVEL: 'silent' } },
  });
  app.apiKey('KEY', 'admin', { scopes: ['svc:admin', 'pub', 'own'] }).anonymousScopes('pub');
  app.get('/open', {}, () => 1).get('/one', { scopes: ['pub'] }, () => 1);
  app.get('/closed', { scopes: ['own'] }, () => 1);
  app.query('GET', '/mine', 'select ? as p', { params: ['@principal'] });
  app.query('GET', '/any', 'select 1 as p');
  app.memory('notes');
  const { url, close } = await app.listen();
  onTestFinished(close);
  const ask = async (path: string): Promise<unknown> =>
    (await fetch(url + path, { headers: { 'x-api-key': key } })).json();
  const document = Object(await ask('/_svc/openapi.json'));
  const report = Object(await ask('/_svc/security'));
  return { url, paths: document.paths, report };
}

describe('a route that answers nobody without a name', () => {
  it('says so in the document, as those do that anonymous callers have the scopes for', async () => {
    const { url, paths } = await described();
    const needed = [
      ['/open', [], 200],
      ['/one', [{ apiKey: ['pub'] }, {}], 200],
      ['/closed', [{ apiKey: ['own'] }], 401],
      ['/mine', [{ apiKey: [] }], 401],
      ['/any', [], 200],
      ['/notes/search', [{ apiKey: [] }], 401],
    ] as const;
    for (const [path, security, status] of needed) {
      expect([path, paths[path].get.security]).toEqual([path, security]);
      expect([path, (await fetch(`${url}${path}?query=a`)).status]).toEqual([path, status]);
    }
    expect(Object.keys(paths['/mine'].get.responses)).toContain('401');
  });

  it('is no part of what is public', async () => {
    const { report } = await described();
    const rows = report.public_surface as readonly { readonly method: string; readonly path: string }[];
    expect(rows.map(({ method, path }) => `${method} ${path}`)).toEqual([
      ...['GET /open', 'GET /one', 'GET /any', 'GET /_svc/health'],
      ...['GET /_svc/session', 'POST /_svc/session', 'DELETE /_svc/session', 'POST /_svc/session/end'],
      ...['GET /_svc/sign-in', 'GET /_svc/sign-in/style.css'],
      ...['GET /_svc/console', 'GET /_svc/console/{version}/{file}'],
    ]);
    const texts = (report.warnings as readonly { readonly text: string }[]).map(({ text }) => text);
    expect(texts.filter((text) => text.includes('answers anybody'))).toEqual([]);
  });
});
