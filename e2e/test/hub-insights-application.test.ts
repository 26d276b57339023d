import type { Boot, Host, Plugin } from '@waymark/contract/engine';
import type { Insight } from '@waymark/contract/hub';
import { describe, expect, it } from 'vitest';
import { picture } from './hub-pictures.ts';
import { application, secrets, serve } from './served.ts';

const token = 'pAlcb4SbQkmTu-1y_3yQtA';
const headers = { 'x-api-key': secrets.SHOP_KEY };

function insight(run_id: string): Insight {
  return {
    ...{ type: 'insight', watcher: 'calm', device: 'door', agent: 'guard', seq: 1, status: 'completed' },
    ...{ output: 'Nobody.', error: null, run_id, tokens: 12, cost_micros: 40, at_ms: Date.now() },
  };
}

/** Serves a camera, and a plugin that works with what the application has of devices. */
async function served(database?: string) {
  const given: { boot?: Boot; host?: Host } = {};
  const plugin: Plugin = {
    name: 'looker',
    routes: [],
    needs: ['devices'],
    check(boot) {
      given.boot = boot;
      return [];
    },
    start(host) {
      given.host = host;
    },
  };
  const app = application(database === undefined ? {} : { database });
  app.apiKey('SHOP_KEY', 'operator', { scopes: ['devices:read', 'svc:admin'] });
  app.camera('door', { maxFps: 5 });
  app.add(plugin);
  const { url } = await serve(app);
  const read = async (path: string) => (await fetch(url + path, { headers })).json();
  return { given, url, read };
}

describe('a plugin of an application with devices', () => {
  it('knows what is declared at boot, and sees the devices when it runs', async () => {
    const { given } = await served();
    const door = { name: 'door', kind: 'camera', pulled: false, maxFps: 5 };
    expect(given.boot?.devices?.declared).toEqual([door]);
    expect(given.host?.devices?.declared).toEqual([door]);
    expect(await given.host?.devices?.look('door')).toEqual({ status: 'offline' });
  });
});

describe.each([
  ['memory', undefined],
  ['a database', ':memory:'],
])('an insight kept in %s', (_, database) => {
  it('is in the listing, in the audit log, and its picture behind both paths', async () => {
    const { given, url, read } = await served(database);
    const bytes = picture(5_000);
    const publish = () =>
      given.host?.devices?.publish(insight('r1'), { evidence: { mediaType: 'image/png', bytes, token } });
    expect([await publish(), await publish()]).toEqual([true, false]);
    expect(await read('/devices/door/insights')).toMatchObject({
      insights: [{ run_id: 'r1', cost_micros: 40, has_frame: true }],
    });
    await expect
      .poll(() => read('/_svc/audit?kind=insight'))
      .toMatchObject({ events: [{ kind: 'insight', run_id: 'r1', watcher: 'calm', output: 'Nobody.' }] });
    const shown = await Promise.all([
      fetch(`${url}/devices/door/insights/r1/frame`, { headers }),
      fetch(`${url}/devices/door/insights/r1/evidence?token=${token}`),
    ]);
    for (const one of shown) expect(Buffer.from(await one.arrayBuffer())).toEqual(Buffer.from(bytes));
  });

  it('shows its public path in the security report', async () => {
    const { read } = await served(database);
    const report = Object(await read('/_svc/security'));
    const paths = report.public_surface.map(({ path }: { readonly path: string }) => path);
    expect(paths).toContain('/devices/door/insights/{run_id}/evidence');
    expect(paths).not.toContain('/devices/door/insights/{run_id}/frame');
    const limits = report.limits.map(({ name }: { readonly name: string }) => name);
    expect(limits).toEqual(expect.arrayContaining(['insight_pictures', 'insight_link']));
  });
});
