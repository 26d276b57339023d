import { verifies } from '@waymark/contract/testing';
import { camera, type DeviceDeclaration, sensor } from '@waymark/device-hub';
import { describe, expect, it } from 'vitest';
import { picture } from './hub-pictures.ts';
import { application, secrets, serve } from './served.ts';

/** Serves devices in an application with two keys: one for everything, one that only sends. */
async function served(...declarations: readonly DeviceDeclaration[]) {
  const app = application();
  app.apiKey('SHOP_KEY', 'operator', { scopes: ['devices:ingest', 'devices:read', 'svc:admin'] });
  app.apiKey('OTHER_KEY', 'door', { scopes: ['devices:ingest'] });
  for (const { kind, name, options } of declarations)
    kind === 'camera' ? app.camera(name, options) : app.sensor(name, options);
  const { url } = await serve(app);
  const send = async (
    method: string,
    path: string,
    body?: string | Buffer,
    key = secrets.SHOP_KEY as string,
  ) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-api-key': key, ...(typeof body === 'string' && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
    return JSON.parse(await response.text());
  };
  const mcp = async (method: string, params: object) => {
    const message = { jsonrpc: '2.0', id: 1, method, params };
    return (await send('POST', '/_svc/mcp', JSON.stringify(message))).result;
  };
  return { send, mcp, call: (name: string) => mcp('tools/call', { name, arguments: {} }) };
}

describe('devices in an application', () => {
  it('are tools: a snapshot is an image to whoever calls it over MCP', async () => {
    verifies('device.snapshot.tool', 'device.telemetry.tool', 'device.insights.tool', 'purpose.hub.tools');
    verifies('device.option.description', 'device.option.tool.default');
    const { send, mcp, call } = await served(
      camera('door', { description: 'the front door' }),
      sensor('thermo'),
    );
    await send('POST', '/devices/door/frames', picture(), secrets.OTHER_KEY);
    await send('POST', '/devices/thermo/telemetry', '{"celsius":21.5}', secrets.OTHER_KEY);
    const { tools } = await mcp('tools/list', {});
    const rows = tools as readonly { readonly name: string; readonly description: string }[];
    expect(rows.map(({ name }) => name)).toEqual([
      ...['door_snapshot', 'door_telemetry', 'door_insights'],
      ...['thermo_snapshot', 'thermo_telemetry', 'thermo_insights'],
    ]);
    expect(rows[0]?.description).toContain('the front door');
    const { content, isError, structuredContent } = await call('door_snapshot');
    expect(isError).toBe(false);
    expect(content).toEqual([
      { type: 'text', text: expect.stringContaining('"device":"door"') },
      { type: 'image', data: picture().toString('base64'), mimeType: 'image/png' },
    ]);
    expect(JSON.parse(content[0].text)).toMatchObject({ frame: '[image 1: image/png]', seq: 1 });
    // Once is enough.
    expect(structuredContent).toBeUndefined();
    expect((await call('thermo_telemetry')).structuredContent).toMatchObject({
      device: 'thermo',
      telemetry: { celsius: 21.5 },
    });
    expect((await call('door_insights')).structuredContent).toEqual({ device: 'door', insights: [] });
    expect(await call('door_snapshot').then(() => call('thermo_snapshot'))).toMatchObject({ isError: false });
  });

  it('are no tools with `tool: false`', async () => {
    verifies('device.option.tool');
    const { mcp, send } = await served(camera('door', { tool: false }));
    expect((await mcp('tools/list', {})).tools).toEqual([]);
    expect(await send('GET', '/devices/door/telemetry')).toMatchObject({ telemetry: null });
  });

  it('tell the audit log when they come and go', async () => {
    verifies('audit.kind.device-status');
    const { send } = await served(camera('door'));
    await send('POST', '/devices/door/frames', picture());
    const events = async () => (await send('GET', '/_svc/audit?kind=device_status')).events;
    await expect.poll(events).toMatchObject([{ kind: 'device_status', device: 'door', status: 'online' }]);
  });

  it('are in the document, the routes and health', async () => {
    const { send } = await served(camera('door'), sensor('thermo'));
    const { paths } = await send('GET', '/_svc/openapi.json');
    expect(Object.keys(paths['/devices/door/frames'].post.responses)).toEqual(
      expect.arrayContaining(['202', '413', '415', '429']),
    );
    expect(Object.keys(paths['/devices/door/latest'].get.responses['200'].content)).toEqual(['image/*']);
    expect(paths['/devices/door/stream']).toBeUndefined();
    const { routes } = await send('GET', '/_svc/routes');
    expect(routes).toContainEqual(
      expect.objectContaining({
        ...{ method: 'GET', path: '/devices/door/snapshot', engine: 'device', tool: 'door_snapshot' },
        ...{ scopes: ['devices:read'], approval: 'never' },
      }),
    );
    expect(await send('GET', '/_svc/health')).toMatchObject({ devices: 2 });
    expect((await send('GET', '/_svc/devices')).devices).toMatchObject([
      { name: 'door' },
      { name: 'thermo' },
    ]);
  });
});
