import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type ApplicationOptions, createApplication } from '../src/index.ts';

const serve = async (options: ApplicationOptions = {}) => {
  const app = createApplication('desk', {
    port: 0,
    env: { LOG_LEVEL: 'silent', DESK_KEY: 'desk-secret-of-more-than-16-bytes' },
    ...options,
  });
  app.apiKey('DESK_KEY', 'operator', { scopes: ['svc:admin'] });
  const running = await app.listen();
  return { running, get: (path: string) => fetch(running.url + path) };
};

describe('the console of an application', () => {
  it('is given to anybody, and nothing beside it is', async () => {
    verifies('console.public');
    const { running, get } = await serve({ controlPrefix: '/admin' });
    const page = await get('/admin/console');
    const html = await page.text();
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(html).toContain('content="/admin"');
    const [, script = ''] = /src="(console\/[^"]+)"/.exec(html) ?? [];
    expect((await get(`/admin/${script}`)).status).toBe(200);
    for (const path of ['/admin/consoles', '/admin/runs', '/admin/approvals', '/admin/console/../audit'])
      expect((await get(path)).status, path).toBe(401);
    await running.close();
  });

  it('is left out by `console: false`', async () => {
    verifies('console.left-out');
    const { running } = await serve({ console: false });
    const headers = { 'x-api-key': 'desk-secret-of-more-than-16-bytes' };
    expect((await fetch(`${running.url}/_svc/console`, { headers })).status).toBe(404);
    await running.close();
  });
});
