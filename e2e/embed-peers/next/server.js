// Routes, MCP and a camera on the custom server of an application of Next.
import { createServer } from 'node:http';
import { defineRoute, Type } from '@waymark/contract';
import { camera, deviceHub } from '@waymark/device-hub';
import { embed } from '@waymark/embed';
import { mcpRoute } from '@waymark/mcp';
import next from 'next';

// An application as it stands: its pages, and a sign-in of its own.
const users = new Map([
  ['session=ann', { name: 'ann', roles: ['greet', 'devices:read', 'svc:admin'] }],
  ['session=door', { name: 'door-camera', roles: ['devices:ingest'] }],
]);
const userOf = (req) => users.get(req.headers.cookie ?? '');
const app = next({ dev: process.env.NODE_ENV !== 'production', dir: import.meta.dirname });
await app.prepare();

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

const server = createServer(waymark.listener(app.getRequestHandler()));
waymark.attach(server).listen(Number(process.env.PORT ?? 8000), '127.0.0.1', () => {
  console.log(`listening on port ${server.address().port}`);
});
process.once('SIGTERM', () => {
  // In development Next goes on watching its files.
  void waymark
    .close()
    .then(() => app.close())
    .finally(() => process.exit());
});
