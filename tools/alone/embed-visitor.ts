// Starts a program that has embedded a route, MCP and the camera `door` below `/api`, beside pages of its own; uses all of
// it, and stops the program: `embed-visitor.ts <what its pages say> <node> [flags] <program>`.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { visitCamera } from './visit-camera.ts';
import { visit } from './visited.ts';

const [page = '', ...program] = process.argv.slice(2);
const ann = { cookie: 'session=ann' };
const door = { cookie: 'session=door' };

await visit(program, async ({ port, stop }) => {
  const url = `http://127.0.0.1:${port}`;
  const post = async (path: string, body: object, headers = {}): Promise<[number, unknown]> => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const said = await answer.text();
    return [answer.status, answer.headers.get('content-type')?.includes('json') ? JSON.parse(said) : said];
  };

  // The pages of the application, below the mount path, too: no header of ours is on them.
  for (const path of ['/hello', '/api/unknown']) {
    const answer = await fetch(url + path);
    assert.match(await answer.text(), new RegExp(page));
    assert.deepEqual(
      [answer.headers.get('x-request-id'), answer.headers.get('x-frame-options')],
      [null, null],
    );
  }

  // The route, for who may call it, and its faults.
  assert.deepEqual(await post('/api/greetings', { name: 'bo' }, ann), [200, 'hello bo, says ann']);
  assert.equal((await post('/api/greetings', { name: 7 }, ann))[0], 422);
  assert.equal((await post('/api/greetings', { name: 'bo' }))[0], 401);
  assert.equal((await post('/api/greetings', { name: 'bo' }, door))[0], 403);

  const params = { name: 'create_greetings', arguments: { name: 'cy' } };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const [status, said] = await post('/api/_svc/mcp', call, ann);
  const { result } = said as { result: { content: unknown } };
  assert.deepEqual([status, result.content], [200, [{ type: 'text', text: 'hello cy, says ann' }]]);
  assert.deepEqual((await post('/api/_svc/mcp', call))[0], 401);
  assert.deepEqual((await post('/api/_svc/mcp', call, door))[0], 403);

  const stream = await visitCamera(`${url}/api/devices/door`, { camera: door, viewer: ann });

  // Connections that are kept, of a page and of a route, and one that says nothing: they do not hold the process.
  const agent = new Agent({ keepAlive: true });
  for (const path of ['/hello', '/api/devices/door/latest']) {
    const [answer] = (await once(get(url + path, { agent, headers: ann }), 'response')) as [IncomingMessage];
    await text(answer);
  }
  const closed = once(stream, 'close') as Promise<[CloseEvent]>;
  const { code, tookMs } = await stop();
  assert.equal((await closed)[0].code, 1001);
  assert.equal(code, 0);
  // What hangs is cut after 25 s.
  assert.ok(tookMs < 20_000, `it took ${tookMs} ms to stop`);
  agent.destroy();
});
