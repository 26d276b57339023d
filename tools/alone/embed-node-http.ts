// Routes, MCP and a camera on a server of node:http that has pages of its own.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineRoute, Type } from '@waymark/contract';
import { camera, deviceHub } from '@waymark/device-hub';
import { embed } from '@waymark/embed';
import { mcpRoute } from '@waymark/mcp';

// A server as it stands: a sign-in, and pages.
const users = new Map([
  ['session=ann', { name: 'ann', roles: ['greet', 'devices:read', 'svc:admin'] }],
  ['session=door', { name: 'door-camera', roles: ['devices:ingest'] }],
]);
const userOf = (req: IncomingMessage) => users.get(req.headers.cookie ?? '');
const pages = (req: IncomingMessage) => `a page of the server: ${req.url}`;

// A route. The camera brings its own, and MCP is one.
const greet = defineRoute(
  'POST',
  '/greetings',
  { summary: 'Greet somebody.', input: { name: Type.String() }, scopes: ['greet'], tool: true },
  ({ name }, { user }) => `hello ${name}, says ${user.id}`,
);

const waymark = await embed({
  routes: [greet, mcpRoute({ info: { name: 'greetings', version: '1.0.0' } })],
  plugins: [deviceHub([camera('door')])],
  principalOf(req) {
    const user = userOf(req);
    return user && { id: user.name, rootId: user.name, authenticated: true, scopes: user.roles };
  },
  mountPath: '/api',
});

const server = createServer(waymark.listener((req, res) => res.end(pages(req))));
waymark.attach(server).listen(Number(process.env['PORT'] ?? 8000), '127.0.0.1', () => {
  console.log(`listening on port ${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => void waymark.close());
