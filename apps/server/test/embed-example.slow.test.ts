import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { knock } from './knock.ts';
import { run } from './running.ts';
import { ask } from './serve.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

it('the page about embedding shows the program of embed-example.ts', () => {
  const [, program] = /```ts\n([\s\S]*?)```/.exec(read('../../../docs/embedding.md')) ?? [];
  expect(program).toBe(read('embed-example.ts'));
});

it('the program of the page about embedding serves what it says, and stops when told to', async () => {
  const program = run(['apps/server/test/embed-example.ts'], { env: { PORT: '0' } });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  const [, port = ''] = await program.saying(/listening on port (\d+)/);
  const url = `http://127.0.0.1:${port}`;
  const signedIn = { headers: { cookie: 'session=ann' } };
  const greeted = await ask(`${url}/api/greetings`, { ...signedIn, body: { name: 'bo' } });
  expect([greeted.status, greeted.body]).toEqual([200, 'hello bo, says ann']);
  expect((await ask(`${url}/api/greetings`, { body: { name: 'bo' } })).status).toBe(401);
  const call = { method: 'tools/call', params: { name: 'create_greetings', arguments: { name: 'cy' } } };
  const called = await ask(`${url}/api/_svc/mcp`, { ...signedIn, body: { jsonrpc: '2.0', id: 1, ...call } });
  expect(called.body).toMatchObject({ result: { content: [{ text: 'hello cy, says ann' }] } });
  expect((await ask(`${url}/greetings`)).body).toBe('a page of the application');
  expect((await knock(`${url}/api/nothing`)).text).toBe('a page of the application');
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/news`);
  const [message] = (await once(socket, 'message')) as [MessageEvent];
  expect(message.data).toBe('nothing happened');
  const closed = once(socket, 'close');
  program.child.kill('SIGTERM');
  expect(((await closed) as [CloseEvent])[0].code).toBe(1001);
  expect(await program.ended()).toBe(0);
});
