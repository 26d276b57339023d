// A camera and a sensor on a server of node:http that has pages of its own.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRouteTable, DeclarationError, HTTPError } from '@waymark/contract';
import type { Authenticate } from '@waymark/contract/principal';
import { createDispatcher, createHost, createIds, startPlugins } from '@waymark/core-routes';
import { camera, deviceHub, sensor } from '@waymark/device-hub';
import { createDoor } from '@waymark/http';

// Who comes: a device that sends, and somebody who looks.
const callers = new Map([
  ['door-key', { id: 'door-camera', scopes: ['devices:ingest'] }],
  ['viewer-key', { id: 'viewer', scopes: ['devices:read'] }],
]);
const authenticate: Authenticate = ({ headers, accessToken }) => {
  const caller = callers.get(headers['x-api-key'] ?? accessToken ?? '');
  if (!caller) return { ok: false, error: new HTTPError(401, 'who are you?') };
  return { ok: true, principal: { ...caller, rootId: caller.id, authenticated: true } };
};

// The devices, as routes.
const hub = deviceHub([camera('door', { maxFps: 15 }), sensor('greenhouse')]);
const table = createRouteTable(hub.routes).freeze();
const problems = hub.check?.({ table, env: (name) => process.env[name] }) ?? [];
if (problems.length > 0) throw new DeclarationError(problems);

const draining = new AbortController();
const dispatcher = createDispatcher(table, { guards: hub.guards ?? [] });
const plugins = await startPlugins([hub], createHost({ table, dispatcher, signal: draining.signal }));

// The door: paths that the table does not know are the server's own.
const door = createDoor({ dispatcher, authenticate, newId: createIds() });
const server = createServer(door.listener((req, res) => res.end(`a page of the server: ${req.url}`)));
server.on('upgrade', (req, socket, head) => door.upgrade(req, socket, head));
server.listen(Number(process.env['PORT'] ?? 8000), '127.0.0.1', () => {
  console.log(`listening on port ${(server.address() as AddressInfo).port}`);
});

process.once('SIGTERM', () => {
  draining.abort();
  door.drain();
  server.close();
  void Promise.all([door.whenIdle(), door.closeSockets()])
    .then(() => plugins.stop())
    .then(() => server.closeAllConnections());
});
