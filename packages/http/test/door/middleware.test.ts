import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Values } from '@waymark/contract';
import { jsonResponse, RouteResponse } from '@waymark/contract/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDoor, type DoorOptions } from '../../src/index.ts';
import { ask } from '../ask.ts';
import { type FakeRoute, fakeDispatcher } from '../fake-dispatcher.ts';
import { keys } from '../open-door.ts';

type Request = IncomingMessage & { originalUrl?: string; body?: unknown };
type Middleware = (req: Request, res: ServerResponse, next: (error?: unknown) => void) => void;

/** A chain as connect and express run it. */
async function chain(...steps: readonly Middleware[]): Promise<string> {
  const server = createServer((req, res) => {
    const run = (i: number) => (error?: unknown) => {
      if (error !== undefined) res.writeHead(500).end('chain error');
      else if (steps[i]) steps[i](req, res, run(i + 1));
      else res.writeHead(404).end('end of chain');
    };
    run(0)();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** `app.use('/api', …)` of express. */
const mountedAt =
  (prefix: string, inner: Middleware): Middleware =>
  (req, res, next) => {
    if (!req.url?.startsWith(prefix)) return next();
    req.originalUrl = req.url;
    req.url = req.url.slice(prefix.length) || '/';
    inner(req, res, next);
  };

/** `express.json()`. */
const parseJson: Middleware = (req, _res, next) => {
  json(req).then((body) => {
    req.body = body;
    next();
  }, next);
};

const echo: FakeRoute = {
  method: 'POST',
  path: '/api/echo',
  answer: async ({ input }) =>
    jsonResponse(
      JSON.parse(Buffer.from(await input.body.read(1000, new AbortController().signal)).toString()),
    ),
};

function doorOf(...routes: readonly FakeRoute[]) {
  return doorWith({}, ...routes);
}

function doorWith(options: Partial<DoorOptions>, ...routes: readonly FakeRoute[]) {
  const logs: string[] = [];
  const lines: Values[] = [];
  const dispatcher = fakeDispatcher(routes);
  const door = createDoor({
    dispatcher,
    authenticate: keys,
    newId: () => 'made',
    log: (_level, message, fields = {}) => {
      logs.push(message);
      lines.push(fields);
    },
    ...options,
  });
  return { door, logs, lines, dispatcher };
}

describe('middleware', () => {
  it('answers routes of the table and lets everything else pass untouched', async () => {
    const { door, logs } = doorOf({ method: 'GET', path: '/page' });
    const url = await chain(door.middleware);
    expect(await (await fetch(`${url}/page`)).json()).toBe('ok');
    const passed = await fetch(`${url}/other`);
    expect(await passed.text()).toBe('end of chain');
    expect(passed.headers.get('x-request-id')).toBeNull();
    expect(passed.headers.get('x-frame-options')).toBeNull();
    expect(logs).toEqual(['request']);
    await door.whenIdle();
  });

  it('sends the octets of a header where others have set some, too', async () => {
    const octets = Buffer.from('attachment; filename="日本.txt"').toString('latin1');
    const body = { kind: 'bytes', bytes: Buffer.from('ok'), mediaType: 'text/plain' } as const;
    const answer = () => new RouteResponse(200, body, { 'content-disposition': octets });
    const { door } = doorOf({ method: 'GET', path: '/file', answer });
    const url = await chain((_req, res, next) => {
      res.setHeader('x-front', 'one');
      next();
    }, door.middleware);
    const { headers } = await fetch(`${url}/file`);
    expect([headers.get('x-front'), headers.get('content-disposition')]).toEqual(['one', octets]);
  });

  it('answers 500 where the rest of the chain throws at once, and still knows when it is idle', async () => {
    const { door } = doorOf();
    const url = await chain(door.middleware, () => {
      throw new Error('broken');
    });
    expect((await fetch(url)).status).toBe(500);
    await door.whenIdle();
  });

  it('answers 405 for a path the table knows, and everything under the control prefix', async () => {
    const { door } = doorOf({ method: 'GET', path: '/page' });
    const url = await chain(door.middleware);
    expect((await fetch(`${url}/page`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${url}/_svc/nothing`)).status).toBe(403);
  });

  it('serves the table below the place where it is mounted, and logs paths as they were sent', async () => {
    const { door, lines, dispatcher } = doorOf(
      { method: 'GET', path: '/page' },
      { method: 'GET', path: '/api/page' },
    );
    const url = await chain(mountedAt('/api', door.middleware));
    expect((await fetch(`${url}/api/page?a=1`)).status).toBe(200);
    expect(await (await fetch(`${url}/api/other`)).text()).toBe('end of chain');
    expect(await (await fetch(`${url}/page`)).text()).toBe('end of chain');
    // Health has no guard here, and is under the control prefix wherever that is mounted.
    expect((await fetch(`${url}/api/_svc/health`)).status).toBe(403);
    expect(await (await fetch(`${url}/_svc/health`)).text()).toBe('end of chain');
    expect(dispatcher.calls.map(({ input }) => input)).toMatchObject([{ path: '/page', search: 'a=1' }]);
    expect(lines.map(({ path }) => path)).toEqual(['/api/page', '/api/_svc/health']);
  });

  it('works after a body parser', async () => {
    const { door } = doorOf(echo);
    const url = await chain(parseJson, door.middleware);
    const response = await fetch(`${url}/api/echo`, {
      method: 'POST',
      body: '{"a": 1}',
      headers: { 'content-type': 'application/json' },
    });
    expect(await response.json()).toEqual({ a: 1 });
  });

  it('works before one, and after one that had nothing to parse', async () => {
    const { door } = doorOf(echo);
    const idle: Middleware = (req, _res, next) => {
      req.body = {};
      next();
    };
    const url = await chain(idle, door.middleware, parseJson);
    const response = await fetch(`${url}/api/echo`, { method: 'POST', body: '[2]' });
    expect(await response.json()).toEqual([2]);
  });

  it('keeps headers that were set before it', async () => {
    const { door } = doorOf({ method: 'GET', path: '/page' });
    const url = await chain((_req, res, next) => {
      res.setHeader('x-powered-by', 'someone');
      res.setHeader('content-type', 'text/plain');
      next();
    }, door.middleware);
    const response = await fetch(`${url}/page`);
    expect(response.headers.get('x-powered-by')).toBe('someone');
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  it('adds its cookies to those that were set before it', async () => {
    const answer = () => jsonResponse(1, 200, { 'set-cookie': ['b=2', 'c=3'] });
    const { door } = doorOf({ method: 'GET', path: '/page', answer });
    const url = await chain((_req, res, next) => {
      res.setHeader('set-cookie', 'a=1');
      next();
    }, door.middleware);
    expect((await fetch(`${url}/page`)).headers.getSetCookie()).toEqual(['a=1', 'b=2', 'c=3']);
  });

  it('leaves health to the table while it drains, and refuses the rest', async () => {
    const { door } = doorOf({ method: 'GET', path: '/page' });
    const url = await chain(door.middleware);
    door.drain();
    const response = await fetch(`${url}/page`);
    expect(response.status).toBe(503);
    expect(response.headers.get('connection')).toBe('close');
    expect((await fetch(`${url}/_svc/health`)).status).toBe(403);
  });
});

describe('middleware beside paths of others', () => {
  const foreign = { origin: 'https://evil.example', host: 'evil.example' };

  it('guards its own paths and leaves theirs to them', async () => {
    const { door } = doorWith({ hostGuard: 'everywhere' }, { method: 'POST', path: '/page' });
    const url = await chain(door.middleware);
    const at = { port: Number(new URL(url).port) };
    expect((await ask(at, 'POST /page', foreign)).status).toBe(403);
    expect((await ask(at, 'POST /_svc/nothing', foreign)).status).toBe(403);
    expect((await ask(at, 'POST /theirs', foreign)).body).toBe('end of chain');
  });

  it('gives a preflight for a path of theirs to them', async () => {
    const { door } = doorWith({ cors: { origins: ['https://a.example'] } }, { method: 'GET', path: '/page' });
    const at = { port: Number(new URL(await chain(door.middleware)).port) };
    const preflight = { origin: 'https://a.example', 'access-control-request-method': 'PUT' };
    expect((await ask(at, 'OPTIONS /theirs', preflight)).body).toBe('end of chain');
    expect((await ask(at, 'OPTIONS /page', preflight)).status).toBe(204);
  });
});

describe('protect', () => {
  it('holds answers of others to the same hosts, origins and headers', async () => {
    const { door, logs } = doorWith({ hostGuard: 'everywhere', cors: { origins: ['https://a.example'] } });
    const at = { port: Number(new URL(await chain(door.protect, door.middleware)).port) };
    const passed = await ask(at, '/theirs', { origin: 'https://a.example' });
    expect(passed.body).toBe('end of chain');
    expect(passed.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': 'https://a.example',
      vary: 'Origin',
    });
    expect(logs).toEqual([]);
    const refused = await ask(at, '/theirs', { host: 'evil.example' });
    expect([refused.status, refused.headers['x-frame-options']]).toEqual([403, 'DENY']);
    expect((await ask(at, 'POST /theirs', { origin: 'https://evil.example' })).status).toBe(403);
    const preflight = { origin: 'https://a.example', 'access-control-request-method': 'PUT' };
    expect((await ask(at, 'OPTIONS /theirs', preflight)).status).toBe(204);
    expect(logs).toEqual(['request', 'request', 'request']);
    await door.whenIdle();
  });

  it('adds to what somebody in front varies by, once', async () => {
    const { door } = doorWith({ cors: { origins: ['https://a.example'] } });
    const at = {
      port: Number(
        new URL(
          await chain(
            (_req, res, next) => {
              res.setHeader('vary', 'accept');
              next();
            },
            door.protect,
            door.protect,
          ),
        ).port,
      ),
    };
    expect((await ask(at, '/')).headers.vary).toBe('accept, Origin');
  });

  it('refuses new requests while the door drains', async () => {
    const { door } = doorOf();
    const at = { port: Number(new URL(await chain(door.protect)).port) };
    door.drain();
    expect((await ask(at, '/theirs')).status).toBe(503);
  });
});
