import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { camera, sensor } from '../../src/index.ts';
import { readPageFiles } from '../../src/page-files.ts';
import { lazyPageFiles } from '../../src/pages/page-routes.ts';
import { type Answer, serveHub } from '../serve-hub.ts';

const devices = [camera('door', { description: 'the <b>front</b> door' }), sensor('thermo')];
const nobody = { id: 'anonymous', rootId: 'anonymous', authenticated: false, scopes: [] };

function textOf({ body }: Answer): string {
  return body.kind === 'bytes' ? Buffer.from(body.bytes).toString() : '';
}

describe('the pages of a device', () => {
  it('open without credentials, are the same for all devices, and hold no data', async () => {
    verifies('auth.device.public-pages');
    const hub = await serveHub(devices);
    const [door, thermo] = await Promise.all(
      ['door', 'thermo'].map((name) => hub.ask('GET', `/devices/${name}/view`, { principal: nobody })),
    );
    expect([door?.status, thermo?.status]).toEqual([200, 200]);
    expect(textOf(door as Answer)).toBe(textOf(thermo as Answer));
    expect(textOf(door as Answer)).not.toMatch(/door|front|thermo/);
    expect(door?.body).toMatchObject({ mediaType: 'text/html; charset=utf-8' });
    expect(door?.headers['etag']).toMatch(/^"[0-9a-f]{16}"$/);
  });

  it('let nothing in but what the server itself gives', async () => {
    const hub = await serveHub(devices);
    const { headers } = await hub.ask('GET', '/devices/door/view');
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain(
      "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' });
    expect(headers['permissions-policy']).toContain('camera=(self)');
    expect(headers['permissions-policy']).toContain('microphone=()');
  });

  it('have `connect` for cameras alone', async () => {
    verifies('hub.sensor.no-frames');
    const hub = await serveHub(devices);
    expect((await hub.ask('GET', '/devices/door/connect')).status).toBe(200);
    expect((await hub.ask('GET', '/devices/thermo/connect')).status).toBe(404);
  });

  it('are no tools, have no place in clients, and stand in documents as HTML', async () => {
    const hub = await serveHub(devices);
    const pages = [...hub.table].filter(({ path }) => /\/(?:view|connect)$|_page/.test(path));
    expect(pages.map(({ path }) => path)).toEqual([
      '/devices/door/view',
      '/devices/door/connect',
      '/devices/thermo/view',
      '/devices/_page/{version}/{file}',
    ]);
    for (const { tool, scopes, engine, facts } of pages)
      expect([tool, scopes, engine.kind, facts.client]).toEqual([false, [], 'device', false]);
    expect(JSON.stringify(pages[0]?.output)).toContain('text/html');
  });

  it('are not there where there are no devices', async () => {
    expect((await serveHub([])).plugin.routes?.map(({ path }) => path)).toEqual(['/devices']);
  });
});

describe('the files of the pages', () => {
  it('are those that the page names, kept for good under the hash of all', async () => {
    const hub = await serveHub(devices);
    const html = textOf(await hub.ask('GET', '/devices/door/view'));
    const named = [...html.matchAll(/(?:src|href)="\.\.\/_page\/([^/]+)\/([^"]+)"/g)];
    expect(named.map(([, , file]) => file)).toEqual(['icon.svg', 'page.css', 'view.js']);
    const { version, byName } = readPageFiles();
    for (const [, hash, file = ''] of named) {
      expect(hash).toBe(version);
      expect(byName.get(file)?.bytes.length).toBeGreaterThan(0);
    }
    const input = { version, file: 'view.js' };
    const script = await hub.ask('GET', '/devices/_page/{version}/{file}', { input });
    expect(script.body).toMatchObject({ mediaType: 'text/javascript; charset=utf-8' });
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it.each([
    { version: 'another', file: 'view.js' },
    { version: readPageFiles().version, file: '../package.json' },
    { version: readPageFiles().version, file: '__proto__' },
  ])('are nothing else: $version/$file', async (input) => {
    const hub = await serveHub(devices);
    expect((await hub.ask('GET', '/devices/_page/{version}/{file}', { input })).status).toBe(404);
  });

  it('are read once, and only if somebody asks', () => {
    let reads = 0;
    const files = lazyPageFiles(() => {
      reads++;
      return readPageFiles();
    });
    expect(reads).toBe(0);
    expect(files()).toBe(files());
    expect(reads).toBe(1);
  });
});
