import { request } from 'node:http';
import { verifies } from '@waymark/contract/testing';
import { type ApplicationOptions, HTTPError, type Middleware, Type } from '@waymark/server';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { echo, knock, upgrade } from './knock.ts';
import { application, ask, rpc, secret, serve } from './serve.ts';

const failing: Middleware = (req, _res, next) => {
  const { pathname } = new URL(req.url ?? '/', 'http://localhost');
  if (pathname === '/throws') throw new Error('thrown /etc/passwd');
  if (pathname === '/next') next(new Error('passed /etc/passwd'));
  else if (pathname === '/rejects') return Promise.reject(new Error('rejected /etc/passwd'));
  else if (pathname === '/refuses')
    next(new HTTPError(402, 'pay first', { code: 'unpaid', headers: { 'x-price': '3' } }));
  else if (pathname === '/router') next('router');
  else next();
  return undefined;
};

describe('application.use', () => {
  it('shows every request to the middleware, in its order, before the table answers', async () => {
    const seen: string[] = [];
    const app = application();
    app.use(
      (req, res, next) => {
        seen.push(`first ${req.method} ${req.url}`);
        res.setHeader('x-first', 'yes');
        next();
      },
      (req, _res, next) => {
        seen.push(`second ${req.url}`);
        next();
      },
    );
    app
      .get('/maps', { tool: true }, () => 'maps')
      .post('/maps', { input: { n: Type.Integer() } }, ({ n }) => n);
    const { url, report } = await serve(app);
    const answer = await ask(`${url}/maps?page=2`);
    expect([answer.status, answer.body, answer.headers.get('x-first')]).toEqual([200, 'maps', 'yes']);
    expect((await ask(`${url}/maps`, { body: { n: 3 } })).body).toBe(3);
    await ask(`${url}/nowhere`);
    expect((await rpc(url, 'tools/list'))['tools']).toMatchObject([{ name: 'get_maps' }]);
    expect((await ask(`${url}/_svc/health`)).status).toBe(200);
    expect(seen).toEqual([
      ...['first GET /maps?page=2', 'second /maps?page=2', 'first POST /maps', 'second /maps'],
      ...['first GET /nowhere', 'second /nowhere', 'first POST /_svc/mcp', 'second /_svc/mcp'],
      ...['first GET /_svc/health', 'second /_svc/health'],
    ]);
    expect(report.door).toBe('inside express, after 2 middleware of the application');
  });

  it('leaves middleware what it has kept of a body', async () => {
    const kept: Buffer[] = [];
    const app = application().use((req, _res, next) => {
      const keep = (chunk: Buffer): void => void kept.push(chunk);
      req.on('data', keep).once('end', () => req.off('data', keep));
      next();
    });
    app.post('/length', { input: { text: Type.String() } }, ({ text }) => text.length);
    const { url } = await serve(app);
    const text = 'x'.repeat(300_000);
    expect((await ask(`${url}/length`, { body: { text } })).body).toBe(300_000);
    expect(Buffer.concat(kept).toString()).toBe(JSON.stringify({ text }));
  });

  it('lets middleware answer by itself, a router of express included', async () => {
    const router = express.Router();
    router.get('/legacy', (_req, res) => void res.send('old'));
    const app = application()
      .use(router)
      .get('/maps', () => 'maps');
    const { url } = await serve(app);
    expect((await ask(`${url}/legacy`)).body).toBe('old');
    expect((await ask(`${url}/maps`)).body).toBe('maps');
  });

  it('answers what nobody took as a problem document', async () => {
    const { url } = await serve(
      application()
        .use(failing)
        .get('/maps', () => 'maps'),
    );
    for (const path of ['/nowhere', '/router'])
      expect(await ask(url + path)).toMatchObject({
        status: 404,
        type: 'application/problem+json',
        body: { detail: 'nothing is served at this path' },
      });
    expect((await ask(`${url}/maps`, { method: 'DELETE' })).status).toBe(405);
  });

  it.each(['/throws', '/next', '/rejects'])(
    'answers middleware that fails as %s does without saying why',
    async (path) => {
      const { url } = await serve(
        application()
          .use(failing)
          .get(path, () => 'not reached'),
      );
      const answer = await ask(url + path, { headers: { 'x-request-id': 'from-outside' } });
      expect(answer).toMatchObject({
        status: 500,
        type: 'application/problem+json',
        body: {
          type: 'about:blank',
          title: 'Internal Server Error',
          status: 500,
          detail: 'internal error',
          request_id: 'from-outside',
        },
      });
      expect(Object.keys(answer.body as object)).toHaveLength(5);
      expect(answer.headers.get('x-request-id')).toBe('from-outside');
      expect(answer.headers.get('x-powered-by')).toBeNull();
      expect((await ask(`${url}/_svc/health`)).status).toBe(200);
    },
  );

  it('gives a request that fails in middleware an id of its own', async () => {
    const { url } = await serve(application().use(failing));
    const { body, headers } = await ask(`${url}/throws`);
    expect((body as { request_id: string }).request_id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(headers.get('x-request-id')).toBe((body as { request_id: string }).request_id);
  });

  it('answers an HTTPError of middleware as one of a handler', async () => {
    const { url } = await serve(application().use(failing));
    const answer = await ask(`${url}/refuses`);
    expect(answer).toMatchObject({
      status: 402,
      body: { title: 'Payment Required', detail: 'pay first', code: 'unpaid' },
    });
    expect(answer.headers.get('x-price')).toBe('3');
  });

  it('keeps the status of an error that express middleware blames on the caller', async () => {
    const app = application().use(express.json({ limit: 20 }));
    app.post('/maps', { input: { n: Type.Integer() } }, ({ n }) => n);
    const { url } = await serve(app);
    expect((await ask(`${url}/maps`, { body: { n: 3 } })).body).toBe(3);
    expect(await ask(`${url}/maps`, { body: '{"n":' })).toMatchObject({
      status: 400,
      type: 'application/problem+json',
      body: { detail: 'Bad Request' },
    });
    expect(await ask(`${url}/maps`, { body: { n: 3, more: 'than twenty bytes' } })).toMatchObject({
      status: 413,
      body: { detail: 'Payload Too Large' },
    });
  });

  it('keeps headers that were set before the failure, but for those about a body that never came', async () => {
    const app = application().use((_req, res) => {
      for (const name of ['content-length', 'content-encoding', 'etag', 'cache-control', 'x-kept'])
        res.setHeader(name, name === 'content-length' ? '3' : 'gzip');
      throw new Error('broken');
    });
    const { url } = await serve(app);
    const { body, headers } = await ask(url);
    expect(body).toMatchObject({ status: 500, detail: 'internal error' });
    expect(headers.get('x-kept')).toBe('gzip');
    expect([headers.get('etag'), headers.get('cache-control')]).toEqual([null, null]);
  });

  it('survives a failure that cannot even be answered', async () => {
    const app = application().use((req, _res, next) => {
      if (req.url === '/bad') next(new HTTPError(400, 'bad', { headers: { 'x-bad': 'line\nbreak' } }));
      else next();
    });
    const { url } = await serve(app.get('/good', () => 'good'));
    expect(await ask(`${url}/bad`)).toMatchObject({ status: 500, body: { detail: 'internal error' } });
    expect((await ask(`${url}/good`)).body).toBe('good');
  });

  it('cuts an answer that fails in the middle', async () => {
    const app = application().use((_req, res, next) => {
      res.writeHead(200, { 'content-type': 'text/plain' });
      res.write('half of ', () => next(new Error('broken')));
    });
    const { url } = await serve(app);
    await expect(ask(`${url}/anything`)).rejects.toThrow();
  });

  it('does not let middleware open the control plane', async () => {
    const app = application()
      .apiKey('SHOP_KEY', 'shop')
      .use((_req, _res, next) => next());
    const { url } = await serve(app);
    expect((await ask(`${url}/_svc/tools`)).status).toBe(401);
    expect((await ask(`${url}/_svc/tools`, { key: secret })).status).toBe(403);
  });
});

describe('application.use in front of sockets', () => {
  /** An application with a socket that answers each message with itself, behind middleware. */
  const behind = async (middleware: Middleware, options: ApplicationOptions = {}) => {
    const app = application(options).use(middleware).add(echo('/echo'));
    const { url } = await serve(app);
    return {
      url,
      ask: (headers: Readonly<Record<string, string>> = {}) =>
        knock(`${url}/echo`, { headers: { ...upgrade, ...headers } }),
    };
  };

  it('shows it every upgrade, and lets it answer', async () => {
    verifies('middleware.upgrades');
    const seen: unknown[] = [];
    const { url, ask } = await behind((req, res, next) => {
      seen.push([req.method, req.url, req.headers.upgrade]);
      if (req.headers['x-block'] === undefined) setImmediate(next);
      else {
        res.writeHead(418, { 'x-why': 'tea' });
        res.end('blocked');
      }
    });
    expect((await ask()).status).toBe(101);
    expect(await ask({ 'x-block': '1' })).toMatchObject({
      ...{ status: 418, text: 'blocked' },
      headers: { 'x-why': 'tea', connection: 'close', 'x-content-type-options': 'nosniff' },
    });
    expect(seen).toEqual(Array(2).fill(['GET', '/echo', 'websocket']));
    const socket = new WebSocket(`${url.replace('http', 'ws')}/echo`);
    const heard = new Promise((resolve) => socket.addEventListener('message', ({ data }) => resolve(data)));
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    socket.send('hello');
    expect(await heard).toBe('hello');
    socket.close();
    expect((await knock(`${url}/nowhere`, { headers: upgrade })).status).toBe(404);
  });

  it('lets a router of express refuse them, and one that knows nothing of them pass', async () => {
    verifies('middleware.upgrades');
    const router = express.Router();
    router.get('/echo', (req, res, next) => {
      if (req.query['token'] === 'good') next();
      else res.status(403).json({ detail: 'not you' });
    });
    const { url } = await behind(router);
    expect(await knock(`${url}/echo?token=bad`, { headers: upgrade })).toMatchObject({
      ...{ status: 403, text: '{"detail":"not you"}' },
    });
    expect((await knock(`${url}/echo?token=good`, { headers: upgrade })).status).toBe(101);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('thrown /etc/passwd');
      },
      500,
      'internal error',
    ],
    ['rejects', () => Promise.reject(new Error('rejected /etc/passwd')), 500, 'internal error'],
    ['refuses', (_req, _res, next) => next(new HTTPError(402, 'pay first')), 402, 'pay first'],
    ['says nothing', () => {}, 504, 'the upgrade took too long'],
  ] as const satisfies readonly (readonly [string, Middleware, number, string])[])(
    'answers for middleware that %s',
    async (_, middleware, status, detail) => {
      verifies('middleware.upgrades');
      const { ask } = await behind(middleware, { requestTimeout: 0.2 });
      expect(await ask()).toMatchObject({ status, detail });
    },
  );

  it('leaves a client in peace that went away meanwhile, and calls next once', async () => {
    const passes: (() => void)[] = [];
    const { url, ask } = await behind((req, _res, next) => {
      if (req.headers['x-wait']) passes.push(next);
      else {
        next();
        next();
      }
    });
    const asked = request(`${url}/echo`, { headers: { ...upgrade, 'x-wait': '1' } });
    asked.on('error', () => {}).end();
    await expect.poll(() => passes.length).toBe(1);
    asked.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const pass of passes) pass();
    expect((await ask()).status).toBe(101);
  });

  it('keeps foreign hosts from middleware, as it does of requests', async () => {
    const seen: unknown[] = [];
    const { ask } = await behind(
      (req, _res, next) => {
        seen.push(req.headers.host);
        next();
      },
      { allowedHosts: ['shop.example'] },
    );
    expect((await ask({ host: 'evil.example' })).status).toBe(403);
    expect((await ask({ host: 'shop.example' })).status).toBe(101);
    expect(seen).toEqual(['shop.example']);
  });
});
