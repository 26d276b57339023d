import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineRoute, Type } from '@waymark/contract';
import { embed } from '@waymark/embed';

const users = new Map([['session=ann', 'ann']]);
const greet = defineRoute(
  'POST',
  '/greetings',
  { input: { name: Type.String() }, scopes: ['greet'] },
  ({ name }, { user }) => `hello ${name}, says ${user.id}`,
);

const waymark = await embed({
  routes: [greet],
  principalOf({ headers }) {
    const id = users.get(headers.cookie ?? '');
    return id === undefined ? undefined : { id, rootId: id, authenticated: true, scopes: ['greet'] };
  },
  mountPath: '/api',
});

const server = createServer(waymark.listener((_req, res) => res.end('a page of mine')));
waymark.attach(server).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));

const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const headers = { cookie: 'session=ann', 'content-type': 'application/json' };
const answer = await fetch(`${url}/api/greetings`, { method: 'POST', headers, body: '{"name":"bo"}' });
console.log(answer.status, await answer.text());
console.log(await (await fetch(`${url}/api/other`)).text());
await waymark.close();
