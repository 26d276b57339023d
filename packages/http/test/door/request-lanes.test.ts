import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type Call, jsonResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { FakeDispatcher, FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';
import { type RawClient, rawClient } from '../raw-client.ts';

/** Keeps the process for longer than one turn. */
const heavy: FakeRoute = {
  method: 'GET',
  path: '/heavy',
  answer: () => {
    const untilMs = performance.now() + 5;
    while (performance.now() < untilMs);
    return jsonResponse('done');
  },
};

const quick: FakeRoute = { method: 'GET', path: '/quick' };

const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`;
const asAlice = 'x-api-key: good\r\n';

/** What is asked of them, besides. */
function begun({ calls }: FakeDispatcher): readonly Call[] {
  return calls.filter(({ route }) => route.path !== '/quick');
}

function clients(port: number, count: number): Promise<readonly RawClient[]> {
  return Promise.all(Array.from({ length: count }, () => oneClient(port)));
}

/** A connection that was accepted: node accepts one in each turn. */
async function oneClient(port: number): Promise<RawClient> {
  const client = await rawClient(port);
  client.send(get('/quick'));
  await client.until(/"ok"/);
  return client;
}

describe('requests that come at once', () => {
  it('are served each caller in turn, however many connections one of them has', async () => {
    verifies('http.requests.turns');
    const { port, dispatcher } = await openDoor([heavy, quick]);
    const crowd = await clients(port, 40);
    const alice = await oneClient(port);
    for (const client of crowd) client.send(get('/heavy'));
    alice.send(get('/heavy', asAlice));
    await Promise.all([...crowd, alice].map((client) => client.until(/"done"/)));
    const order = begun(dispatcher).map(({ principal }) => principal.id);
    expect(order).toHaveLength(41);
    // A turn of those who came first, and one of theirs.
    expect(order.indexOf('alice')).toBeLessThan(5);
  });

  it('are sent away in turn, too', async () => {
    verifies('http.requests.turns');
    const { port, dispatcher, logs } = await openDoor([heavy, quick]);
    const crowd = await clients(port, 400);
    const alice = await oneClient(port);
    for (const client of crowd) client.send(get('/nowhere'));
    alice.send(get('/heavy', asAlice));
    await Promise.all([...crowd.map((client) => client.until(/ 4(04|29) /)), alice.until(/"done"/)]);
    expect(begun(dispatcher)).toHaveLength(1);
    const lines = logs.filter(({ fields }) => fields['status'] !== undefined && fields['path'] !== '/quick');
    expect(lines).toHaveLength(401);
    expect(lines.findIndex(({ fields }) => fields['principal'] === 'alice')).toBeLessThan(400);
  });

  it('are not begun for who has left meanwhile', async () => {
    verifies('http.requests.turns');
    let leave = (): void => {};
    const farewell: FakeRoute = {
      ...{ method: 'GET', path: '/farewell' },
      answer: (call) => {
        leave();
        return heavy.answer?.(call) ?? jsonResponse('done');
      },
    };
    const { port, dispatcher, logged, logs } = await openDoor([heavy, farewell, quick]);
    const first = await oneClient(port);
    const second = await oneClient(port);
    const leaver = await oneClient(port);
    const last = await oneClient(port);
    leave = () => leaver.socket.resetAndDestroy();
    first.send(get('/heavy'));
    // Begun in the next turn, when the others have been read.
    second.send(get('/farewell'));
    for (const client of [leaver, last]) client.send(get('/heavy'));
    const { fields } = await logged((line) => line.fields['status'] === 499);
    expect(fields).toMatchObject({ aborted: true, path: '/heavy' });
    await Promise.all([first, second, last].map((client) => client.until(/"done"/)));
    expect(begun(dispatcher)).toHaveLength(3);
    expect(
      logs.filter(({ fields }) => fields['status'] !== undefined && fields['path'] !== '/quick'),
    ).toHaveLength(4);
  });

  it('are upgrades, too: each caller in turn', async () => {
    verifies('http.requests.turns');
    const accepted: string[] = [];
    const socket: FakeRoute = {
      ...{ method: 'GET', path: '/socket' },
      accept: (_, call) => {
        accepted.push(call.principal.id);
        const untilMs = performance.now() + 5;
        while (performance.now() < untilMs);
      },
    };
    const { port } = await openDoor([socket, quick]);
    const crowd = await clients(port, 40);
    const alice = await oneClient(port);
    const upgrade = (headers = ''): string =>
      get(
        '/socket',
        `connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n${headers}`,
      );
    for (const client of crowd) client.send(upgrade());
    alice.send(upgrade(asAlice));
    await Promise.all([...crowd, alice].map((client) => client.until(/ 101 /)));
    expect(accepted).toHaveLength(41);
    expect(accepted.indexOf('alice')).toBeLessThan(5);
  });

  it('are answered in their order where one caller sends them all', async () => {
    const { port, dispatcher } = await openDoor([heavy, quick]);
    const all = await clients(port, 12);
    for (const [i, client] of all.entries()) client.send(get('/heavy', `x-request-id: n-${i}\r\n`));
    await Promise.all(all.map((client) => client.until(/"done"/)));
    expect(begun(dispatcher).map(({ requestId }) => requestId)).toEqual(all.map((_, i) => `n-${i}`));
  });

  it('wait while connections come, so that who connects last is not accepted last', async () => {
    verifies('http.requests.accepted');
    const { port, dispatcher } = await openDoor([heavy, quick]);
    const crowd = Array.from({ length: 60 }, () => connect(port, '127.0.0.1'));
    for (const socket of crowd) socket.write(get('/heavy'));
    const alice = await rawClient(port);
    alice.send(get('/quick', asAlice));
    await alice.until(/"ok"/);
    // One of them in each turn, as long as each of the 60 is accepted in one.
    expect(begun(dispatcher).length).toBeLessThan(20);
    await Promise.all(crowd.map((socket) => once(socket, 'data')));
    expect(begun(dispatcher)).toHaveLength(60);
    for (const socket of crowd) socket.destroy();
  });

  it('keep the context of what stands in front of the door', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: (readonly [string, string | undefined])[] = [];
    const look: FakeRoute = {
      ...heavy,
      answer: (call) => {
        seen.push([call.requestId, context.getStore()]);
        return heavy.answer?.(call) ?? jsonResponse('done');
      },
    };
    const { port, door } = await openDoor([look, quick], {
      listener: (req, res) =>
        context.run(String(req.headers['x-request-id']), () => door.listener()(req, res)),
    });
    const crowd = await clients(port, 12);
    for (const [i, client] of crowd.entries()) client.send(get('/heavy', `x-request-id: n-${i}\r\n`));
    await Promise.all(crowd.map((client) => client.until(/"done"/)));
    expect(seen).toHaveLength(12);
    for (const [id, own] of seen) expect(own).toBe(id);
  });
});
