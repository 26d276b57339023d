import { once } from 'node:events';
import { type Authenticate, anonymous } from '@waymark/contract/principal';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { DoorOptions } from '../../src/index.ts';
import { type LivePeer, OpenSockets } from '../../src/socket/open-sockets.ts';
import { askForSocket } from '../ask.ts';
import { deferred } from '../deferred.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { type OpenDoor, openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

const feed: FakeRoute = { method: 'GET', path: '/feed', accept: () => {} };

async function dial(
  door: OpenDoor,
  { headers = {}, autoPong = true }: { headers?: Record<string, string>; autoPong?: boolean } = {},
): Promise<WebSocket> {
  const ws = new WebSocket(`ws://127.0.0.1:${door.port}/feed`, { headers, autoPong });
  ws.on('error', () => {});
  onTestFinished(() => ws.terminate());
  await once(ws, 'open');
  return ws;
}

const open = (options: Partial<DoorOptions>, route: FakeRoute = feed) => openDoor([route], options);

/** The name in `x-api-key`, until then. */
const named =
  (expiresAtMs?: number): Authenticate =>
  ({ headers }) => {
    const id = headers['x-api-key'];
    if (id === undefined) return { ok: true, principal: anonymous() };
    const principal = { id, rootId: id, authenticated: true, scopes: [] };
    return { ok: true, principal: expiresAtMs === undefined ? principal : { ...principal, expiresAtMs } };
  };

describe('the number of sockets of one caller', () => {
  it('is bounded: under, at, over; and a closed one makes room', async () => {
    const door = await open({ maxSocketsPerCaller: 2, authenticate: named() });
    const alice = { headers: { 'x-api-key': 'alice' } };
    const first = await dial(door, alice);
    await dial(door, alice);
    const refused = await askForSocket(door, '/feed', alice.headers);
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.detail).toBe('too many sockets and streams are open: close one of yours first');
    await dial(door, { headers: { 'x-api-key': 'bob' } });
    await dial(door);
    await dial(door);
    expect((await askForSocket(door, '/feed')).status).toBe(429);
    expect(door.door.sockets).toBe(5);
    first.close();
    await once(first, 'close');
    await dial(door, alice);
    expect(door.door.sockets).toBe(5);
  });

  it('is 100 by default', async () => {
    const door = await open({});
    for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 10 }, () => dial(door)));
    expect(door.door.sockets).toBe(100);
    expect((await askForSocket(door, '/feed')).status).toBe(429);
  });
});

describe('a socket that is silent', () => {
  it('is pinged, and stays as long as it answers', async () => {
    const door = await open({ socketPingMs: 5 });
    const ws = await dial(door);
    for (let i = 0; i < 6; i++) await once(ws, 'ping');
    expect(ws.readyState).toBe(WebSocket.OPEN);
    expect(door.door.sockets).toBe(1);
  });

  it('is cut after two pings without an answer', async () => {
    // Long enough to listen before the first one comes.
    const door = await open({ socketPingMs: 200 });
    const ws = await dial(door, { autoPong: false });
    let pings = 0;
    ws.on('ping', () => pings++);
    const [code] = (await once(ws, 'close')) as [number];
    expect([code, pings]).toEqual([1006, 2]);
    await expect.poll(() => door.door.sockets).toBe(0);
  });

  it('is not silent while it sends something else', async () => {
    const door = await open({ socketPingMs: 10 });
    const ws = await dial(door, { autoPong: false });
    let pings = 0;
    await new Promise<void>((resolve) => {
      ws.on('ping', () => {
        ws.send('still here');
        if (++pings === 6) resolve();
      });
    });
    expect(ws.readyState).toBe(WebSocket.OPEN);
  });

  it('is not cut for what nobody reads on our side', async () => {
    const paused = deferred<() => void>();
    const door = await open(
      { socketPingMs: 5 },
      {
        ...feed,
        accept: (peer) => {
          peer.pause();
          paused.resolve(() => peer.resume());
        },
      },
    );
    await dial(door);
    const other = await dial(await open({ socketPingMs: 5 }));
    for (let i = 0; i < 6; i++) await once(other, 'ping');
    expect(door.door.sockets).toBe(1);
    (await paused.promise)();
  });

  it('never shows our pings to the code behind it', async () => {
    const pongs: string[] = [];
    const door = await open(
      { socketPingMs: 5 },
      {
        ...feed,
        accept: (peer) => {
          peer.onPong((payload) => void pongs.push(Buffer.from(payload).toString()));
          peer.ping(Buffer.from('theirs'));
        },
      },
    );
    const ws = await dial(door);
    for (let i = 0; i < 4; i++) await once(ws, 'ping');
    expect(pongs).toEqual(['theirs']);
  });

  it('is pinged every 30 seconds by default', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { beats, open: peer } = beatingPeer();
    const sockets = new OpenSockets();
    sockets.add(peer, undefined);
    vi.advanceTimersByTime(29_999);
    expect(beats()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(beats()).toBe(1);
    peer.terminate();
    vi.advanceTimersByTime(90_000);
    expect(beats()).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a socket whose credential ends', () => {
  it('is closed with 4401 then', async () => {
    const door = await open({ authenticate: named(Date.now() + 50) });
    const ws = await dial(door, { headers: { 'x-api-key': 'alice' } });
    const [code, reason] = (await once(ws, 'close')) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([4401, 'the credential has expired']);
  });

  it.each([
    { what: 'within a minute of a clock that was set past it', byMs: 3_600_000, afterMs: 60_000 },
    { what: 'when its time has passed by a clock that was set back', byMs: -3_600_000, afterMs: 1_800_000 },
  ])('is closed $what', ({ byMs, afterMs }) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const sockets = new OpenSockets(1_000_000_000);
    const { closed, open: peer } = beatingPeer();
    sockets.add(peer, Date.now() + 1_800_000);
    vi.setSystemTime(Date.now() + byMs);
    vi.advanceTimersByTime(afterMs - 1);
    expect(closed()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(closed()).toEqual([4401]);
  });

  it('stays open until then, however far that is, and leaves no timer behind', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const sockets = new OpenSockets(1_000_000_000);
    const { closed, open: peer } = beatingPeer();
    const inDays = (days: number) => days * 86_400_000;
    sockets.add(peer, Date.now() + inDays(60));
    vi.advanceTimersByTime(inDays(60) - 1);
    expect(closed()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(closed()).toEqual([4401]);
    peer.terminate();
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('a client that vanishes makes room too', async () => {
  const door = await open({ maxSocketsPerCaller: 1 });
  const client = await rawClient(door.port);
  client.send(
    'GET /feed HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await client.until(/101/);
  expect((await askForSocket(door, '/feed')).status).toBe(429);
  client.socket.resetAndDestroy();
  await expect.poll(() => door.door.sockets).toBe(0);
  expect((await askForSocket(door, '/feed')).status).toBe(101);
});

/** A peer that only counts and closes. */
function beatingPeer() {
  let beats = 0;
  const codes: (number | undefined)[] = [];
  let onClose = (): void => {};
  const peer = {
    ...silentPeer(),
    beat: () => void beats++,
    shut: (code: number, _reason: string) => void codes.push(code),
    onClose: (listener: Parameters<LivePeer['onClose']>[0]) => {
      onClose = () => listener(1006, '');
      return () => {};
    },
    terminate: () => onClose(),
  };
  return { open: peer as LivePeer, beats: () => beats, closed: () => codes };
}

function silentPeer(): LivePeer {
  const listeners: ((code: number, reason: string) => void)[] = [];
  return {
    bufferedAmount: 0,
    heard: 0,
    beat: () => {},
    send: () => {},
    sendEncoded: () => {},
    ping: () => {},
    close: () => {},
    shut: () => {},
    terminate: () => {
      for (const listener of listeners) listener(1006, '');
    },
    pause: () => {},
    resume: () => {},
    onUnread: () => () => {},
    onMessage: () => () => {},
    onPong: () => () => {},
    onDrain: () => () => {},
    onClose: (listener) => {
      listeners.push(listener);
      return () => {};
    },
  };
}
