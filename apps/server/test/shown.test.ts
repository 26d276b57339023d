import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { application, ask, secret, serve } from './serve.ts';

const templates = join(import.meta.dirname, 'fixtures/templates/good');

describe('an application that shows pages, files and other services', () => {
  it('serves a page from its templates, with data, rows or what a handler returns', async () => {
    verifies('face.methods.pages', 'app.option.templates', 'purpose.hosts.pages');
    const app = application({ templates, database: ':memory:' });
    app
      .resource('maps', { title: 'string' })
      .page('/constant', 'board', { data: { title: 'constant' } })
      .page('/rows', 'board', { sql: 'select title from maps', returns: 'one', bind: 'map' })
      .pageHandler('/plain', 'board', () => ({ title: 'plain' }))
      .pageHandler('/made/{n}', 'board', { input: { n: Type.Integer() }, status: 203 }, ({ n }) => ({
        title: `made ${n + 1}`,
      }));
    const { url } = await serve(app);
    await ask(`${url}/maps`, { body: { title: 'Alps' } });
    const shown = async (path: string) => {
      const { status, type } = await ask(url + path);
      return [path, status, type];
    };
    expect(await shown('/constant')).toEqual(['/constant', 200, 'text/html']);
    expect(await shown('/rows')).toEqual(['/rows', 200, 'text/html']);
    expect(await shown('/plain')).toEqual(['/plain', 200, 'text/html']);
    expect(await shown('/made/6')).toEqual(['/made/6', 203, 'text/html']);
    expect(await shown('/made/x')).toEqual(['/made/x', 422, 'application/problem+json']);
  });

  it('serves a directory of files', async () => {
    verifies('face.methods.pages', 'purpose.hosts.static-files');
    const { url } = await serve(application().staticFiles('/assets', templates));
    const { status, headers } = await ask(`${url}/assets/board.hbs`);
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=3600']);
    expect((await ask(`${url}/assets/other.hbs`)).status).toBe(404);
  });

  it('forwards to a declared upstream', async () => {
    verifies('face.methods.pages', 'purpose.hosts.proxies');
    const upstream = createServer((req, res) => res.end(JSON.stringify({ path: req.url })));
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void upstream.close());
    const { port } = upstream.address() as AddressInfo;
    const app = application()
      .upstream('atlas', `http://127.0.0.1:${port}/v2`)
      .proxy('GET', '/maps/{id}', 'atlas', { rewrite: '/sheets/{id}' });
    const { url } = await serve(app);
    expect((await ask(`${url}/maps/a%2Fb?q=1`)).body).toBe('{"path":"/v2/sheets/a%2Fb?q=1"}');
  });
});

describe('an application with devices', () => {
  it('serves a camera and a sensor, and counts them', async () => {
    verifies('face.methods.devices', 'version.device-hub');
    const app = application()
      .apiKey('SHOP_KEY', 'shop', { scopes: ['devices:read', 'devices:ingest', 'svc:admin'] })
      .camera('door', { maxFps: 5 })
      .sensor('thermo');
    const { url } = await serve(app);
    const sent = await ask(`${url}/devices/thermo/telemetry`, { key: secret, body: { celsius: 21 } });
    expect(sent.status).toBe(202);
    const read = await ask(`${url}/devices/thermo/telemetry`, { key: secret });
    expect(read.body).toMatchObject({ telemetry: { celsius: 21 } });
    const { body } = await ask(`${url}/_svc/devices`, { key: secret });
    expect(body).toMatchObject({ devices: [{ name: 'door', max_fps: 5 }, { name: 'thermo' }] });
    expect((await ask(`${url}/_svc/health`)).body).toMatchObject({ devices: 2 });
  });

  it('has a hub that can be told its limits', async () => {
    const app = application({ hub: { telemetryPerSecond: 1 } });
    app.apiKey('SHOP_KEY', 'shop', { scopes: ['devices:ingest'] }).sensor('thermo');
    const { url } = await serve(app);
    const send = () => ask(`${url}/devices/thermo/telemetry`, { key: secret, body: { celsius: 21 } });
    const sent = await Promise.all([send(), send(), send()]);
    expect(sent.map(({ status }) => status).sort()).toEqual([202, 202, 429]);
  });

  it('lists none where none are declared', async () => {
    const app = application().apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin'] });
    const { url } = await serve(app);
    expect((await ask(`${url}/_svc/devices`, { key: secret })).body).toEqual({ devices: [] });
  });
});
