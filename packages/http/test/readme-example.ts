import { defineRoute } from '@waymark/contract';
import { type Dispatcher, jsonResponse, type Router } from '@waymark/contract/engine';
import { anonymous } from '@waymark/contract/principal';
import { createDoor, createLog, listen } from '@waymark/http';

const hello = defineRoute('GET', '/hello', {}, () => 'hi');
const feed = defineRoute('GET', '/feed', {}, () => undefined);

// Usually `createDispatcher(table)` of @waymark/core-routes. Anything that matches and answers will do.
const dispatcher: Dispatcher & Router = {
  match(method, path, upgrade) {
    if (path === '/hello' && method === 'GET') return { found: true, route: hello, params: {} };
    if (path === '/feed' && upgrade) return { found: true, route: feed, params: {} };
    return { found: false, status: 404, allow: [] };
  },
  dispatch: async ({ route, principal }) => jsonResponse({ route: route.name, caller: principal.id }),
  upgrade: async () => ({ ok: true, maxMessageBytes: 1024, accept: (peer) => peer.send('welcome') }),
};

const door = createDoor({
  dispatcher,
  authenticate: () => ({ ok: true, principal: anonymous() }),
  newId: () => crypto.randomUUID(),
  log: createLog({ level: 'warn' }),
});

const server = await listen(door, { host: '127.0.0.1', port: 0, shutdownTimeoutMs: 5000 });
const answer = await fetch(`${server.url}/hello`);
console.log(answer.status, await answer.text());
const missing = await fetch(`${server.url}/missing`, { headers: { 'x-request-id': 'r1' } });
console.log(missing.status, await missing.text());
const socket = new WebSocket(`${server.url.replace('http', 'ws')}/feed`);
await new Promise((resolve) => {
  socket.onmessage = ({ data }) => resolve(console.log(data));
});
await server.close();
