import { createRouteTable } from '@waymark/contract';
import { createDispatcher, createHost, createIds, requireAdmin, startPlugins } from '@waymark/core-routes';
import { camera, deviceHub } from '@waymark/device-hub';
import { createDoor, listen } from '@waymark/http';

// A hub that everybody may use, for as many readers as the system lets in. Tells its memory on SIGUSR2.
const many = 100_000;
const hub = deviceHub([camera('door')], { maxViewersPerDevice: many, maxViewersPerPrincipal: many });
const table = createRouteTable(hub.routes).freeze();
const controlRule = requireAdmin();
const dispatcher = createDispatcher(table, { guards: hub.guards ?? [], controlRule });
const shutdown = new AbortController();
const plugins = await startPlugins([hub], createHost({ table, dispatcher, signal: shutdown.signal }));
const scopes = ['devices:ingest', 'devices:read', 'svc:admin'];
const door = createDoor({
  ...{ dispatcher, controlRule, newId: createIds(), maxSocketsPerCaller: many },
  authenticate: () => ({ ok: true, principal: { id: 'ann', rootId: 'ann', authenticated: true, scopes } }),
});
const server = await listen(door, { host: '127.0.0.1', port: 0, shutdownTimeoutMs: 25_000 });

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  console.log(`sockets ${door.sockets} heap ${process.memoryUsage().heapUsed}`);
});
async function stop(): Promise<void> {
  shutdown.abort();
  await server.close();
  await plugins.stop();
}
process.once('SIGTERM', () => void stop());
console.log(`port ${server.port}`);
