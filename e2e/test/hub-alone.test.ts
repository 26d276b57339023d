import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { anonymous, type Principal } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { camera, sensor } from '@waymark/device-hub';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHubDoor } from './hub-door.ts';
import { picture } from './hub-pictures.ts';
import { ask, Connection, handshake, toBytes } from './wire/connection.ts';

/** As much of express as this test needs; the library is the server's. */
type Express = RequestListener & {
  use(...handlers: readonly unknown[]): void;
};
const express = createRequire(join(import.meta.dirname, '../../apps/server/package.json'))('express') as {
  (): Express;
  json(): unknown;
};

/** The sign-in of an application that was there before: it knows cookies and nothing of keys. */
const users: Readonly<Record<string, Principal>> = {
  'session=ann': {
    ...{ id: 'ann', rootId: 'ann', authenticated: true },
    scopes: ['devices:ingest', 'devices:read', 'svc:admin'],
  },
  'session=bob': { id: 'bob', rootId: 'bob', authenticated: true, scopes: ['devices:read'] },
};
const userOf = ({ headers }: IncomingMessage) => users[headers.cookie ?? ''];

const devices = [camera('door'), sensor('thermo')];

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The hub on a plain server, which answers everything else itself. */
async function onPlainServer(): Promise<{ readonly port: number; readonly mount: string }> {
  const { door, stop } = await createHubDoor(
    devices,
    {},
    { authenticate: () => ({ ok: true, principal: anonymous() }), principalOf: userOf },
  );
  onTestFinished(stop);
  const server = createServer(door.listener((_req, res) => void res.end('theirs')));
  server.on('upgrade', door.upgrade);
  return { port: await listening(server), mount: '' };
}

/** The hub below `/api` of an express application, behind its body parser. */
async function inExpress(): Promise<{ readonly port: number; readonly mount: string }> {
  const { door, stop } = await createHubDoor(
    devices,
    {},
    {
      authenticate: () => ({ ok: true, principal: anonymous() }),
      principalOf: userOf,
      mountPath: '/api',
    },
  );
  onTestFinished(stop);
  const app = express();
  app.use(express.json());
  app.use('/api', door.middleware);
  app.use((_req: IncomingMessage, res: { end(text: string): void }) => res.end('theirs'));
  const server = createServer(app);
  server.on('upgrade', (req, socket, head) => door.upgrade(req, socket, head, () => socket.destroy()));
  return { port: await listening(server), mount: '/api' };
}

describe.each([
  ['a plain server of node:http', onPlainServer],
  ['a foreign express application', inExpress],
])('the hub alone in %s', (_, start) => {
  it('takes frames and readings, and shows them to whoever signed in there', async () => {
    verifies('hub.alone', 'hub.alone.no-database');
    const { port, mount } = await start();
    const send = (method: string, path: string, body?: string | Buffer, cookie = 'session=ann') =>
      fetch(`http://127.0.0.1:${port}${mount}${path}`, {
        method,
        headers: { cookie, 'content-type': typeof body === 'string' ? 'application/json' : 'image/png' },
        ...(body !== undefined && { body }),
      });
    const posted = await send('POST', '/devices/door/frames', picture(40));
    expect([posted.status, await posted.json()]).toEqual([202, { device: 'door', seq: 1 }]);
    expect((await send('POST', '/devices/thermo/telemetry', '{"celsius":21}')).status).toBe(202);
    const latest = await send('GET', '/devices/door/latest', undefined, 'session=bob');
    expect(Buffer.from(await latest.arrayBuffer())).toEqual(picture(40));
    expect(await (await send('GET', '/devices/thermo/telemetry')).json()).toMatchObject({
      telemetry: { celsius: 21 },
    });
    expect((await send('POST', '/devices/door/frames', picture(), 'session=bob')).status).toBe(403);
    expect((await send('POST', '/devices/door/frames', picture(), '')).status).toBe(401);
    expect(await (await send('GET', '/_svc/devices')).json()).toMatchObject({
      devices: [{ name: 'door', frames_in: 1 }, { name: 'thermo' }],
    });
    expect((await send('GET', '/_svc/devices', undefined, 'session=bob')).status).toBe(403);
    expect(await (await send('GET', '/welcome')).text()).toBe('theirs');
  });

  it('streams over its upgrades', async () => {
    const { port, mount } = await start();
    const connection = await Connection.open(port);
    onTestFinished(() => connection.close());
    const target = `${mount}/devices/door/stream`;
    connection.send(toBytes({ target, headers: [...handshake, ['cookie', 'session=bob']] }));
    expect((await connection.next())?.status).toBe(101);
    await expect
      .poll(async () => Buffer.from(await connection.rest()).toString())
      .toContain('"type":"hello","device":{"name":"door"');
    const refused = await ask(port, { target, headers: handshake });
    expect(refused.status).toBe(401);
  });
});
