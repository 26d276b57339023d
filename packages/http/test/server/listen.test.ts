import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { Server, Socket } from 'node:net';
import { jsonResponse, RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { listen } from '../../src/index.ts';
import { deferred } from '../deferred.ts';
import { openDoor } from '../open-door.ts';
import { rawClient, rawExchange } from '../raw-client.ts';

const page = { method: 'GET', path: '/page' } as const;
const getPage = 'GET /page HTTP/1.1\r\nHost: a\r\n\r\n';

/** A route that answers when the test says so. */
function slow() {
  const reached = deferred<void>();
  const go = deferred<void>();
  return {
    reached: reached.promise,
    go: go.resolve,
    route: {
      method: 'GET',
      path: '/slow',
      answer: async () => {
        reached.resolve();
        await go.promise;
        return jsonResponse('done');
      },
    } as const,
  };
}

describe('listen', () => {
  it('says where clients reach it', async () => {
    const { url, port } = await openDoor([page]);
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect((await fetch(`${url}/page`)).status).toBe(200);
  });

  it.each([
    ['0.0.0.0', 'http://127.0.0.1:'],
    ['::1', 'http://[::1]:'],
    ['::', 'http://[::1]:'],
  ])('bound to %s says %s', async (host, url) => {
    const { door } = await openDoor([page]);
    const server = await listen(door, { host, port: 0, shutdownTimeoutMs: 100 }).catch(() => undefined);
    // Not every machine that runs tests has IPv6.
    if (!server) return;
    onTestFinished(() => server.close());
    expect(server.url).toBe(`${url}${server.port}`);
    expect((await fetch(`${server.url}/page`)).status).toBe(200);
  });

  it('listens on when a connection could not be accepted', async () => {
    const { door } = await openDoor([page]);
    const listener: RequestListener = (req, res) => {
      // As node does when there is no descriptor for it.
      (req.socket as Socket & { readonly server: Server }).server.emit('error', new Error('accept EMFILE'));
      res.end('on');
    };
    const server = await listen(door, { host: '127.0.0.1', port: 0, shutdownTimeoutMs: 100, listener });
    onTestFinished(() => server.close());
    expect(await (await fetch(server.url)).text()).toBe('on');
    expect(await (await fetch(server.url)).text()).toBe('on');
  });

  it('says which address it could not have, and why', async () => {
    const { door, port } = await openDoor();
    await expect(listen(door, { host: '127.0.0.1', port, shutdownTimeoutMs: 1 })).rejects.toThrow(
      `cannot listen on 127.0.0.1 port ${port}: the port is in use`,
    );
    await expect(listen(door, { host: '192.0.2.1', port: 0, shutdownTimeoutMs: 1 })).rejects.toThrow(
      'cannot listen on 192.0.2.1 port 0: this machine does not have the address',
    );
    await expect(
      listen(door, { host: 'nowhere.invalid', port: 0, shutdownTimeoutMs: 1 }),
    ).rejects.toMatchObject({
      name: 'ListenError',
      message: 'cannot listen on nowhere.invalid port 0: no address is known for that name',
      code: expect.stringMatching(/^(?:ENOTFOUND|EAI_AGAIN)$/) as string,
      host: 'nowhere.invalid',
      port: 0,
    });
  });
});

describe('what is not a request', () => {
  it.each([
    ['rubbish', 'RUBBISH\r\n\r\n', 400],
    ['a bare line feed', 'GET /page HTTP/1.1\nHost: a\n\n', 400],
    ['two lengths', 'POST /page HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    [
      'length and chunks',
      'POST /page HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    ['a control character in the path', 'GET /pa\x01ge HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['headers of 17 KiB', `GET /page HTTP/1.1\r\nHost: a\r\nx: ${'y'.repeat(17 * 1024)}\r\n\r\n`, 431],
  ])('%s is answered with a problem document and a closed connection', async (_name, request, status) => {
    const { port, logs } = await openDoor([page]);
    const client = await rawClient(port);
    client.send(request);
    const [head = '', body = ''] = (await client.until(/\}$/)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toContain('content-type: application/problem+json');
    expect(head).toContain('connection: close');
    const { request_id } = JSON.parse(body) as { request_id: string };
    expect(head).toContain(`x-request-id: ${request_id}`);
    expect(logs).toMatchObject([{ message: 'malformed request', fields: { request_id, status } }]);
    client.socket.end();
    await client.closed();
  });

  it('is answered and logged once, however much more of it comes', async () => {
    const { port, logs } = await openDoor([page]);
    const client = await rawClient(port);
    client.send('RUBBISH\r\n\r\n');
    await client.until(/\}$/);
    client.send('MORE RUBBISH\r\n\r\n');
    client.socket.end('AND MORE\r\n\r\n');
    expect((await client.closed()).match(/HTTP/g)).toHaveLength(1);
    expect(logs).toHaveLength(1);
  });

  it('never lets a second request through behind it', async () => {
    const { port, dispatcher } = await openDoor([page]);
    await rawExchange(
      port,
      `POST /page HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${getPage}`,
    );
    expect(dispatcher.calls).toHaveLength(0);
  });

  it('leaves the request before it its own answer, which is the last', async () => {
    const { route, reached, go } = slow();
    const { port } = await openDoor([route]);
    const client = await rawClient(port);
    client.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\nRUBBISH\r\n\r\n');
    await reached;
    client.send('MORE RUBBISH\r\n\r\n');
    go();
    const raw = await client.closed();
    expect(raw).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close\r\n[\s\S]*"done"$/);
    expect(raw.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('does not disturb an answer that has begun', async () => {
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('part')),
    });
    const { port } = await openDoor([
      { ...page, answer: () => new RouteResponse(200, { kind: 'stream', stream, mediaType: 'text/plain' }) },
    ]);
    const client = await rawClient(port);
    client.send(getPage);
    await client.until(/part/);
    client.send('RUBBISH\r\n\r\n');
    expect(await client.closed()).not.toContain('400');
  });

  it('that never ends is answered 408', async () => {
    const { port } = await openDoor([page], { requestTimeoutMs: 1 });
    const client = await rawClient(port);
    client.send('GET /page HTTP/1.1\r\n');
    expect(await client.until(/\}$/)).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe('close', () => {
  it('lets requests under way finish, and ends when they have', async () => {
    verifies('http.shutdown.in-flight');
    const { route, reached, go } = slow();
    const { url, close } = await openDoor([route]);
    const answer = fetch(`${url}/slow`);
    await reached;
    const closed = close();
    go();
    const response = await answer;
    expect(response.status).toBe(200);
    expect(response.headers.get('connection')).toBe('close');
    expect(await response.json()).toBe('done');
    await closed;
    await expect(fetch(`${url}/slow`)).rejects.toThrow();
  });

  it('meanwhile refuses new requests, on old connections and new ones, but not health', async () => {
    verifies('http.shutdown.new-requests');
    const { route, reached, go } = slow();
    const { url, port, close } = await openDoor([route, { method: 'GET', path: '/_svc/health' }], {
      controlRule: () => undefined,
    });
    const old = await rawClient(port);
    old.send('GET /_svc/health HTTP/1.1\r\nHost: a\r\n\r\n');
    await old.until(/"ok"/);
    const answer = fetch(`${url}/slow`);
    await reached;
    const closed = close();
    old.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    const raw = await old.closed();
    expect(raw).toMatch(
      /HTTP\/1\.1 503 [\s\S]*connection: close[\s\S]*"detail":"the server is shutting down"/,
    );
    expect((await fetch(`${url}/nothing`)).status).toBe(503);
    const health = await fetch(`${url}/_svc/health`);
    expect(health.status).toBe(200);
    expect(health.headers.get('connection')).toBe('close');
    go();
    expect((await answer).status).toBe(200);
    await closed;
  });

  it('sends a large answer to its end, although the client takes its time', async () => {
    const text = JSON.stringify('x'.repeat(16 * 1_048_576));
    const { port, close } = await openDoor([
      { ...page, answer: () => new RouteResponse(200, { kind: 'json', text }) },
    ]);
    const client = await rawClient(port);
    client.send(getPage);
    await client.until(/\r\n\r\n/);
    client.socket.pause();
    const closed = close();
    client.socket.resume();
    const raw = await client.closed();
    expect(raw.length - raw.indexOf('\r\n\r\n') - 4).toBe(text.length);
    await closed;
  });

  it('closes sockets with 1001', async () => {
    const { port, close } = await openDoor([{ method: 'GET', path: '/s', accept: () => {} }]);
    const ws = new WebSocket(`ws://127.0.0.1:${port}/s`);
    await once(ws, 'open');
    const [[code]] = (await Promise.all([once(ws, 'close'), close()])) as [[number], unknown];
    expect(code).toBe(1001);
  });

  it('resolves within the shutdown timeout whatever hangs, and calling it twice is harmless', async () => {
    const { route, reached } = slow();
    const { port, close, door } = await openDoor([route, { method: 'GET', path: '/s', accept: () => {} }], {
      shutdownTimeoutMs: 50,
    });
    const stuck = await rawClient(port);
    stuck.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    const socket = await rawClient(port);
    socket.send(
      'GET /s HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await Promise.all([reached, socket.until(/101/)]);
    const startedMs = performance.now();
    await Promise.all([close(), close()]);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    await Promise.all([stuck.closed(), socket.closed()]);
    expect(door.sockets).toBe(0);
  });
});
