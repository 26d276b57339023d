// A table in somebody's express application, behind its body parser and its sign-in: routes, MCP and sockets.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createRouteTable, defineRoute, Type, toRoute } from '@waymark/contract';
import { anonymous, type Principal } from '@waymark/contract/principal';
import { createDispatcher, createIds, requireAdmin } from '@waymark/core-routes';
import { createDoor } from '@waymark/http';
import { mcpRoute } from '@waymark/mcp';
import express from 'express';

const ann: Principal = {
  id: 'ann',
  rootId: 'ann',
  authenticated: true,
  scopes: ['greet', 'svc:admin'],
};
const isAnn = ({ headers }: IncomingMessage): boolean => headers.cookie === 'session=ann';

const greet = defineRoute(
  'POST',
  '/greetings',
  { input: { name: Type.String() }, scopes: ['greet'], tool: true },
  ({ name }, { user }) => `hello ${name}, says ${user.id}`,
);
const echo = toRoute(
  'GET',
  '/echo',
  { kind: 'handler', accept: (peer) => void peer.onMessage((message) => peer.send(message)) },
  { socket: true },
);
const mcp = mcpRoute({ info: { name: 'greetings', version: '1.0.0' } });
const controlRule = requireAdmin();
const door = createDoor({
  dispatcher: createDispatcher(createRouteTable([greet, echo, mcp]).freeze(), { controlRule }),
  controlRule,
  authenticate: () => ({ ok: true, principal: anonymous() }),
  principalOf: (req) => (isAnn(req) ? ann : undefined),
  mountPath: '/api',
  newId: createIds(),
});

const app = express();
app.use(express.json());
app.use('/api', door.middleware);
app.use((req, res) => {
  res.status(404).send(`theirs: ${req.url}`);
});
const server = createServer(app);
server.on('upgrade', (req, socket, head) => door.upgrade(req, socket, head, () => socket.destroy()));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

async function post(path: string, body: object, cookie = 'session=ann'): Promise<[number, unknown]> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return [response.status, text.startsWith('theirs') ? text : (JSON.parse(text) as unknown)];
}

assert.deepEqual(await post('/api/greetings', { name: 'bo' }), [200, 'hello bo, says ann']);
assert.equal((await post('/api/greetings', { name: 7 }))[0], 422);
assert.equal((await post('/api/greetings', { name: 'bo' }, 'none'))[0], 401);
assert.deepEqual(await post('/greetings', {}), [404, 'theirs: /greetings']);
assert.deepEqual(await post('/api/unknown?a=1', {}), [404, 'theirs: /api/unknown?a=1']);

const call = { name: 'create_greetings', arguments: { name: 'cy' } };
const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
const [status, answer] = await post('/api/_svc/mcp', message);
assert.equal(status, 200);
const { result } = answer as { result: { content: unknown } };
assert.deepEqual(result.content, [{ type: 'text', text: 'hello cy, says ann' }]);
assert.equal((await post('/api/_svc/mcp', message, 'none'))[0], 401);

// A WebSocket by hand, since not every Node has one: a masked text frame there, the same text unmasked back.
const upgrade = request({
  ...{ port, host: '127.0.0.1', path: '/api/echo' },
  headers: {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  },
}).end();
const [opened, socket] = (await once(upgrade, 'upgrade')) as [IncomingMessage, Socket];
assert.equal(opened.statusCode, 101);
socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, ...Buffer.from('hi')]));
const [frame] = (await once(socket, 'data')) as [Buffer];
assert.deepEqual([...frame], [0x81, 2, ...Buffer.from('hi')]);

door.drain();
server.close();
await Promise.all([door.whenIdle(), door.closeSockets()]);
server.closeAllConnections();
