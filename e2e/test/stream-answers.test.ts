/** Streams and web responses that handlers answer with, as they are found in real programs. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { verifies } from '@waymark/contract/testing';
import { type Application, createApplication } from '@waymark/server';
import { expect, it, onTestFinished } from 'vitest';

async function serve(declare: (app: Application) => void) {
  const app = createApplication('streams', { port: 0, requestTimeout: 30, env: { LOG_LEVEL: 'silent' } });
  declare(app);
  const running = await app.listen();
  onTestFinished(() => void running.close());
  return running.url;
}

async function upstream(): Promise<string> {
  const server = createServer((_req, res) => {
    res.setHeader('content-type', 'application/json');
    res.setHeader('content-encoding', 'gzip');
    res.end(gzipSync('{"hello":1}'));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('what `fetch` has unpacked is not called packed', async () => {
  const from = await upstream();
  const url = await serve((app) => app.get('/it', () => fetch(from)));
  const response = await fetch(`${url}/it`);
  expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null]);
  expect(await response.json()).toEqual({ hello: 1 });
});

it('what a handler has packed itself is called so', async () => {
  const url = await serve((app) =>
    app.get('/it', () => new Response(gzipSync('packed'), { headers: { 'content-encoding': 'gzip' } })),
  );
  expect(await (await fetch(`${url}/it`)).text()).toBe('packed');
});

it('cookies of a web response stay as many as they are, with middleware in front, too', async () => {
  const twoCookies = (): Response => {
    const headers = new Headers();
    headers.append('set-cookie', 'a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT');
    headers.append('set-cookie', 'b=2');
    return new Response('welcome', { headers });
  };
  for (const declare of [
    (app: Application) => app.get('/it', twoCookies),
    (app: Application) => app.use((_req, _res, next) => next()).get('/it', twoCookies),
  ]) {
    const response = await fetch(`${await serve(declare)}/it`);
    expect(response.headers.getSetCookie()).toEqual(['a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT', 'b=2']);
  }
});

it('a stream that somebody else reads is an error, and holds nobody up', async () => {
  const from = await upstream();
  const url = await serve((app) =>
    app
      .get('/read', async () => {
        const response = await fetch(from);
        await response.text();
        return response;
      })
      .get('/taken', () => {
        const stream = new ReadableStream<Uint8Array>();
        stream.getReader();
        return stream;
      }),
  );
  for (const path of ['/read', '/taken']) {
    const response = await fetch(url + path);
    expect([response.status, await response.json()]).toMatchObject([500, { detail: 'internal error' }]);
  }
});

it('a stream may pause as long as its route may take, over every door', async () => {
  const stuck = () => new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(Buffer.from('one\n')) });
  const url = await serve((app) =>
    app
      .get('/stuck', { tool: true, toolName: 'stuck', timeoutMs: 250 }, stuck)
      .behaviour('reader', { tools: ['stuck'], scopes: [], public: true }, (ctx) =>
        ctx.call('stuck').catch(String),
      ),
  );
  const failure = 'the answer paused for more than 0.25 seconds';
  const post = async (path: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).text();
  };
  const began = performance.now();
  const params = { name: 'stuck', arguments: {} };
  expect(await post('/_svc/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).toContain(failure);
  expect(await post('/behaviours/reader', {})).toContain(failure);
  await expect(fetch(`${url}/stuck`).then((answer) => answer.text())).rejects.toThrow();
  expect(performance.now() - began).toBeLessThan(10_000);
});

it('a stream of text is the same over every door', async () => {
  verifies('door.equal-status');
  const lines = () => Readable.toWeb(Readable.from(['one\n', 'zwölf\n'])) as ReadableStream<Uint8Array>;
  const url = await serve((app) =>
    app
      .get('/lines', { tool: true, toolName: 'lines', output: undefined }, () => lines())
      .behaviour('reader', { tools: ['lines'], scopes: [], public: true }, (ctx) => ctx.call('lines')),
  );
  expect(await (await fetch(`${url}/lines`)).text()).toBe('one\nzwölf\n');
  const called = await fetch(`${url}/_svc/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'lines', arguments: {} },
    }),
  });
  const { result } = (await called.json()) as { result: { isError: boolean; content: readonly object[] } };
  expect(result.isError).toBe(false);
  const inside = await fetch(`${url}/behaviours/reader`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(inside.status).toBe(200);
});
