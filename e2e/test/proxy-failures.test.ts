import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { verifies } from '@waymark/contract/testing';
import { createProxies, proxy, upstream } from '@waymark/pages';
import { describe, expect, it } from 'vitest';
import { failures } from './proxy-failures.ts';
import { httpUpstream, rawUpstream, sayingUpstream, serveProxies } from './proxy-upstreams.ts';
import { exchange, rawClient, rawRequest } from './raw-client.ts';
import { application, serve } from './served.ts';

const get = rawRequest('GET', '/a', ['Connection: close']);
const proxies = [proxy('GET', '/a', 'desk'), proxy('POST', '/a', 'desk')];

describe('an upstream that fails', () => {
  it.each(failures)(
    'with $name is $outcome, and its connection is free',
    async ({ upstream: start, outcome, timeoutMs }) => {
      verifies('proxy.502', 'proxy.504', 'proxy.cut', 'proxy.sockets');
      verifies('http.status.502', 'http.problem.nothing-leaks');
      const up = await start();
      const { port } = await serveProxies(up.url, proxies, { timeoutMs });
      const client = await rawClient(port);
      let received = '';
      client.socket.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
      });
      client.send(get);
      await once(client.socket, 'close');
      if (outcome === 'cut') {
        expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
        expect(received).toContain('half');
        // Neither the last chunk nor the whole length: nobody can take the part for the whole.
        expect(received).not.toContain('0\r\n\r\n');
      } else {
        const [, text = ''] = received.split('\r\n\r\n');
        const detail =
          outcome === 504
            ? `upstream "desk" took longer than ${timeoutMs} ms`
            : expect.stringContaining('upstream "desk"');
        expect(JSON.parse(text)).toMatchObject({ status: outcome, detail });
        expect(received).not.toMatch(/127\.0\.0\.1|secret-words|ECONN|undici/);
      }
      await up.quiet?.();
    },
  );

  it('is given its time to the headers, and no less', async () => {
    verifies('proxy.504', 'limit.upstream');
    const late = await httpUpstream((_req, res) => void setTimeout(() => res.end('late'), 150));
    const app = application();
    app.add(
      createProxies([
        upstream('short', late.url, { timeoutMs: 50 }),
        upstream('long', late.url, { timeoutMs: 5000 }),
        proxy('GET', '/short', 'short'),
        proxy('GET', '/long', 'long'),
        proxy('GET', '/own', 'long', { timeoutMs: 50 }),
      ]),
    );
    const { url } = await serve(app);
    const timed = async (path: string) => {
      const startedMs = performance.now();
      const { status } = await fetch(url + path);
      return { status, ms: performance.now() - startedMs };
    };
    const short = await timed('/short');
    expect(short.status).toBe(504);
    expect(short.ms).toBeGreaterThan(45);
    expect((await timed('/long')).status).toBe(200);
    expect((await timed('/own')).status).toBe(504);
  });

  it('of another address than it may have is 502, and nobody reads which', async () => {
    const { port } = await serveProxies('http://169.254.169.254/latest', proxies);
    const [answer] = await exchange(port, get);
    expect(answer).toMatchObject({ status: 502 });
    expect(answer?.body).not.toContain('169.254');
  });

  it('goes on to serve the next request', async () => {
    let asked = 0;
    const { url } = await httpUpstream((req, res) => {
      if (asked++ % 2 === 0) req.socket.destroy();
      else res.end('ok');
    });
    const { port } = await serveProxies(url, proxies);
    const post = rawRequest('POST', '/a', ['Connection: close', 'Content-Length: 0']);
    for (const status of [502, 200, 502, 200]) expect((await exchange(port, post))[0]?.status).toBe(status);
    // What changes nothing is asked for once more.
    for (const status of [200, 200]) expect((await exchange(port, get))[0]?.status).toBe(status);
    expect(asked).toBe(8);
  });

  it('does not matter where its answer came before it had read everything', async () => {
    const { url } = await sayingUpstream('HTTP/1.1 413 No\r\nContent-Length: 3\r\n\r\nno!');
    const { port } = await serveProxies(url, proxies);
    const client = await rawClient(port);
    client.send(rawRequest('POST', '/a', ['Content-Length: 9000000']));
    client.send('x'.repeat(100_000));
    expect((await client.until(1))[0]).toMatchObject({
      status: 413,
      body: 'no!',
      headers: { connection: 'close' },
    });
    client.socket.destroy();
  });
});

/** Resolves with the first connection, once something was said on it. */
async function firstConnection() {
  let found = (_socket: Socket): void => {};
  const connection = new Promise<Socket>((resolve) => {
    found = resolve;
  });
  const up = await rawUpstream((socket) => void socket.once('data', () => found(socket)));
  return { ...up, connection };
}

describe('a caller who leaves', () => {
  it('before the headers ends the request to the upstream', async () => {
    verifies('http.timeout.upstreams', 'proxy.caller-gone');
    const { url, connection, quiet } = await firstConnection();
    const { port } = await serveProxies(url, proxies);
    const client = connect(port, '127.0.0.1');
    client.write(get);
    await connection;
    client.destroy();
    await quiet();
  });

  it('in the middle of a stream ends it', async () => {
    verifies('http.timeout.upstreams');
    const { url, quiet } = await httpUpstream((_req, res) => void res.write('first'));
    const { port } = await serveProxies(url, proxies);
    const client = connect(port, '127.0.0.1');
    client.write(get);
    await once(client, 'data');
    client.destroy();
    await quiet();
  });

  it('in the middle of a body cuts the body, too', async () => {
    verifies('proxy.caller-gone');
    const { url, connection, quiet } = await firstConnection();
    const { port } = await serveProxies(url, proxies);
    const client = connect(port, '127.0.0.1');
    client.write(rawRequest('POST', '/a', ['Content-Length: 200000']));
    client.write('x'.repeat(1000));
    let received = '';
    (await connection).on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    client.destroy();
    await quiet();
    expect(received.length).toBeLessThan(200_000);
  });
});
