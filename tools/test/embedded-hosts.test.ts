import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineRoute, Type, toRoute } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { type Embedded, embed } from '@waymark/embed';
import express from 'express';
import Fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';

const echo = defineRoute('POST', '/echo', { input: { name: Type.String() } }, ({ name }) => `ours: ${name}`);
const upload = defineRoute(
  'PUT',
  '/upload',
  { body: 'bytes', maxBodyBytes: 20_000_000 },
  (_input, { body }) => body.length,
);
const feed = toRoute(
  'GET',
  '/feed',
  { kind: 'handler', accept: (peer) => peer.send('ours') },
  { socket: true },
);

async function embedded(mountPath: string): Promise<Embedded> {
  const waymark = await embed({ routes: [echo, upload, feed], mountPath, log: () => {} });
  onTestFinished(() => waymark.close());
  return waymark;
}

async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function post(url: string, body: object): Promise<readonly [number, unknown]> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  return [answer.status, answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text];
}

/** What a socket says first. */
async function heard(url: string): Promise<unknown> {
  const socket = new WebSocket(url.replace('http', 'ws'));
  onTestFinished(() => socket.close());
  const [{ data }] = (await once(socket, 'message')) as [MessageEvent];
  return data;
}

/** A large body for which its sender asks first. */
async function sendLarge(url: string): Promise<number | undefined> {
  const sent = request(url, {
    method: 'PUT',
    headers: { expect: '100-continue', 'content-length': 10_000_000 },
  });
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.end(Buffer.alloc(10_000_000));
  const [answer] = (await once(sent, 'response')) as [{ statusCode?: number; resume(): void }];
  answer.resume();
  return answer.statusCode;
}

describe('an application of express', () => {
  it('may have two tables, in routers of its own, behind its parser, and keeps what stands in front', async () => {
    verifies('embed.two', 'embed.parsed');
    const [one, two] = [await embedded('/v1/one'), await embedded('/two')];
    const app = express();
    app.use(express.json());
    app.post('/two/echo', (req, res) => void res.send(`theirs: ${JSON.stringify(req.body)}`));
    const router = express.Router();
    router.use('/one', one.middleware);
    app.use('/v1', router);
    app.use('/two', two.middleware);
    app.use((req, res) => void res.send(`theirs: ${req.originalUrl}`));
    const url = await listening(two.attach(one.attach(createServer(app))));
    expect(await post(`${url}/v1/one/echo`, { name: 'bo' })).toEqual([200, 'ours: bo']);
    expect(await post(`${url}/two/echo`, { name: 'bo' })).toEqual([200, 'theirs: {"name":"bo"}']);
    // A path of ours is ours for every method.
    expect((await fetch(`${url}/two/echo`)).status).toBe(405);
    expect(await (await fetch(`${url}/two/other`)).text()).toBe('theirs: /two/other');
    expect([await heard(`${url}/v1/one/feed`), await heard(`${url}/two/feed`)]).toEqual(['ours', 'ours']);
    expect(await sendLarge(`${url}/v1/one/upload`)).toBe(200);
    expect(await sendLarge(`${url}/two/upload`)).toBe(200);
  });
});

describe('an application of Fastify', () => {
  it('keeps its parsers and limits for itself, on each address that it listens at, and closes in time', async () => {
    verifies('embed.programs');
    const waymark = await embedded('/api');
    const app = Fastify({
      bodyLimit: 100,
      serverFactory: (handler) => waymark.attach(createServer(waymark.listener(handler))),
    });
    app.addHook('preClose', waymark.close);
    onTestFinished(() => app.close());
    app.post('/echo', (req) => ({ theirs: req.body }));
    app.post('/api/echo', () => 'never reached');
    // All that `localhost` stands for: one server of Fastify's for each.
    await app.listen({ port: 0 });
    for (const { address, family, port } of app.addresses() as AddressInfo[]) {
      const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
      expect(await post(`${url}/echo`, { name: 'bo' })).toEqual([200, { theirs: { name: 'bo' } }]);
      expect((await post(`${url}/echo`, { name: 'b'.repeat(100) }))[0]).toBe(413);
      expect(await post(`${url}/api/echo`, { name: 'b'.repeat(100) })).toEqual([
        200,
        `ours: ${'b'.repeat(100)}`,
      ]);
      expect((await post(`${url}/api/other`, {}))[0]).toBe(404);
      expect(await heard(`${url}/api/feed`)).toBe('ours');
      expect(await sendLarge(`${url}/api/upload`)).toBe(200);
    }
    const startedMs = performance.now();
    await app.close();
    // It waits 25 s for what hangs, and Fastify for ever.
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    expect(app.server.listening).toBe(false);
  });
});
