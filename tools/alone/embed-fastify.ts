// Routes, MCP and a camera on the server of a Fastify application, in front of its own routes and body parser.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineRoute, Type } from '@waymark/contract';
import { camera, deviceHub } from '@waymark/device-hub';
import { embed } from '@waymark/embed';
import { mcpRoute } from '@waymark/mcp';
import Fastify from 'fastify';

// A sign-in as it stands.
const users = new Map([
  ['session=ann', { name: 'ann', roles: ['greet', 'devices:read', 'svc:admin'] }],
  ['session=door', { name: 'door-camera', roles: ['devices:ingest'] }],
]);
const userOf = (req: IncomingMessage) => users.get(req.headers.cookie ?? '');

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

const app = Fastify({ serverFactory: (handler) => waymark.attach(createServer(waymark.listener(handler))) });
app.addHook('preClose', waymark.close);
app.get('/*', (req) => `a page of the application: ${req.url}`);

await app.listen({ port: Number(process.env['PORT'] ?? 8000), host: '127.0.0.1' });
console.log(`listening on port ${(app.server.address() as AddressInfo).port}`);
process.once('SIGTERM', () => void app.close());
