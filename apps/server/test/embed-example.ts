import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRouteTable, defineRoute, Type, toRoute } from '@waymark/contract';
import { anonymous, type Principal } from '@waymark/contract/principal';
import { createDispatcher, createIds, requireAdmin } from '@waymark/core-routes';
import { createDoor, createLog } from '@waymark/http';
import { mcpRoute } from '@waymark/mcp';
import express from 'express';

// An application as it stands: a body parser, a sign-in of its own, and pages.
const sessions = new Map([['session=ann', { name: 'ann', roles: ['svc:admin', 'greet'] }]]);
const userOf = (req: IncomingMessage) => sessions.get(req.headers.cookie ?? '');
const app = express();
app.use(express.json());

// The routes.
const greet = defineRoute(
  'POST',
  '/greetings',
  { summary: 'Greet somebody.', input: { name: Type.String() }, scopes: ['greet'], tool: true },
  ({ name }, { user }) => `hello ${name}, says ${user.id}`,
);
const news = toRoute(
  'GET',
  '/news',
  { kind: 'handler', accept: (peer) => peer.send('nothing happened') },
  { socket: true },
);
const mcp = mcpRoute({ info: { name: 'greetings', version: '1.0.0' } });
const table = createRouteTable([greet, news, mcp]).freeze();

// The door: who comes, who may reach the control plane, and where all of it is mounted.
const log = createLog({ level: 'warn' });
const controlRule = requireAdmin();
const door = createDoor({
  dispatcher: createDispatcher(table, { controlRule, log }),
  controlRule,
  principalOf(req): Principal | undefined {
    const user = userOf(req);
    return user && { id: user.name, rootId: user.name, authenticated: true, scopes: user.roles };
  },
  // Whoever has not signed in there.
  authenticate: () => ({ ok: true, principal: anonymous() }),
  mountPath: '/api',
  newId: createIds(),
  log,
});

app.use('/api', door.middleware);
app.use((_req, res) => void res.status(404).send('a page of the application'));

const server = createServer(app);
server.on('upgrade', (req, socket, head) => door.upgrade(req, socket, head, () => socket.destroy()));
server.listen(Number(process.env['PORT'] ?? 8000), '127.0.0.1', () => {
  console.log(`listening on port ${(server.address() as AddressInfo).port}`);
});

process.once('SIGTERM', () => {
  door.drain();
  server.close();
  void Promise.all([door.whenIdle(), door.closeSockets()]).then(() => server.closeAllConnections());
});
