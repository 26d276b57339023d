// Routes, MCP and a camera in somebody's express application, behind its body parser and its sign-in.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineRoute, Type } from '@waymark/contract';
import { camera, deviceHub } from '@waymark/device-hub';
import { embed } from '@waymark/embed';
import { mcpRoute } from '@waymark/mcp';
import express from 'express';

// An application as it stands: a body parser, and a sign-in of its own.
const users = new Map([
  ['session=ann', { name: 'ann', roles: ['greet', 'devices:read', 'svc:admin'] }],
  ['session=door', { name: 'door-camera', roles: ['devices:ingest'] }],
]);
const userOf = (req: IncomingMessage) => users.get(req.headers.cookie ?? '');
const app = express();
app.use(express.json());

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

app.use('/api', waymark.middleware);
app.use((req, res) => void res.send(`a page of the application: ${req.url}`));

const server = waymark.attach(createServer(app));
server.listen(Number(process.env['PORT'] ?? 8000), '127.0.0.1', () => {
  console.log(`listening on port ${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => void waymark.close());
