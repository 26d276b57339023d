// A camera in somebody's express application, behind its sign-in: people look, and the camera has a key.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRouteTable, DeclarationError, HTTPError } from '@waymark/contract';
import type { Authenticate } from '@waymark/contract/principal';
import { createDispatcher, createHost, createIds, startPlugins } from '@waymark/core-routes';
import { camera, deviceHub } from '@waymark/device-hub';
import { createDoor } from '@waymark/http';
import express from 'express';

// An application as it stands: a body parser, a sign-in of its own, and pages.
const sessions = new Map([['session=ann', 'ann']]);
const userOf = (req: IncomingMessage) => sessions.get(req.headers.cookie ?? '');
const app = express();
app.use(express.json());

// The devices, as routes.
const hub = deviceHub([camera('door')]);
const table = createRouteTable(hub.routes).freeze();
const problems = hub.check?.({ table, env: (name) => process.env[name] }) ?? [];
if (problems.length > 0) throw new DeclarationError(problems);

const draining = new AbortController();
const dispatcher = createDispatcher(table, { guards: hub.guards ?? [] });
const plugins = await startPlugins([hub], createHost({ table, dispatcher, signal: draining.signal }));

// Who comes: whoever has signed in may look, and the camera may send.
const principal = (id: string, scope: string) => ({ id, rootId: id, authenticated: true, scopes: [scope] });
const authenticate: Authenticate = ({ headers, accessToken }) =>
  (headers['x-api-key'] ?? accessToken) === 'door-key'
    ? { ok: true, principal: principal('door-camera', 'devices:ingest') }
    : { ok: false, error: new HTTPError(401, 'who are you?') };
const door = createDoor({
  dispatcher,
  authenticate,
  principalOf(req) {
    const user = userOf(req);
    return user === undefined ? undefined : principal(user, 'devices:read');
  },
  mountPath: '/yard',
  newId: createIds(),
});

app.use('/yard', door.middleware);
app.use((req, res) => void res.send(`a page of the application: ${req.url}`));

const server = createServer(app);
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
