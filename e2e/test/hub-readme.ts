import { createRouteTable, HTTPError } from '@waymark/contract';
import { anonymous } from '@waymark/contract/principal';
import { createDispatcher, createHost, createIds, requireAdmin, startPlugins } from '@waymark/core-routes';
import { camera, deviceHub, sensor } from '@waymark/device-hub';
import { createDoor, listen } from '@waymark/http';

const hub = deviceHub([camera('door', { description: 'the front door' }), sensor('thermo')]);
const table = createRouteTable(hub.routes).freeze();
const controlRule = requireAdmin();
const dispatcher = createDispatcher(table, { guards: hub.guards ?? [], controlRule });
const shutdown = new AbortController();
const plugins = await startPlugins([hub], createHost({ table, dispatcher, signal: shutdown.signal }));

const scopes = ['devices:ingest', 'devices:read', 'svc:admin'];
const door = createDoor({
  dispatcher,
  controlRule,
  newId: createIds(),
  // Whoever knows the key may do everything; whoever has none may open the pages.
  authenticate: ({ headers, accessToken }) => {
    const key = headers['x-api-key'] ?? accessToken;
    if (key === undefined) return { ok: true, principal: anonymous([]) };
    return key === process.env['HUB_KEY']
      ? { ok: true, principal: { id: 'owner', rootId: 'owner', authenticated: true, scopes } }
      : { ok: false, error: new HTTPError(401, 'unknown key') };
  },
});
const port = Number(process.env['PORT'] ?? 8000);
const server = await listen(door, { host: '127.0.0.1', port, shutdownTimeoutMs: 10_000 });

export const { url } = server;
export async function close(): Promise<void> {
  shutdown.abort();
  await server.close();
  await plugins.stop();
}
