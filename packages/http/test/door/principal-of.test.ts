import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HTTPError } from '@waymark/contract';
import type { Principal } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDoor, type DoorOptions } from '../../src/index.ts';
import { ask, askForSocket } from '../ask.ts';
import { type FakeRoute, fakeDispatcher } from '../fake-dispatcher.ts';
import { keys, openDoor } from '../open-door.ts';

const routes: readonly FakeRoute[] = [
  { method: 'GET', path: '/page' },
  { method: 'GET', path: '/feed', accept: () => {} },
  { method: 'GET', path: '/_svc/health' },
  { method: 'GET', path: '/_svc/usage' },
];
const bob: Principal = { id: 'bob', rootId: 'bob', authenticated: true, scopes: ['svc:admin'] };

/** Who signed in with a cookie. */
const fromCookie = ({ headers }: IncomingMessage) => (headers.cookie === 'session=bob' ? bob : undefined);
const cookie = { cookie: 'session=bob' };

const open = (principalOf: NonNullable<DoorOptions['principalOf']>) =>
  openDoor(routes, {
    principalOf,
    controlRule: ({ principal }) => (principal.id === 'bob' ? undefined : new HTTPError(403, 'not for you')),
  });

describe('principalOf', () => {
  it.each([
    ['at once', fromCookie],
    ['later', (req: IncomingMessage) => Promise.resolve(fromCookie(req))],
  ])(
    'says %s who a request, an upgrade and a look at the control plane is from',
    async (_when, principalOf) => {
      verifies('embed.principal');
      const door = await open(principalOf);
      expect((await ask(door, '/page', cookie)).status).toBe(200);
      expect((await askForSocket(door, '/feed', cookie)).status).toBe(101);
      expect((await ask(door, '/_svc/usage', cookie)).status).toBe(200);
      expect(door.dispatcher.calls.map(({ principal }) => principal)).toEqual([bob, bob, bob]);
      expect((await door.logged(({ fields }) => fields['path'] === '/page')).fields['principal']).toBe('bob');
    },
  );

  it('comes before the credentials, which count where it knows nobody', async () => {
    const door = await open(fromCookie);
    expect((await ask(door, '/page', { ...cookie, 'x-api-key': 'wrong' })).status).toBe(200);
    expect((await ask(door, '/page', { 'x-api-key': 'good' })).status).toBe(200);
    expect((await ask(door, '/page')).status).toBe(200);
    expect((await ask(door, '/page', { 'x-api-key': 'wrong' })).status).toBe(401);
    expect((await ask(door, '/_svc/usage')).status).toBe(403);
    expect(door.dispatcher.calls.map(({ principal }) => principal.id)).toEqual(['bob', 'alice', 'anonymous']);
  });

  it('is not asked for health', async () => {
    const door = await open(() => {
      throw new Error('the session store is down');
    });
    expect((await ask(door, '/_svc/health')).status).toBe(403);
    expect((await ask(door, '/page')).status).toBe(500);
  });

  it('may refuse: an HTTPError is answered as it is, anything else without saying why', async () => {
    const refusing = await open(() => Promise.reject(new HTTPError(401, 'the session has ended')));
    const refused = await ask(refusing, '/page');
    expect([refused.status, refused.detail]).toEqual([401, 'the session has ended']);
    expect((await askForSocket(refusing, '/feed')).status).toBe(401);
    const broken = await open(() => Promise.reject(new Error('no database')));
    expect((await ask(broken, '/page')).detail).toBe('internal error');
  });

  it('waits for promises of any make', async () => {
    // biome-ignore lint/suspicious/noThenProperty: one that waits is what is tested
    const thenable = { then: (take: (principal: Principal | undefined) => void) => take(undefined) };
    const door = await open(() => thenable as Promise<undefined>);
    expect((await ask(door, '/page')).status).toBe(200);
    expect(door.dispatcher.calls.map(({ principal }) => principal.id)).toEqual(['anonymous']);
  });

  it.each<unknown>([
    { ...bob, scopes: 'svc:admin' },
    { ...bob, scopes: [['svc:admin']] },
    { ...bob, scopes: undefined },
    { ...bob, id: 7 },
    { ...bob, rootId: '' },
    { ...bob, authenticated: 'yes' },
    {},
    'bob',
    true,
  ])('lets nobody in as %j, which is no principal', async (given) => {
    const door = await open(() => given as Principal);
    expect((await ask(door, '/page')).detail).toBe('internal error');
    expect((await ask(door, '/_svc/usage')).status).toBe(500);
    expect((await askForSocket(door, '/feed')).status).toBe(500);
    expect(door.dispatcher.calls).toEqual([]);
  });
});

describe('a sign-in that never says who it is', () => {
  const never = () => new Promise<never>(() => {});
  const authenticateTimeoutMs = 20;

  it.each<[string, Partial<DoorOptions>]>([
    ['principalOf', { principalOf: never }],
    ['authenticate', { authenticate: never }],
    ['authenticate after principalOf', { principalOf: async () => undefined, authenticate: never }],
  ])('is given up: %s', async (_name, options) => {
    verifies('embed.principal.timeout');
    const door = await openDoor(routes, { ...options, authenticateTimeoutMs, controlRule: () => undefined });
    const answers = [
      await ask(door, '/page'),
      await askForSocket(door, '/feed'),
      await ask(door, '/_svc/usage'),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(504);
      expect(JSON.parse(body)).toMatchObject({
        detail: 'who you are could not be told within 0.02 s',
        code: 'timeout',
      });
    }
    const lines = door.logs.filter(({ level }) => level === 'error');
    expect(lines.map(({ message, fields }) => [message, fields['path']])).toEqual(
      ['/page', '/feed', '/_svc/usage'].map((path) => ['nobody said in time who a request is from', path]),
    );
    // A path that nobody serves is 404 whoever asks.
    expect((await ask(door, '/nothing', { 'x-api-key': 'good' })).status).toBe(404);
    await door.door.whenIdle();
  });

  it('has time enough when it is merely slow, and what it says too late changes nothing', async () => {
    let fail: (error: Error) => void = () => {};
    const late = new Promise<Principal>((_, reject) => {
      fail = reject;
    });
    let asked = 0;
    const door = await openDoor(routes, {
      authenticateTimeoutMs: 50,
      principalOf: () => (++asked === 1 ? late : Promise.resolve(bob)),
    });
    expect((await ask(door, '/page')).status).toBe(504);
    fail(new Error('the session store is back, and angry'));
    expect((await ask(door, '/page')).status).toBe(200);
    expect(door.dispatcher.calls).toHaveLength(1);
  });

  it('is given up inside the application of somebody else, too', async () => {
    const door = createDoor({
      dispatcher: fakeDispatcher(routes),
      authenticate: keys,
      newId: () => 'made',
      principalOf: never,
      authenticateTimeoutMs,
    });
    const server = createServer((req, res) => door.middleware(req, res, () => void res.end('theirs')));
    server.on('upgrade', (req, socket, head) => door.upgrade(req, socket, head, () => socket.destroy()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const at = { port: (server.address() as AddressInfo).port };
    expect((await ask(at, '/page')).status).toBe(504);
    expect((await askForSocket(at, '/feed')).status).toBe(504);
    expect((await ask(at, '/else')).body).toBe('theirs');
  });
});
