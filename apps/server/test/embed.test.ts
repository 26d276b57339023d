import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createRouteTable,
  defineRoute,
  HTTPError,
  type Route,
  type RouteTable,
  Type,
  toRoute,
} from '@waymark/contract';
import type { Plugin } from '@waymark/contract/engine';
import { anonymous, type Principal } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { controlPlane, controlRule } from '@waymark/control-plane';
import { createDispatcher, createIds } from '@waymark/core-routes';
import { createDoor, type Door, type DoorOptions } from '@waymark/http';
import { mcpRoute } from '@waymark/mcp';
import { toOpenApi } from '@waymark/openapi';
import express, { type Express, type RequestHandler } from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { knock, upgrade } from './knock.ts';
import { ask } from './serve.ts';

type SignedIn = IncomingMessage & { user?: Principal };

const add = defineRoute(
  'POST',
  '/orders',
  { input: { item: Type.String(), count: Type.Integer() }, tool: true, summary: 'Order.' },
  ({ item, count }, { user }) => ({ ordered: `${count} ${item}`, by: user.id }),
);
const list = defineRoute('GET', '/orders', { tool: true, scopes: ['orders:read'] }, () => ['atlas']);
const where = defineRoute('GET', '/where', {}, (_input, { path }) => path);
const upload = defineRoute('POST', '/upload', {}, (_input, { body }) => Buffer.from(body).toString('hex'));
const broken = defineRoute('GET', '/broken', {}, () => {
  throw new Error('no disk');
});
const refusing = defineRoute('GET', '/refusing', {}, () => {
  throw new HTTPError(409, 'not now');
});
const live = toRoute(
  'GET',
  '/live',
  { kind: 'handler', accept: (peer, { principal }) => peer.send(`welcome ${principal.id}`) },
  { socket: true, scopes: ['orders:read'] },
);
const routes = [add, list, where, upload, broken, refusing, live];

const ann: Principal = {
  id: 'ann',
  rootId: 'ann',
  authenticated: true,
  scopes: ['orders:read', 'svc:admin'],
};

/** The sign-in of the foreign application: it knows one cookie. */
const signIn: RequestHandler = (req, _res, next) => {
  if (req.headers.cookie === 'session=ann') (req as SignedIn).user = ann;
  next();
};
const cookie = { cookie: 'session=ann' };

interface Embedded {
  readonly door: Door;
  readonly table: RouteTable;
  readonly lines: readonly (readonly [message: string, path: unknown, status: unknown])[];
}

/** A table with the control plane and MCP behind a door, as somebody puts it together who has an application already. */
function embed(options: Partial<DoorOptions> = {}, served: readonly Route[] = routes): Embedded {
  const control: Plugin = controlPlane({
    ...{ name: 'orders', version: '1.0.0' },
    ...{ draining: () => false, gauges: () => ({}) },
    document: (table) => toOpenApi(table, { title: 'Orders', version: '1.0.0', serverUrl: '/api' }),
  });
  const mcp = mcpRoute({ info: { name: 'orders', version: '1.0.0' } });
  const table = createRouteTable([...served, ...control.routes, mcp]).freeze();
  const rule = controlRule({ authenticated: true });
  const lines: [string, unknown, unknown][] = [];
  const log: DoorOptions['log'] = (_level, message, fields = {}) =>
    void lines.push([message, fields['path'] ?? fields['route'], fields['status']]);
  const door = createDoor({
    dispatcher: createDispatcher(table, { controlRule: rule, log }),
    controlRule: rule,
    authenticate: () => ({ ok: true, principal: anonymous() }),
    principalOf: (req) => (req as SignedIn).user,
    newId: createIds(),
    log,
    ...options,
  });
  return { door, table, lines };
}

/** Serves a foreign application until the test is over. */
async function serveExpress(app: Express, onUpgrade?: Door['upgrade']): Promise<string> {
  const server = createServer(app);
  if (onUpgrade) server.on('upgrade', (req, socket, head) => onUpgrade(req, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What the foreign application answers to everything that came past the table. */
const theirs: RequestHandler = (req, res) => void res.status(203).send(`theirs ${req.method} ${req.url}`);

describe('a table mounted in a foreign express application', () => {
  const mounts: readonly (readonly [string, (app: Express, door: Door) => void])[] = [
    ['', (app, { middleware }) => app.use(middleware)],
    ['/api', (app, { middleware }) => app.use('/api', middleware)],
    ['/a/b', (app, { middleware }) => app.use('/a', express.Router().use('/b', middleware))],
  ];

  it.each(mounts)('serves its paths below "%s", the control prefix too', async (mount, use) => {
    verifies('embed.mount');
    const { door, lines } = embed();
    const app = express().use(signIn);
    use(app, door);
    const url = await serveExpress(app.use(theirs));
    expect((await ask(`${url}${mount}/where?a=1`)).body).toBe('/where');
    expect((await ask(`${url}${mount}/_svc/health`)).body).toMatchObject({ status: 'ok', app: 'orders' });
    expect((await ask(`${url}${mount}/_svc/tools`)).status).toBe(401);
    const { body } = await ask(`${url}${mount}/_svc/tools`, { headers: cookie });
    expect(body).toMatchObject({ tools: [{ name: 'create_orders' }, { name: 'get_orders' }] });
    expect(lines.slice(0, 2)).toEqual([
      ['request', `${mount}/where`, 200],
      ['request', `${mount}/_svc/health`, 200],
    ]);
    if (mount !== '')
      for (const path of ['/where', '/_svc/health', '/_svc/tools', `${mount}x/where`])
        expect((await ask(url + path)).status, path).toBe(203);
  });

  it('leaves what it does not know to the application, untouched', async () => {
    verifies('embed.next');
    const { door, lines } = embed();
    const url = await serveExpress(express().use('/api', door.middleware).use(express.json(), theirs));
    const passed = await knock(`${url}/api/unknown?a=1`);
    expect([passed.status, passed.text]).toEqual([203, 'theirs GET /api/unknown?a=1']);
    for (const header of ['x-request-id', 'x-frame-options', 'x-content-type-options'])
      expect(passed.headers[header]).toBeUndefined();
    const evil = { origin: 'https://evil.example', 'content-type': 'application/json' };
    expect((await knock(`${url}/api/unknown`, { method: 'POST', headers: evil, body: '{}' })).status).toBe(
      203,
    );
    expect(lines).toEqual([]);
  });

  it('answers HEAD, OPTIONS and methods that it does not have, on the paths it knows', async () => {
    verifies('embed.methods');
    const { door } = embed();
    const url = await serveExpress(express().use('/api', door.middleware).use(theirs));
    const head = await knock(`${url}/api/where`, { method: 'HEAD' });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '8']);
    const options = await knock(`${url}/api/orders`, { method: 'OPTIONS' });
    expect([options.status, options.headers['allow']]).toEqual([204, 'GET, POST, HEAD, OPTIONS']);
    const wrong = await knock(`${url}/api/orders`, { method: 'DELETE' });
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET, POST, HEAD, OPTIONS']);
    expect((await knock(`${url}/api/live`)).status).toBe(426);
    expect((await knock(`${url}/api/unknown`, { method: 'OPTIONS' })).status).toBe(203);
  });

  it('answers its own failures, and never hands one to the error handler of the application', async () => {
    verifies('embed.errors');
    const { door, lines } = embed();
    const caught: unknown[] = [];
    const app = express().use('/api', door.middleware);
    app.get('/api/their-fault', () => {
      throw new Error('theirs');
    });
    app.use(((error, _req, res, _next) => {
      caught.push((error as Error).message);
      res.status(599).send('their error page');
    }) satisfies express.ErrorRequestHandler);
    const url = await serveExpress(app);
    const failed = await knock(`${url}/api/broken`);
    expect([failed.status, failed.headers['content-type'], failed.detail]).toEqual([
      ...[500, 'application/problem+json', 'internal error'],
    ]);
    const refused = await knock(`${url}/api/refusing`);
    expect([refused.status, refused.detail]).toEqual([409, 'not now']);
    expect(caught).toEqual([]);
    expect(lines[0]?.[0]).toBe('route failed');
    expect((await knock(`${url}/api/their-fault`)).text).toBe('their error page');
    expect(caught).toEqual(['theirs']);
  });

  it('stands beside another table', async () => {
    const orders = embed();
    const maps = embed({}, [defineRoute('GET', '/maps', {}, () => 'maps')]);
    const app = express().use('/orders', orders.door.middleware).use('/maps', maps.door.middleware);
    const url = await serveExpress(app);
    expect((await ask(`${url}/orders/where`)).body).toBe('/where');
    expect((await ask(`${url}/maps/maps`)).body).toBe('maps');
    expect((await ask(`${url}/maps/where`)).status).toBe(404);
  });

  it('is described with paths that are relative to where it is mounted', async () => {
    verifies('embed.openapi');
    const { door } = embed();
    const url = await serveExpress(express().use(signIn).use('/api', door.middleware));
    const { body } = await ask(`${url}/api/_svc/openapi.json`, { headers: cookie });
    const {
      servers,
      paths,
      'x-waymark': more,
    } = body as {
      servers: [{ url: string }];
      paths: object;
      'x-waymark': { mcp: string };
    };
    expect(Object.keys(paths)).toContain('/where');
    const base = new URL(servers[0].url, url).href;
    expect((await ask(`${base}/where`)).body).toBe('/where');
    expect((await ask(base + more.mcp, { headers: cookie })).status).toBe(405);
  });
});

describe('a body that a parser of the application has read', () => {
  const order = { item: 'atlas', count: 2 };
  const answer = { ordered: '2 atlas', by: 'anonymous' };

  it.each<readonly [string, RequestHandler]>([
    ['express.json()', express.json()],
    ['express.json({ strict: false })', express.json({ strict: false })],
    ['express.text() for everything', express.text({ type: '*/*' })],
    ['express.raw() for everything', express.raw({ type: '*/*' })],
    ['express.urlencoded(), which leaves JSON alone', express.urlencoded({ extended: true })],
  ])('is used after %s', async (_name, parser) => {
    verifies('embed.parsed-body');
    const { door } = embed();
    const url = await serveExpress(express().use(parser, signIn).use('/api', door.middleware));
    expect((await ask(`${url}/api/orders`, { body: order })).body).toEqual(answer);
    expect((await ask(`${url}/api/orders`, { body: { ...order, count: 'two' } })).status).toBe(422);
    expect((await ask(`${url}/api/orders`, { body: '{"__proto__": {"a": 1}}' })).status).toBe(400);
    expect((await ask(`${url}/api/orders`, { method: 'POST' })).status).toBe(422);
    const listed = await ask(`${url}/api/_svc/mcp`, {
      headers: cookie,
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    });
    expect(listed.body).toMatchObject({
      result: { tools: [{ name: 'create_orders' }, { name: 'get_orders' }] },
    });
  });

  it('is held to the limit of its route', async () => {
    const small = defineRoute(
      'POST',
      '/small',
      { input: { text: Type.String() }, maxBodyBytes: 20 },
      () => 1,
    );
    const { door } = embed({}, [small]);
    const url = await serveExpress(express().use(express.json(), door.middleware));
    expect((await ask(`${url}/small`, { body: { text: '123456789' } })).status).toBe(200);
    expect((await ask(`${url}/small`, { body: { text: '1234567890' } })).status).toBe(413);
  });

  it('is the bytes that came where a route takes bytes', async () => {
    const { door } = embed();
    const url = await serveExpress(express().use(express.raw(), door.middleware));
    const sent = { headers: { 'content-type': 'application/octet-stream' }, body: '\u0001\u0002' };
    expect((await ask(`${url}/upload`, sent)).body).toBe('0102');
  });

  it('is refused at once, saying why, when nobody kept it', async () => {
    verifies('embed.consumed-body');
    const { door, lines } = embed();
    const drain: RequestHandler = async (req, _res, next) => {
      for await (const _chunk of req);
      next();
    };
    const url = await serveExpress(express().use(drain, door.middleware));
    const lost = await ask(`${url}/orders`, { body: order });
    expect([lost.status, (lost.body as { detail: string }).detail]).toEqual([
      500,
      'the body was read by middleware in front, and `req.body` does not hold it as JSON, text or bytes: mount the routes before that middleware',
    ]);
    expect(lines[0]?.[0]).toBe('route failed');
    expect((await ask(`${url}/where`)).status).toBe(200);
    expect((await ask(`${url}/orders`, { method: 'POST' })).status).toBe(422);
    const form = await serveExpress(express().use(express.urlencoded({ extended: true }), door.middleware));
    const sent = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=1' };
    expect((await ask(`${form}/upload`, sent)).status).toBe(500);
    expect((await ask(`${form}/orders`, sent)).status).toBe(415);
  });
});

describe('the principal that the application has found out', () => {
  it('is the one that routes, tools and the control plane see', async () => {
    verifies('embed.principal');
    const { door } = embed();
    const url = await serveExpress(express().use(express.json(), signIn).use('/api', door.middleware));
    expect((await ask(`${url}/api/orders`)).status).toBe(401);
    expect((await ask(`${url}/api/orders`, { headers: cookie })).body).toEqual(['atlas']);
    const call = { name: 'create_orders', arguments: { item: 'map', count: 1 } };
    const called = await ask(`${url}/api/_svc/mcp`, {
      headers: cookie,
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    });
    expect(called.body).toMatchObject({ result: { content: [{ text: '{"ordered":"1 map","by":"ann"}' }] } });
    expect((await ask(`${url}/api/_svc/mcp`, { body: {} })).status).toBe(401);
  });

  it('counts for nothing on requests that its cookie was abused for', async () => {
    const { door } = embed();
    const url = await serveExpress(express().use(signIn, door.middleware));
    const abused = { ...cookie, origin: 'https://evil.example', 'content-type': 'text/plain' };
    expect((await knock(`${url}/orders`, { method: 'POST', headers: abused, body: '{}' })).status).toBe(403);
  });
});

describe('an upgrade of a foreign server', () => {
  /** As the application does it: middleware does not run for upgrades, so it signs in by itself. */
  const onUpgrade = ({ door }: Embedded): Door['upgrade'] => {
    return (req, socket, head) => {
      if (req.headers.cookie === 'session=ann') (req as SignedIn).user = ann;
      door.upgrade(req, socket, head, () => {
        socket.end('HTTP/1.1 203 Theirs\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      });
    };
  };

  it('is at the mount path in its own letter case alone, for requests as for upgrades', async () => {
    verifies('embed.mount-path.case');
    const warned: object[] = [];
    const embedded = embed({
      mountPath: '/api/v1',
      log: (level, _message, fields = {}) => void (level === 'warn' && warned.push(fields)),
    });
    const inner = express.Router().use('/v1', embedded.door.middleware);
    const app = express()
      .use('/api', inner)
      .use((req, res) => void res.send(`theirs: ${req.url}`));
    const url = await serveExpress(app, onUpgrade(embedded));
    expect(await (await fetch(`${url}/api/v1/where`)).json()).toBe('/where');
    for (const path of ['/API/v1/where', '/api/V1/where?a=1', '/Api/V1/_svc/health'])
      expect(await (await fetch(url + path)).text(), path).toBe(`theirs: ${path}`);
    expect((await knock(`${url}/API/v1/live`, { headers: { ...upgrade, ...cookie } })).status).toBe(203);
    expect(warned).toMatchObject([{ mount_path: '/api/v1', sent: '/API/v1' }]);
  });

  it('finds sockets below the mount path, for whom the application says, and leaves the others to it', async () => {
    verifies('embed.sockets');
    const embedded = embed({ mountPath: '/api' });
    const app = express().use('/api', embedded.door.middleware);
    const url = await serveExpress(app, onUpgrade(embedded));
    const opened = await knock(`${url}/api/live`, { headers: { ...upgrade, ...cookie } });
    expect(opened.status).toBe(101);
    expect((await knock(`${url}/api/live`, { headers: upgrade })).status).toBe(401);
    for (const path of ['/live', '/apilive', '/api/unknown', '/socket.io/?EIO=4'])
      expect((await knock(url + path, { headers: { ...upgrade, ...cookie } })).status, path).toBe(203);
    expect(embedded.lines).toEqual([
      ['upgrade', '/api/live', 101],
      ['upgrade', '/api/live', 401],
    ]);
  });
});
