import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type LookupFunction } from 'node:net';
import { inspect } from 'node:util';
import type { OutboundRequest } from '@waymark/contract/http';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOutbound, type OutboundOptions } from '../../src/index.ts';
import { deferred } from '../deferred.ts';

async function upstream(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function client(options?: OutboundOptions) {
  const outbound = createOutbound(options);
  onTestFinished(() => outbound.close());
  return (url: string, more: Partial<OutboundRequest> = {}) =>
    outbound.request({
      method: 'GET',
      url,
      timeoutMs: 5000,
      maxBytes: 1000,
      allow: 'declared',
      signal: new AbortController().signal,
      ...more,
    });
}

async function textOf(body: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(body).text();
}

describe('createOutbound', () => {
  it('asks nobody once it is closed, also where it had asked nobody before', async () => {
    let asked = 0;
    const url = await upstream((_, res) => {
      asked++;
      res.end();
    });
    for (const before of [0, 1]) {
      const outbound = createOutbound();
      const rest = { method: 'GET', timeoutMs: 5000, maxBytes: 1000, allow: 'declared' } as const;
      const request = { ...rest, url, signal: new AbortController().signal };
      for (let i = 0; i < before; i++) await outbound.request(request);
      await outbound.close();
      await outbound.close();
      await expect(outbound.request(request)).rejects.toThrow('did not answer');
      expect(asked).toBe(before);
    }
  });

  it('sends method, headers and body, and gives status, headers and body back', async () => {
    const url = await upstream((req, res) => {
      res.setHeader('set-cookie', ['a=1', 'b=2']);
      res.writeHead(201, { 'x-was': `${req.method} ${req.url} ${String(req.headers['x-a'])}` });
      req.pipe(res);
    });
    const request = client();
    const body = Buffer.from('hello');
    const response = await request(`${url}/p?q=1`, { method: 'POST', headers: { 'x-a': 'b' }, body });
    expect(response.status).toBe(201);
    expect(response.headers).toMatchObject({ 'x-was': 'POST /p?q=1 b', 'set-cookie': 'a=1, b=2' });
    expect(await textOf(response.body)).toBe('hello');
    const streamed = await request(url, { method: 'PUT', body: new Blob(['in ', 'parts']).stream() });
    expect(await textOf(streamed.body)).toBe('in parts');
  });

  it.each([
    ['one', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['several', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100\r\nx-a: b\r\n\r\n'],
    ['one among other news', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 Go on\r\n\r\n'],
    ['none', ''],
  ])('passes over a `100 Continue` that it did not ask for: %s', async (_, news) => {
    // Told apart from an answer although it comes a byte at a time, and only where an answer begins.
    const body = 'HTTP/1.1 100 Continue\r\n\r\nbody';
    const answer = `${news}HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`;
    const server = createNetServer((socket) => {
      let byByte = true;
      socket.on('data', () => {
        const pieces = byByte ? [...answer.split(''), body] : [answer + body];
        byByte = false;
        socket.setNoDelay(true);
        void (async () => {
          for (const piece of pieces) {
            socket.write(piece);
            await new Promise(setImmediate);
          }
        })();
      });
      socket.on('error', () => {});
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const request = client();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    for (let i = 0; i < 3; i++) {
      const response = await request(url, { method: 'POST', body: Buffer.from('hello') });
      expect([response.status, await textOf(response.body)]).toEqual([200, body]);
    }
  });

  it('gives up on a `100 Continue` without an end', async () => {
    const server = createNetServer((socket) => {
      socket.on('error', () => {});
      socket.write(`HTTP/1.1 100 Continue\r\nx: ${'x'.repeat(20_000)}`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await expect(client()(url)).rejects.toMatchObject({ status: 502 });
  });

  it('follows no redirect', async () => {
    const url = await upstream((_req, res) => void res.writeHead(302, { location: '/elsewhere' }).end());
    const { status, headers } = await client()(url);
    expect([status, headers['location']]).toEqual([302, '/elsewhere']);
  });

  it('asks for no compression', async () => {
    const url = await upstream((req, res) => void res.end(req.headers['accept-encoding'] ?? 'none'));
    expect(await textOf((await client()(url)).body)).toBe('none');
  });

  it('turns a user and password in the URL into a header', async () => {
    const url = await upstream((req, res) => void res.end(`${req.headers.authorization}`));
    const withUser = url.replace('http://', 'http://us%40er:pass@');
    expect(await textOf((await client()(withUser)).body)).toBe(`Basic ${btoa('us@er:pass')}`);
    const headers = { authorization: 'Bearer t' };
    expect(await textOf((await client()(withUser, { headers })).body)).toBe('Bearer t');
  });
});

describe('the cap', () => {
  it.each([
    [999, true],
    [1000, true],
    [1001, false],
  ])('of 1000 bytes lets %i pass: %s', async (bytes, passes) => {
    const url = await upstream((req, res) => {
      if (req.url === '/declared') res.setHeader('content-length', bytes);
      res.write('x'.repeat(10));
      res.end('x'.repeat(bytes - 10));
    });
    for (const path of ['/declared', '/chunked']) {
      const read = client()(url + path).then(({ body }) => textOf(body));
      if (passes) expect(await read).toHaveLength(bytes);
      else
        await expect(read).rejects.toMatchObject({
          status: 502,
          message: `the answer of ${url} is larger than 1000 bytes`,
        });
    }
  });

  it('does not apply to what HEAD only tells', async () => {
    const url = await upstream((_req, res) => void res.writeHead(200, { 'content-length': '5000' }).end());
    expect((await client()(url, { method: 'HEAD' })).headers['content-length']).toBe('5000');
  });
});

describe('failures', () => {
  it('are 502 when nobody listens, and when the connection is reset', async () => {
    const url = await upstream((req) => void req.socket.resetAndDestroy());
    const dead = await upstream(() => {});
    const request = client();
    await expect(request(url)).rejects.toMatchObject({ status: 502, message: `${url} did not answer` });
    const port = Number(new URL(dead).port);
    await expect(request('http://127.0.0.1:1/')).rejects.toMatchObject({ status: 502 });
    expect(port).toBeGreaterThan(0);
  });

  it('are 502 when the answer is cut off', async () => {
    const url = await upstream((_req, res) => {
      res.writeHead(200, { 'content-length': '100' });
      res.write('part', () => res.socket?.resetAndDestroy());
    });
    const { body } = await client()(url);
    await expect(textOf(body)).rejects.toMatchObject({ status: 502 });
  });

  it('are 504 when the headers take too long', async () => {
    const url = await upstream(() => {});
    await expect(client()(url, { timeoutMs: 1 })).rejects.toMatchObject({
      status: 504,
      message: `${url} took too long to answer`,
    });
  });

  it('are 504 when the answer stops coming', async () => {
    const url = await upstream((_req, res) => void res.writeHead(200).write('part'));
    const { body } = await client({ idleTimeoutMs: 1 })(url);
    await expect(textOf(body)).rejects.toMatchObject({ status: 504 });
  });

  it('are the reason of the signal when that fires, before and after the headers', async () => {
    const url = await upstream((req, res) => {
      if (req.url === '/part') res.writeHead(200).write('part');
    });
    const first = new AbortController();
    const pending = client()(url, { signal: first.signal });
    first.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
    const second = new AbortController();
    const { body } = await client()(`${url}/part`, { signal: second.signal });
    second.abort(new Error('enough'));
    await expect(textOf(body)).rejects.toThrow('enough');
  });

  it('never show path, query, credentials or the words of the upstream', async () => {
    const url = await upstream((req) => void req.socket.end('HTTP/1.1 secret-words\r\n\r\n'));
    const target = `${url.replace('http://', 'http://user:secret-pass@')}/secret-path?key=secret-key`;
    const error: unknown = await client()(target, { headers: { authorization: 'secret-header\n' } }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({ status: 502, message: `${url} did not answer` });
    const plain: unknown = await client()(target).catch((caught: unknown) => caught);
    expect(String(plain)).not.toContain('secret');
  });

  it.each([
    ['no HTTP', (request: string) => `ECHO ${request}`],
    ['no number', (request: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${request}`],
    ['no chunk', (request: string) => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${request}`],
  ])('keep what an upstream says out of the log, where it is %s', async (_, answer) => {
    const server = createNetServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => socket.end(answer(data.toString())));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`;
    const failed = client()(url, { headers: { 'x-key': 'secret-header' } }).then(({ body }) => textOf(body));
    const error: unknown = await failed.catch((caught: unknown) => caught);
    expect(error).toMatchObject({ status: 502 });
    // As a log has it: with its causes, and whatever else is in them.
    expect(inspect(error, { depth: 9 })).not.toContain('secret');
  });

  it('leave no connection behind when the body is not wanted', async () => {
    const gone = deferred<void>();
    const url = await upstream((req, res) => {
      req.socket.once('close', () => gone.resolve());
      res.writeHead(200).write('endless');
    });
    const { body } = await client()(url);
    await body.cancel();
    await gone.promise;
  });
});

describe('the address guard', () => {
  /** Resolves every name to these addresses. */
  const resolvesTo =
    (...addresses: readonly string[]): LookupFunction =>
    (_hostname, options, callback) => {
      const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      if (options.all) callback(null, found);
      else callback(null, found[0]?.address ?? '', found[0]?.family);
    };

  it('refuses, for public requests, addresses that are not public', async () => {
    let asked = false;
    const url = await upstream((_req, res) => {
      asked = true;
      res.end();
    });
    const { port } = new URL(url);
    const request = client();
    for (const host of [
      '127.0.0.1',
      '0x7f.1',
      '2130706433',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '169.254.169.254',
      '10.0.0.1',
    ])
      await expect(request(`http://${host}:${port}/`, { allow: 'public' }), host).rejects.toMatchObject({
        status: 403,
      });
    expect(asked).toBe(false);
  });

  it('looks at the address a name resolves to when the connection is made', async () => {
    verifies('outbound.address-guard');
    const url = await upstream((_req, res) => void res.end('inside'));
    const { port } = new URL(url);
    const rebound = `http://rebound.example:${port}/`;
    const inside = client({ lookup: resolvesTo('127.0.0.1') });
    await expect(inside(rebound, { allow: 'public' })).rejects.toMatchObject({
      status: 403,
      message: 'the address of rebound.example is not allowed',
    });
    expect(await textOf((await inside(rebound)).body)).toBe('inside');
    const mixed = client({ lookup: resolvesTo('93.184.216.34', '127.0.0.1') });
    await expect(mixed(rebound, { allow: 'public' })).rejects.toMatchObject({ status: 403 });
  });

  it('does not lend a connection of a declared request to a public one', async () => {
    const url = await upstream((_req, res) => void res.end());
    const request = client();
    await textOf((await request(url)).body);
    await expect(request(url, { allow: 'public' })).rejects.toMatchObject({ status: 403 });
  });

  it('refuses metadata services even to declarations', async () => {
    const request = client({ lookup: resolvesTo('169.254.169.254') });
    await expect(request('http://169.254.169.254/latest/')).rejects.toMatchObject({ status: 403 });
    await expect(request('http://metadata.example/')).rejects.toMatchObject({ status: 403 });
    await expect(request('http://[fd00:ec2::254]/')).rejects.toMatchObject({ status: 403 });
  });

  it('reaches http and https only', async () => {
    for (const url of ['file:///etc/passwd', 'ftp://a/', 'nonsense'])
      await expect(client()(url)).rejects.toMatchObject({
        status: 403,
        message: 'only http and https addresses can be reached',
      });
  });
});
