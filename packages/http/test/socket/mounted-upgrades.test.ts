import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDoor, type Door, type DoorOptions } from '../../src/index.ts';
import { askForSocket } from '../ask.ts';
import { type FakeRoute, fakeDispatcher } from '../fake-dispatcher.ts';
import { keys } from '../open-door.ts';

const feed: FakeRoute = { method: 'GET', path: '/feed', accept: () => {} };
const page: FakeRoute = { method: 'GET', path: '/page' };

function doorWith(options: Partial<DoorOptions> = {}) {
  const dispatcher = fakeDispatcher([feed, page]);
  const logged: unknown[] = [];
  const door = createDoor({
    dispatcher,
    authenticate: keys,
    newId: () => 'made',
    log: (_level, _message, fields = {}) => logged.push([fields['path'], fields['status']]),
    ...options,
  });
  return { door, dispatcher, logged };
}

/** Somebody's server, which hands upgrades to the door. */
async function serve(upgrade: Door['upgrade']): Promise<{ port: number }> {
  const server = createServer();
  server.on('upgrade', (req, socket, head) => upgrade(req, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port };
}

/** Answers an upgrade as no door of ours does. */
function answerTheirs(socket: Duplex): void {
  socket.end('HTTP/1.1 418 Theirs\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
}

describe('an upgrade below a mount path', () => {
  it('finds the routes there, and nowhere else', async () => {
    const { door, dispatcher, logged } = doorWith({ mountPath: '/api/v1' });
    const at = await serve(door.upgrade);
    expect((await askForSocket(at, '/api/v1/feed?a=1')).status).toBe(101);
    expect(dispatcher.calls[0]?.input).toMatchObject({ path: '/feed', search: 'a=1' });
    for (const path of ['/feed', '/api/v1feed', '/api/v1', '/api/v1/nothing', '/api/feed'])
      expect((await askForSocket(at, path)).status, path).toBe(404);
    expect((await askForSocket(at, '/api/v1/feed', { 'x-api-key': 'wrong' })).status).toBe(401);
    expect(logged.slice(0, 2)).toEqual([
      ['/api/v1/feed', 101],
      ['/feed', 404],
    ]);
  });

  it('needs a mount path that is one', () => {
    for (const mountPath of ['api', '/api/', '/', '/a b', '/a//b', '/..', '/a/./b'])
      expect(() => doorWith({ mountPath }), mountPath).toThrow(/mountPath: .* is not a path/);
    for (const mountPath of ['', '/api', '/a-b/v1.0/~me', '/..a', '/.well-known']) doorWith({ mountPath });
  });
});

describe('an upgrade for somebody else', () => {
  it('goes on to them untouched, whether it is below the mount path or not', async () => {
    const { door, logged } = doorWith({ mountPath: '/api', hostGuard: 'everywhere' });
    const at = await serve((req, socket, head) =>
      door.upgrade(req, socket, head, () => answerTheirs(socket)),
    );
    for (const path of ['/theirs', '/feed', '/api/theirs'])
      expect(
        (await askForSocket(at, path, { host: 'other.example', origin: 'https://evil.example' })).status,
      ).toBe(418);
    expect(logged).toEqual([]);
    expect((await askForSocket(at, '/api/feed')).status).toBe(101);
  });

  it('is no way around what guards our own paths', async () => {
    const { door } = doorWith();
    const at = await serve((req, socket, head) =>
      door.upgrade(req, socket, head, () => answerTheirs(socket)),
    );
    expect((await askForSocket(at, '/feed', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await askForSocket(at, '/page')).status).toBe(400);
    expect((await askForSocket(at, '/_svc/nothing')).status).toBe(403);
  });

  it('is answered 500 when they throw, and the process goes on', async () => {
    const { door } = doorWith();
    const at = await serve((req, socket, head) =>
      door.upgrade(req, socket, head, () => {
        throw new Error('broken');
      }),
    );
    expect((await askForSocket(at, '/theirs')).status).toBe(500);
  });
});
