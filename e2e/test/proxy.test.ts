import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { createProxies, type ProxyOptions, proxy, upstream } from '@waymark/pages';
import { describe, expect, it } from 'vitest';
import { httpUpstream, rawUpstream, sayingUpstream, serveProxies } from './proxy-upstreams.ts';
import { exchange, rawClient, rawRequest } from './raw-client.ts';
import { application, secrets, serve } from './served.ts';

/** An upstream that keeps each request as it stood on the wire, and answers 204. */
async function recording() {
  const requests: string[] = [];
  const { url } = await rawUpstream((socket) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      const chunked = /transfer-encoding: chunked/i.test(text.slice(0, head));
      if (chunked ? !text.endsWith('0\r\n\r\n') : text.length < head + 4 + length) return;
      requests.push(text);
      text = '';
      socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
  });
  const host = url.replace('http://', '');
  /** The request line, the header lines, and the body. */
  const last = () => {
    const [head = '', ...body] = (requests.at(-1) ?? '').split('\r\n\r\n');
    const [line = '', ...headers] = head.split('\r\n');
    return {
      line,
      headers: headers.filter((one) => one !== `host: ${host}` && one !== 'connection: keep-alive').sort(),
      body: body.join('\r\n\r\n'),
    };
  };
  return { url, requests, last };
}

const ticket = (options: ProxyOptions = {}) =>
  proxy('GET', '/tickets/{id}', 'desk', { rewrite: '/v1/tickets/{id}', ...options });

describe('what reaches an upstream', () => {
  it('is the rewritten path with the query, and nothing that was not asked for', async () => {
    verifies('declare.upstream', 'declare.upstream.headers.default', 'declare.upstream.bearer.default');
    verifies('declare.proxy', 'declare.proxy.rewrite', 'proxy.rewrite', 'proxy.query');
    verifies('purpose.hosts.proxies');
    const { url, last } = await recording();
    const { port } = await serveProxies(url, [ticket()]);
    await exchange(port, rawRequest('GET', '/tickets/7?b=%C3%A4+x&a=1&b=2&flag', ['Connection: close']));
    expect(last()).toEqual({
      line: 'GET /v1/tickets/7?b=%C3%A4%20x&b=2&a=1&flag= HTTP/1.1',
      headers: [],
      body: '',
    });
  });

  it("is the route's own path where nothing is rewritten, below the path and query of the base URL", async () => {
    verifies('declare.proxy.rewrite.default', 'proxy.rewrite.default');
    const { url, last } = await recording();
    const { port } = await serveProxies(`${url}/base/?version=3`, [
      proxy('GET', '/tickets/{id}', 'desk'),
      proxy('GET', '/', 'desk'),
    ]);
    await exchange(port, rawRequest('GET', '/tickets/a%20b?version=9&x=1', ['Connection: close']));
    expect(last().line).toBe('GET /base/tickets/a%20b?version=3&x=1 HTTP/1.1');
    await exchange(port, rawRequest('GET', '/', ['Connection: close']));
    expect(last().line).toBe('GET /base/?version=3 HTTP/1.1');
  });

  it('are the listed headers of the caller and no others', async () => {
    verifies('proxy.headers.allowed', 'proxy.headers.dropped');
    const { url, last } = await recording();
    const { port } = await serveProxies(url, [ticket()]);
    const passing = [
      'accept: application/json;q=0.9',
      'content-language: de',
      'content-type: text/x-odd; a="b"',
      'idempotency-key: k-1',
      'if-match: "a"',
      'if-modified-since: Fri, 20 Nov 2026 10:00:00 GMT',
      'if-none-match: W/"b", "c"',
      'if-range: "d"',
      'if-unmodified-since: Fri, 20 Nov 2026 11:00:00 GMT',
      'range: bytes=0-9',
      'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ];
    const others = [
      'Cookie: a=b',
      'X-Forwarded-For: 1.2.3.4',
      'X-Forwarded-Host: evil.example',
      'X-Forwarded-Proto: https',
      'Forwarded: for=1.2.3.4',
      'X-Real-Ip: 1.2.3.4',
      'Via: 1.1 x',
      'TE: trailers',
      'Trailer: x-a',
      'Keep-Alive: timeout=5',
      'Proxy-Authorization: Basic eA==',
      'Proxy-Connection: close',
      'Connection: close, x-custom',
      'X-Custom: 1',
      'X-Request-Id: r-1',
      'Accept-Encoding: gzip',
      'Origin: http://localhost',
      'Referer: http://localhost/',
      'User-Agent: test',
      'X-Http-Method-Override: DELETE',
      'X-Original-Url: /admin',
      'Expect: 100-continue',
      'Upgrade-Insecure-Requests: 1',
    ];
    await exchange(port, rawRequest('GET', '/tickets/7', [...passing, ...others]));
    expect(last().headers).toEqual(passing);
    const named = 'Connection: close, Accept,If-Match , "x", content-type';
    await exchange(port, rawRequest('GET', '/tickets/7', [...passing, named]));
    expect(last().headers).toEqual(
      passing.filter((line) => !/^(?:accept|if-match|content-type):/.test(line)),
    );
  });

  it('are no credentials of the caller, with the token and the headers of the upstream in their place', async () => {
    verifies(
      'declare.upstream.headers',
      'declare.upstream.bearer',
      'proxy.headers.own',
      'proxy.headers.dropped',
    );
    const { url, last } = await recording();
    const app = application();
    app.apiKey('SHOP_KEY', 'shop');
    app.add(
      createProxies([
        upstream('desk', url, {
          bearerEnv: 'OTHER_KEY',
          headers: { Accept: 'text/csv', 'X-Tenant': 'blue' },
        }),
        ticket(),
      ]),
    );
    const { port } = await serve(app);
    await exchange(
      port,
      rawRequest('GET', '/tickets/7?access_token=mine', [
        `X-Api-Key: ${secrets.SHOP_KEY}`,
        'Accept: application/json',
        'X-Tenant: red',
        'Connection: close',
      ]),
    );
    expect(last().headers).toEqual([
      'accept: text/csv',
      `authorization: Bearer ${secrets.OTHER_KEY}`,
      'x-tenant: blue',
    ]);
  });

  it('is each path value in one segment, and a rest with its slashes', async () => {
    verifies('proxy.path-values');
    const { url, last } = await recording();
    const { port } = await serveProxies(`${url}/v1`, [
      proxy('GET', '/t/{id}/notes', 'desk'),
      proxy('GET', '/f/{path*}', 'desk'),
    ]);
    const ask = async (path: string) => {
      const [answer] = await exchange(port, rawRequest('GET', path, ['Connection: close']));
      return answer?.status === 204 ? last().line.split(' ')[1] : answer?.status;
    };
    for (const [sent, got] of [
      ['a%2Fb', 'a%2Fb'],
      ['a%3Fb%23c', 'a%3Fb%23c'],
      ['%40evil.example', '%40evil.example'],
      ['a@evil.example:80', 'a@evil.example:80'],
      ['%5Cevil', '%5Cevil'],
      ['a%5C%5Cb', 'a%5C%5Cb'],
      ['%C3%A4%E2%82%AC', '%C3%A4%E2%82%AC'],
      ['%25', '%25'],
      ['...', '...'],
      ['a..b', 'a..b'],
      ['a;b=1', 'a;b=1'],
      ['http:%2F%2Fevil.example', 'http:%2F%2Fevil.example'],
    ] as const)
      expect(await ask(`/t/${sent}/notes`)).toBe(`/v1/t/${got}/notes`);
    expect(await ask('/f/a/b%20c//d@e')).toBe('/v1/f/a/b%20c//d@e');
    expect(await ask('/f/')).toBe('/v1/f/');
    expect(await ask('/f//evil.example/x')).toBe('/v1/f//evil.example/x');
  });

  it('is nothing where a path value is a dot segment, in whatever spelling', async () => {
    verifies('proxy.path-values');
    const { url, requests } = await recording();
    const { port } = await serveProxies(`${url}/v1`, [
      proxy('GET', '/t/{id}/notes', 'desk'),
      proxy('GET', '/f/{path*}', 'desk'),
    ]);
    for (const value of [
      '..',
      '.',
      '%2e%2e',
      '%2E.',
      '%2e',
      '..%2F..%2Fadmin',
      '..%5Cadmin',
      'a%2F..%2F..%2Fb',
      '%252e%252e',
      '%252e%252e%252fadmin',
      '..%255cadmin',
    ]) {
      for (const path of [`/t/${value}/notes`, `/f/a/${value}/b`, `/f/${value}`]) {
        const [answer] = await exchange(port, rawRequest('GET', path, ['Connection: close']));
        expect([path, answer?.status]).toEqual([path, 422]);
      }
    }
    for (const path of [
      '/t/a%00b/notes',
      '/t/%0d%0aX-A:b/notes',
      '/t/%C0%AE/notes',
      '/t/%/notes',
      '/t//notes',
    ])
      expect((await exchange(port, rawRequest('GET', path, ['Connection: close'])))[0]?.status).toBeOneOf([
        400, 404,
      ]);
    expect(requests).toEqual([]);
  });

  it('is a body as it came: short, chunked, empty, and invited', async () => {
    const { url, last } = await recording();
    const { port } = await serveProxies(url, [
      proxy('POST', '/in', 'desk'),
      proxy('DELETE', '/in', 'desk'),
      proxy('GET', '/in', 'desk'),
      proxy('DELETE', '/with-body', 'desk', { body: 'source' }),
    ]);
    const send = (method: string, lines: readonly string[], body: string, path = '/in') =>
      exchange(port, rawRequest(method, path, ['Connection: close', ...lines], body));
    await send('POST', ['Content-Type: application/octet-stream'], '\u0000\u00ff\r\n\r\n');
    expect(last()).toEqual({
      line: 'POST /in HTTP/1.1',
      headers: ['content-length: 6', 'content-type: application/octet-stream'],
      body: '\u0000\u00ff\r\n\r\n',
    });
    await send('POST', ['Transfer-Encoding: chunked'], '2\r\nab\r\n1\r\nc\r\n0\r\n\r\n');
    expect(last().headers).toEqual(['transfer-encoding: chunked']);
    expect(last().body.replace(/\w+\r\n(\w*)\r\n/g, '$1')).toContain('abc');
    await send('POST', [], '');
    expect(last()).toMatchObject({ headers: ['content-length: 0'], body: '' });
    await send('DELETE', [], '');
    expect(last()).toEqual({ line: 'DELETE /in HTTP/1.1', headers: [], body: '' });
    await send('DELETE', [], 'x', '/with-body');
    expect(last()).toMatchObject({ headers: ['content-length: 1'], body: 'x' });
    // Nothing that a GET brings means anything (RFC 9110, 9.3.1).
    await send('GET', [], 'smuggled');
    expect(last()).toEqual({ line: 'GET /in HTTP/1.1', headers: [], body: '' });

    const waiting = await rawClient(port);
    waiting.send(
      rawRequest('POST', '/in', ['Content-Length: 3', 'Expect: 100-continue', 'Connection: close']),
    );
    expect((await waiting.until(1))[0]?.status).toBe(100);
    waiting.send('abc');
    expect((await waiting.closed()).map(({ status }) => status)).toEqual([100, 204]);
    expect(last()).toMatchObject({ headers: ['content-length: 3'], body: 'abc' });
  });

  it('is HEAD for HEAD', async () => {
    const { url } = await httpUpstream((req, res) => {
      res.setHeader('x-method', `${req.method}`);
      res.setHeader('content-length', 1234);
      res.end(req.method === 'HEAD' ? undefined : 'x'.repeat(1234));
    });
    const { port } = await serveProxies(url, [ticket()]);
    const [answer] = await exchange(port, rawRequest('HEAD', '/tickets/7', ['Connection: close']), {
      head: true,
    });
    expect(answer).toMatchObject({ status: 200, headers: { 'x-method': 'HEAD', 'content-length': '1234' } });
  });

  it('is validated input, written anew, where input is declared', async () => {
    const { url, last } = await recording();
    const { port } = await serveProxies(url, [
      proxy('POST', '/orders/{id}', 'desk', {
        input: { id: Type.Integer(), count: Type.Integer(), note: Type.String({ default: 'none' }) },
      }),
      proxy('GET', '/orders', 'desk', {
        input: { limit: Type.Integer({ default: 20 }), tag: Type.Optional(Type.Array(Type.String())) },
      }),
    ]);
    const post = (path: string, body: string) =>
      exchange(port, rawRequest('POST', path, ['Content-Type: application/json', 'Connection: close'], body));
    await post('/orders/7', '{ "count": 1, "count": 2 }');
    expect(last()).toEqual({
      line: 'POST /orders/7 HTTP/1.1',
      headers: ['content-length: 25', 'content-type: application/json'],
      body: '{"count":2,"note":"none"}',
    });
    // Whoever reads it by another character set would read something else than was validated.
    for (const type of [
      'application/vnd.order+json; charset=utf-8; charset=utf-16',
      'application/vnd.order+json;charset = utf-7',
      'application/vnd.order+json; Charset=UTF-8; profile="x"',
    ]) {
      const lines = [`Content-Type: ${type}`, 'Connection: close'];
      await exchange(port, rawRequest('POST', '/orders/7', lines, '{"count":2}'));
      expect(last().headers).toEqual(['content-length: 25', 'content-type: application/vnd.order+json']);
    }
    expect((await post('/orders/7', '{"count":"2"}'))[0]?.status).toBe(422);
    expect((await post('/orders/07', '{"count":2}'))[0]?.status).toBe(422);
    await exchange(port, rawRequest('GET', '/orders?tag=a&other=1&tag=b', ['Connection: close']));
    expect(last().line).toBe('GET /orders?tag=a&tag=b&other=1&limit=20 HTTP/1.1');
  });
});

describe('what comes back', () => {
  it('is the status, the body and what is said of them', async () => {
    const packed = gzipSync('{"packed":true}');
    const { url } = await httpUpstream((req, res) => {
      if (req.url === '/packed')
        res.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(packed);
      else if (req.url === '/part')
        res.writeHead(206, { 'content-range': 'bytes 0-3/10', 'accept-ranges': 'bytes' }).end('part');
      else
        res
          .writeHead(418, {
            etag: 'W/"v1"',
            'last-modified': 'Fri, 20 Nov 2026 10:00:00 GMT',
            'cache-control': 'max-age=5',
            'content-language': 'de',
            vary: 'accept',
            link: '</next>; rel="next"',
            'retry-after': '3',
            'x-total-count': '12',
            'content-type': 'text/x-odd',
          })
          .end('teapot');
    });
    const { port } = await serveProxies(url, [proxy('GET', '/{name}', 'desk')]);
    const get = async (path: string, ...lines: readonly string[]) =>
      (await exchange(port, rawRequest('GET', path, ['Connection: close', ...lines])))[0];
    expect(await get('/any')).toMatchObject({
      status: 418,
      body: 'teapot',
      headers: {
        etag: 'W/"v1"',
        'last-modified': 'Fri, 20 Nov 2026 10:00:00 GMT',
        'cache-control': 'max-age=5',
        'content-language': 'de',
        vary: 'accept',
        link: '</next>; rel="next"',
        'retry-after': '3',
        'x-total-count': '12',
        'content-type': 'text/x-odd',
      },
    });
    expect(await get('/part', 'Range: bytes=0-3')).toMatchObject({
      status: 206,
      body: 'part',
      headers: { 'content-range': 'bytes 0-3/10', 'accept-ranges': 'bytes' },
    });
    const answer = await get('/packed');
    expect(answer?.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'application/json' });
  });

  it('is for no shared cache where the route asks for scopes, whatever the upstream says', async () => {
    verifies('proxy.private');
    const said: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      '/open': {
        'cache-control': 'public, s-maxage=600, max-age=60',
        'cdn-cache-control': 'max-age=600',
        'surrogate-control': 'max-age=600',
        expires: 'Fri, 20 Nov 2037 10:00:00 GMT',
      },
      '/lasting': { 'cache-control': 'max-age=60' },
      '/expiring': { expires: 'Fri, 20 Nov 2037 10:00:00 GMT' },
      '/tagged': { etag: '"1"', 'cdn-cache-control': 'public' },
    };
    const { url } = await httpUpstream((req, res) => {
      res.writeHead(200, said[(req.url ?? '').replace('/free', '')]).end('ok');
    });
    const { port } = await serve(
      application()
        .apiKey('SHOP_KEY', 'admin', { scopes: ['desk:read'] })
        .add(
          createProxies([
            upstream('desk', url),
            proxy('GET', '/{name}', 'desk', { scopes: ['desk:read'] }),
            proxy('GET', '/free/{name}', 'desk'),
          ]),
        ),
    );
    const keeping = async (path: string, ...lines: readonly string[]): Promise<readonly unknown[]> => {
      const [answer] = await exchange(port, rawRequest('GET', path, ['Connection: close', ...lines]));
      const told = answer?.headers ?? {};
      return [
        answer?.status,
        ...['cache-control', 'cdn-cache-control', 'surrogate-control', 'expires'].map((name) => told[name]),
      ];
    };
    const key = `X-Api-Key: ${secrets.SHOP_KEY}`;
    const nothing = [undefined, undefined, undefined];
    expect(await keeping('/open', key)).toEqual([200, 'private, max-age=60', ...nothing]);
    expect(await keeping('/lasting', key)).toEqual([200, 'private, max-age=60', ...nothing]);
    // What the upstream leaves unsaid is said at the door.
    expect(await keeping('/expiring', key)).toEqual([200, 'no-store', ...nothing]);
    expect(await keeping('/tagged', key)).toEqual([200, 'private, no-cache', ...nothing]);
    // Everybody has the same there: no credential of a caller has reached the upstream.
    expect(await keeping('/free/open')).toEqual([200, ...Object.values(said['/open'] ?? {})]);
  });

  it('has no content with 204 and 304, and keeps the connection', async () => {
    const { url, sockets } = await httpUpstream((req, res) => {
      res.writeHead(req.url === '/same' ? 304 : 204, { etag: '"e"' }).end();
    });
    const { port } = await serveProxies(url, [proxy('GET', '/{name}', 'desk')]);
    const client = await rawClient(port);
    client.send(rawRequest('GET', '/same', ['If-None-Match: "e"']));
    await client.until(1);
    client.send(rawRequest('GET', '/nothing'));
    const answers = await client.until(2);
    client.socket.destroy();
    expect(answers.map(({ status, headers }) => [status, headers['etag']])).toEqual([
      [304, '"e"'],
      [204, '"e"'],
    ]);
    expect(sockets.size).toBe(1);
  });

  it('has no cookies, nothing of the connection, and nothing that is ours to say', async () => {
    verifies('proxy.set-cookie', 'proxy.own-headers');
    const { url } = await sayingUpstream(
      [
        'HTTP/1.1 200 OK',
        'Set-Cookie: a=b',
        'Set-Cookie: c=d',
        'Connection: x-hop, close',
        'X-Hop: 1',
        'Keep-Alive: timeout=1',
        'Proxy-Authenticate: Basic',
        'WWW-Authenticate: Basic realm="inside"',
        'Authentication-Info: nextnonce="secret"',
        'Refresh: 0;url=http://10.0.0.1/inside',
        'NEL: {"report_to":"x"}',
        'Report-To: {"group":"x"}',
        'Reporting-Endpoints: x="https://evil.example"',
        'Accept-CH: Sec-CH-UA-Model',
        'Origin-Agent-Cluster: ?0',
        'X-Frame-Options: ALLOWALL',
        'X-Content-Type-Options: maybe',
        'Content-Security-Policy: none',
        'Strict-Transport-Security: max-age=1',
        'Access-Control-Allow-Origin: *',
        'Access-Control-Allow-Credentials: true',
        'Clear-Site-Data: "*"',
        'Alt-Svc: h2=":444"',
        'X-Request-Id: theirs',
        'RateLimit: limit=1',
        'Server: secret/1.0',
        'X-Powered-By: secret',
        'X-Accel-Redirect: /internal/secret',
        'X-Sendfile: /etc/passwd',
        'X-Kept: \u00e4',
        'Content-Length: 2',
        '',
        'ok',
      ].join('\r\n'),
    );
    const { port } = await serveProxies(url, [ticket()]);
    const [answer] = await exchange(port, rawRequest('GET', '/tickets/7', ['Connection: close']));
    const { date: _, 'x-request-id': id, ...headers } = answer?.headers ?? {};
    expect(id).not.toContain('theirs');
    expect(headers).toEqual({
      connection: 'close',
      'content-length': '2',
      'content-type': 'application/octet-stream',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-kept': '\u00e4',
    });
  });

  it('is a redirect as it stands, with an address that callers can use or none', async () => {
    verifies('proxy.redirects', 'proxy.location.own', 'proxy.location.foreign');
    let asked = 0;
    const { url } = await httpUpstream((req, res) => {
      asked++;
      const location = new URL(req.url ?? '', 'http://x').searchParams.get('to') ?? '';
      res.writeHead(req.method === 'POST' ? 201 : 302, { location }).end('moved');
    });
    const { port } = await serveProxies(`${url}/v1?key=secret`, [
      proxy('GET', '/desk/tickets/{id}', 'desk', { rewrite: '/tickets/{id}' }),
      proxy('POST', '/desk/tickets', 'desk', { rewrite: '/tickets' }),
      proxy('GET', '/files/{path*}', 'desk', { rewrite: '/raw/{path*}' }),
      proxy('DELETE', '/gone/{id}', 'desk', { rewrite: '/tickets/{id}' }),
    ]);
    const locate = async (to: string, method = 'GET') => {
      const path = method === 'GET' ? '/desk/tickets/7' : '/desk/tickets';
      const request = rawRequest(method, `${path}?to=${encodeURIComponent(to)}`, ['Connection: close']);
      const [answer] = await exchange(port, request);
      expect(answer).toMatchObject({ status: method === 'GET' ? 302 : 201, body: 'moved' });
      return answer?.headers['location'];
    };
    expect(await locate(`${url}/v1/tickets/8`)).toBe('/desk/tickets/8');
    expect(await locate(`${url}/v1/tickets/8`, 'POST')).toBe('/desk/tickets/8');
    expect(await locate('/v1/tickets/8?key=secret&a=1#top')).toBe('/desk/tickets/8?a=1#top');
    expect(await locate('9')).toBe('/desk/tickets/9');
    expect(await locate('../raw/a/b%20c')).toBe('/files/a/b%20c');
    expect(await locate('/v1/tickets/a%2Fb')).toBe('/desk/tickets/a%2Fb');
    expect(await locate('/v1/tickets/x:y;v=1,%3a')).toBe('/desk/tickets/x:y;v=1,%3a');
    for (const nowhere of [
      `${url}/admin`,
      '/v2/tickets/8',
      '/v1',
      '/v1/tickets/',
      'http://[',
      '/v1/tickets/8/x',
    ])
      expect([nowhere, await locate(nowhere)]).toEqual([nowhere, undefined]);
    for (const elsewhere of ['https://other.example/a?b#c', `${url.replace('http:', 'https:')}/v1/tickets/8`])
      expect(await locate(elsewhere)).toBe(elsewhere);
    expect(await locate('//cdn.example/a')).toBe('http://cdn.example/a');
    expect(asked).toBe(16);
  });
});

describe('a proxy among the routes', () => {
  it('understands the options of every route', async () => {
    verifies('route.option.every-call.proxy', 'limit.upstream', 'declare.upstream.timeout.default');
    const { url } = await httpUpstream((_req, res) => void res.end('ok'));
    const app = application();
    app.apiKey('SHOP_KEY', 'shop', { scopes: ['desk:read'] });
    app.apiKey('OTHER_KEY', 'other');
    app.add(
      createProxies([
        upstream('desk', url),
        ticket({
          tool: true,
          toolName: 'read_ticket',
          summary: 'Reads one.',
          scopes: ['desk:read'],
          strictQuery: true,
        }),
      ]),
    );
    // One second more than the upstream has, whose own 504 says more.
    expect(app.table.get('read_ticket')).toMatchObject({ timeoutMs: 31_000, engine: { kind: 'proxy' } });
    const running = await serve(app);
    const ask = async (key: string, path = '/tickets/7') =>
      (await fetch(running.url + path, { headers: { 'x-api-key': key } })).status;
    expect(await ask(secrets.SHOP_KEY)).toBe(200);
    expect(await ask(secrets.SHOP_KEY, '/tickets/7?a=1')).toBe(422);
    expect(await ask(secrets.OTHER_KEY)).toBe(403);
    expect((await fetch(`${running.url}/tickets/7`)).status).toBe(401);
  });

  it('never changes a number: as a tool it says the text that it gives over HTTP', async () => {
    verifies('proxy.numbers', 'mcp.result.numbers');
    const text = '{"id":1234567890123456789,"limit":1e999}';
    const { url } = await httpUpstream((_, res) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end(text),
    );
    const app = application();
    app.add(
      createProxies([
        upstream('desk', url),
        ticket({ tool: true, summary: 'Reads one.' }),
        proxy('GET', '/orders/{id}', 'desk', {
          ...{ tool: true, summary: 'Reads one.', toolName: 'order' },
          output: Type.Object({ id: Type.Integer() }),
        }),
      ]),
    );
    const { url: own } = await serve(app);
    expect(await (await fetch(`${own}/tickets/7`)).text()).toBe(text);
    const call = async (name: string) => {
      const response = await fetch(`${own}/_svc/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: { name, arguments: { id: '7' } },
        }),
      });
      return ((await response.json()) as { result: unknown }).result;
    };
    expect(await call('get_tickets_by_id')).toEqual({ content: [{ type: 'text', text }], isError: false });
    expect(await call('order')).toMatchObject({ isError: true });
  });

  it('is a tool over its path parameters and declared input, and gives JSON as a value', async () => {
    verifies('proxy.tool');
    const seen: string[] = [];
    const { url } = await httpUpstream((req, res) => void answerTool(req, res));
    const answerTool = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      let body = '';
      req.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      await once(req, 'end');
      seen.push(`${req.method} ${req.url} ${body}`);
      const name = new URL(req.url ?? '', 'http://x').pathname.split('/').at(-1);
      if (name === 'huge') res.end(Buffer.alloc(9 * 1_048_576));
      else if (name === 'packed') res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}'));
      else if (name === 'picture') res.writeHead(200, { 'content-type': 'image/png' }).end('png');
      else if (name === 'lost')
        res.writeHead(404, { 'content-type': 'application/json' }).end('{"no":"such"}');
      else if (name === 'cut') res.writeHead(200, { 'content-length': 9 }).write('part', () => res.destroy());
      else res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ name }));
    };
    const app = application();
    app.add(
      createProxies([
        upstream('desk', url),
        ticket({ tool: true, summary: 'Reads one.', output: Type.Object({ name: Type.String() }) }),
        proxy('POST', '/orders/{id}', 'desk', {
          ...{ tool: true, summary: 'Orders.', toolName: 'order' },
          input: { id: Type.Integer(), count: Type.Integer(), urgent: Type.Boolean({ default: false }) },
        }),
        proxy('PUT', '/raw/{id}', 'desk', { tool: true, summary: 'Puts.', toolName: 'put_raw' }),
      ]),
    );
    const { url: own } = await serve(app);
    const mcp = async (method: string, params: object) => {
      const response = await fetch(`${own}/_svc/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return ((await response.json()) as { result: Record<string, unknown> }).result;
    };
    const call = (name: string, args: object) => mcp('tools/call', { name, arguments: args });
    const { tools } = (await mcp('tools/list', {})) as { tools: { name: string; inputSchema: object }[] };
    expect(Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema]))).toMatchObject({
      get_tickets_by_id: {
        properties: { id: { type: 'string' } },
        required: ['id'],
        additionalProperties: false,
      },
      order: { required: ['id', 'count'], additionalProperties: false },
      put_raw: { properties: { id: { type: 'string' } }, additionalProperties: false },
    });
    expect(await call('get_tickets_by_id', { id: 'a/b' })).toMatchObject({
      structuredContent: { name: 'a%2Fb' },
      isError: false,
    });
    await call('order', { id: 7, count: 2 });
    await call('put_raw', { id: 'x' });
    expect(seen).toEqual([
      'GET /v1/tickets/a%2Fb ',
      'POST /orders/7 {"count":2,"urgent":false}',
      'PUT /raw/x ',
    ]);
    const failed = (text: string) => ({ isError: true, content: [{ type: 'text', text }] });
    const prefix = 'tool get_tickets_by_id failed with';
    const of = 'the answer of upstream "desk"';
    for (const [id, text] of [
      ['huge', `${prefix} 502: ${of} is larger than 8388608 bytes`],
      ['packed', `${prefix} 502: ${of} has the content encoding gzip`],
      ['cut', `${prefix} 502: upstream "desk" did not answer`],
      ['lost', `${prefix} 404: {"no":"such"}`],
      ['..', `${prefix} 422: /id cannot be part of a path`],
      ['', `${prefix} 422: /id cannot be part of a path`],
      ['a\u0000', `${prefix} 422: /id cannot be part of a path`],
      ['a\nb', `${prefix} 422: /id cannot be part of a path`],
    ])
      expect(await call('get_tickets_by_id', { id })).toMatchObject(failed(text ?? ''));
    expect(JSON.stringify((await call('get_tickets_by_id', { id: 'picture' }))['content'])).toContain(
      'image/png',
    );
  });
});
