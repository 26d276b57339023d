import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Duplex } from 'node:stream';
import { Budget, type Peer } from '@waymark/contract/engine';
import type { Authenticate } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { DoorOptions } from '../../src/index.ts';
import { boundMessages } from '../../src/socket/bound-messages.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { type OpenDoor, openDoor } from '../open-door.ts';
import { type RawClient, rawClient } from '../raw-client.ts';

const echo: FakeRoute = {
  method: 'GET',
  path: '/echo',
  maxMessageBytes: 1_000_000,
  accept: (peer) => void peer.onMessage((message) => peer.send(String(message.length))),
};

/** The name in `x-api-key`. */
const named: Authenticate = ({ headers }) => {
  const id = headers['x-api-key'] ?? 'ada';
  return { ok: true, principal: { id, rootId: id, authenticated: true, scopes: [] } };
};

const open = (options: Partial<DoorOptions>): Promise<OpenDoor> =>
  openDoor([echo], { authenticate: named, ...options });

/** The bounds of messages on a socket of the test's own, and what `ws` tells of it. */
function bound(perCaller = 1e9): { readonly ws: EventEmitter; readonly socket: EventEmitter } {
  const [ws, socket] = [new EventEmitter(), new EventEmitter()];
  boundMessages(ws as unknown as WebSocket, socket as unknown as Duplex, {
    ...{ budget: new Budget({ perCaller, total: 1e9 }), key: 'ada' },
    ...{ onPiece: () => {}, refuse: () => {}, onRest: () => {} },
  });
  return { ws, socket };
}

/** A socket whose bytes are the test's. */
async function dial(door: OpenDoor, key = 'ada'): Promise<RawClient> {
  const client = await rawClient(door.port);
  client.send(
    'GET /echo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      `X-Api-Key: ${key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  await client.until(/101/);
  return client;
}

const codes = { continuation: 0, text: 1, ping: 9, pong: 10 } as const;

/** A frame of a client, masked with zeros. @param declared its length, where that is not all that is sent */
function frame(code: keyof typeof codes, bytes: number, { fin = true, declared = bytes } = {}): Buffer {
  const first = (fin ? 0x80 : 0) | codes[code];
  const head =
    declared < 126
      ? Buffer.from([first, 0x80 | declared])
      : Buffer.from([
          first,
          0x80 | 127,
          0,
          0,
          0,
          0,
          0,
          declared >> 16,
          (declared >> 8) & 255,
          declared & 255,
        ]);
  return Buffer.concat([head, Buffer.alloc(4), Buffer.alloc(bytes, 120)]);
}

const held = async (door: OpenDoor, fits: (bytes: number) => boolean): Promise<void> => {
  await expect.poll(() => door.door.held.bodyBytes).toSatisfy(fits);
};

/** Code and reason of the close frame at the end of what came. */
function goodbye(received: string): string {
  const bytes = Buffer.from(received, 'latin1');
  const at = bytes.lastIndexOf(Buffer.from([0x88]));
  return `${bytes.readUInt16BE(at + 2)} ${bytes.subarray(at + 4).toString()}`;
}

describe('a message that is not whole', () => {
  it.each([
    { bytes: 19_999, outcome: 'taken' },
    { bytes: 20_000, outcome: 'taken' },
    { bytes: 20_001, outcome: 'refused' },
  ])('holds its bytes of those in flight: $bytes of 20,000 are $outcome', async ({ bytes, outcome }) => {
    verifies('http.body.in-flight.messages');
    const door = await open({ limits: { bodyBytesPerCaller: 20_000 } });
    const client = await dial(door);
    client.send(frame('text', bytes - 14, { declared: 500_000 }));
    if (outcome === 'taken') {
      await held(door, (sum) => sum === bytes);
      expect(door.door.sockets).toBe(1);
      return;
    }
    expect(goodbye(await client.closed())).toBe(
      '1013 your requests in flight would hold more than 20000 bytes: send this one when others are answered',
    );
    await held(door, (sum) => sum === 0);
    await expect.poll(() => [door.door.held.sockets, door.door.sockets]).toEqual([0, 0]);
  });

  it('holds them together with the bodies of its caller, and with all others', async () => {
    const door = await open({ limits: { bodyBytesPerCaller: 20_000, bodyBytes: 30_000 } });
    const sockets = [await dial(door), await dial(door, 'bob')];
    for (const one of sockets) one.send(frame('text', 14_000, { declared: 500_000 }));
    await held(door, (sum) => sum >= 28_000);
    const third = await dial(door, 'eve');
    third.send(frame('text', 5000, { fin: false }));
    expect(goodbye(await third.closed())).toContain('1013 the requests of all callers would hold more than');
    await expect.poll(() => door.door.sockets).toBe(2);
  });

  it('is refused, and its client hears why, while it still sends what is not read any more', async () => {
    verifies('http.last-answer.socket');
    const door = await open({ limits: { bodyBytesPerCaller: 20_000 } });
    const ws = new WebSocket(`ws://127.0.0.1:${door.port}/echo`);
    ws.on('error', () => {});
    await once(ws, 'open');
    for (let i = 0; i < 16; i++) ws.send(new Uint8Array(1_000_000), { fin: false });
    const [code, reason] = (await once(ws, 'close')) as [number, Buffer];
    expect([code, String(reason)]).toEqual([1013, expect.stringContaining('more than 20000 bytes')]);
    await expect.poll(() => [door.door.held.bodyBytes, door.door.sockets]).toEqual([0, 0]);
  });

  it('gives its pieces back as soon as it is refused, and those of others when they leave', () => {
    const { socket } = bound(150_000);
    const pieces = [new ArrayBuffer(70_000), new ArrayBuffer(70_000), new ArrayBuffer(70_000)];
    const lengths = (): readonly number[] => pieces.map(({ byteLength }) => byteLength);
    const [first, second, third] = pieces.map((piece) => Buffer.from(piece));
    socket.emit('data', first);
    socket.emit('data', second);
    expect(lengths()).toEqual([70_000, 70_000, 70_000]);
    socket.emit('data', third);
    // Node 20 has no way to give something back.
    if ('transfer' in ArrayBuffer.prototype) expect(lengths()).toEqual([0, 0, 0]);
    const other = bound();
    const kept = new ArrayBuffer(70_000);
    other.socket.emit('data', Buffer.from(kept));
    other.socket.emit('close');
    if ('transfer' in ArrayBuffer.prototype) expect(kept.byteLength).toBe(0);
  });

  it('is not what comes with a close frame: it is told as it came, also where nothing more fits', async () => {
    const ends: (readonly [number, string])[] = [];
    const accept = (peer: Peer): void => {
      peer.onMessage(() => {});
      peer.onClose((...end) => void ends.push(end));
    };
    const door = await openDoor([{ ...echo, accept }], {
      authenticate: named,
      limits: { bodyBytesPerCaller: 100_000 },
    });
    const [kept, leaving] = [await dial(door), await dial(door)];
    kept.send(frame('text', 99_000, { fin: false }));
    await held(door, (sum) => sum > 99_000);
    // 4001, and a flood behind it.
    leaving.send(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 4001 >> 8, 4001 & 255]));
    leaving.send(Buffer.alloc(64_000_000));
    await leaving.closed();
    await expect.poll(() => ends).toEqual([[4001, '']]);
    await expect.poll(() => door.door.sockets).toBe(1);
  });

  it('is not put together of what is left when its socket is cut', async () => {
    verifies('http.last-answer.socket');
    const door = await open({ limits: { bodyBytesPerCaller: 100_000 } });
    const client = await dial(door);
    // What is left is enough for the message, for whoever does not know of what was dropped.
    client.send(Buffer.concat([frame('text', 190_000), Buffer.alloc(1_000_000, 120)]));
    expect(goodbye(await client.closed())).toMatch(/^1013 /);
    await expect.poll(() => [door.door.held.bodyBytes, door.door.sockets]).toEqual([0, 0]);
  });

  it('gives them back when it is whole, and goes on', async () => {
    const door = await open({ limits: { bodyBytesPerCaller: 400_000 } });
    const client = await dial(door);
    for (let i = 0; i < 3; i++) {
      client.send(frame('text', 150_000, { fin: false }));
      await held(door, (sum) => sum > 100_000);
      client.send(frame('continuation', 150_000));
      await client.until(new RegExp(`(300000.*){${i + 1}}`, 's'));
      await held(door, (sum) => sum === 0);
    }
  });

  it('gives them back as soon as it is refused, to others of its caller', async () => {
    const door = await open({ limits: { bodyBytesPerCaller: 100_000 } });
    const [kept, refused] = [await dial(door), await dial(door)];
    kept.send(frame('text', 50_000, { fin: false }));
    await held(door, (sum) => sum > 50_000);
    refused.send(frame('text', 30_000, { fin: false }));
    await held(door, (sum) => sum > 80_000);
    refused.send(frame('continuation', 30_000, { fin: false }));
    // The client has not even answered.
    await held(door, (sum) => sum < 60_000);
    kept.send(frame('continuation', 40_000));
    await kept.until(/90000/);
  });

  it('gives them back when its socket is gone', async () => {
    const door = await open({});
    const client = await dial(door);
    client.send(frame('text', 60_000, { fin: false }));
    await held(door, (sum) => sum > 50_000);
    client.socket.resetAndDestroy();
    await held(door, (sum) => sum === 0);
  });

  it('counts what its tiny pieces cost besides their bytes', async () => {
    const door = await open({ limits: { bodyBytesPerCaller: 20_000 } });
    const client = await dial(door);
    let ended = false;
    void client.closed().then(() => {
      ended = true;
    });
    client.send(frame('text', 1, { fin: false }));
    for (let i = 0; i < 200 && !ended; i++) {
      client.send(frame('continuation', 1, { fin: false }));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(goodbye(await client.closed())).toMatch(/^1013 /);
  });
});

describe('what costs nothing', () => {
  it('is a whole message, of any size that the route takes in one piece', async () => {
    const door = await open({ limits: { bodyBytesPerCaller: 1 } });
    const ws = new WebSocket(`ws://127.0.0.1:${door.port}/echo`);
    await once(ws, 'open');
    let answers = 0;
    ws.on('message', () => answers++);
    for (let i = 0; i < 100; i++) ws.send('x'.repeat(100));
    await expect.poll(() => answers).toBe(100);
    ws.terminate();
  });

  it('is a ping or a pong, however many come', async () => {
    const door = await open({ limits: { bodyBytesPerCaller: 2000 } });
    const client = await dial(door);
    for (let i = 0; i < 200; i++) {
      client.send(Buffer.concat([frame('ping', 100), frame('pong', 100)]));
      if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    client.send(frame('text', 5));
    await client.until(/5/);
    expect([door.door.held.bodyBytes, door.door.sockets]).toEqual([0, 1]);
  });
});

describe('the pieces of a message', () => {
  const pieces = (count: number): Buffer[] =>
    Array.from({ length: count }, () => Buffer.allocUnsafeSlow(65_536));
  const held = (all: readonly Buffer[]): number[] => all.map(({ length }) => length);

  it('are given back once it is put together', () => {
    verifies('http.socket.pieces');
    const { ws, socket } = bound();
    const [first, second, last] = pieces(3) as [Buffer, Buffer, Buffer];
    socket.emit('data', first);
    socket.emit('data', second);
    expect(held([first, second])).toEqual([65_536, 65_536]);
    const whole = Buffer.alloc(150_000);
    ws.emit('message', whole, true);
    socket.emit('data', last);
    // The last one may hold the beginning of the next message.
    expect(held([first, second, last, whole])).toEqual([0, 0, 65_536, 150_000]);
  });

  it('are given back when the socket closes before it is whole', () => {
    const { socket } = bound();
    const all = pieces(2);
    for (const piece of all) socket.emit('data', piece);
    socket.emit('close');
    expect(held(all)).toEqual([0, 0]);
  });

  it('are kept where the message lies in one, or a ping, whose answer may be on its way', () => {
    const { ws, socket } = bound();
    const [message, ping, slice] = pieces(3) as [Buffer, Buffer, Buffer];
    socket.emit('data', message);
    ws.emit('message', message.subarray(100), true);
    ws.emit('ping', ping.subarray(2, 6));
    socket.emit('data', ping);
    socket.emit('data', slice.subarray(0, 4_096));
    ws.emit('message', Buffer.alloc(70_000), true);
    expect(held([message, ping, slice])).toEqual([65_536, 65_536, 65_536]);
  });

  it('make the message that was sent, whatever is between them', async () => {
    const heard: Buffer[] = [];
    const keep: FakeRoute = {
      ...{ method: 'GET', path: '/keep', maxMessageBytes: 2_000_000 },
      accept: (peer) => void peer.onMessage((message) => heard.push(message as Buffer)),
    };
    const door = await openDoor([keep], { authenticate: named });
    const client = new WebSocket(`ws://127.0.0.1:${door.port}/keep`);
    await once(client, 'open');
    const sent = Array.from({ length: 24 }, (_, i) => randomBytes(1 + ((i * 137_911) % 1_000_000)));
    for (const [i, message] of sent.entries()) {
      const half = message.length >> 1;
      if (i % 3 === 0) client.send(message);
      else {
        client.send(message.subarray(0, half), { fin: false });
        if (i % 3 === 1) client.ping(`between ${i}`);
        client.send(message.subarray(half), { fin: true });
      }
    }
    await expect.poll(() => heard.length, { timeout: 5_000 }).toBe(sent.length);
    expect(heard.every((message, i) => message.equals(sent[i] as Buffer))).toBe(true);
    client.terminate();
  });
});
