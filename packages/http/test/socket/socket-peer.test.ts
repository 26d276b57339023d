import { EventEmitter, once } from 'node:events';
import { encodeMessages, type Peer } from '@waymark/contract/engine';
import { UnreadText } from '@waymark/contract/http';
import { type MemoryPeer, memoryPeer, verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { deferred } from '../deferred.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

/** Both sides of one socket; `settle` resolves when what either side did has reached the other. */
interface Pair {
  readonly peer: Peer;
  readonly received: (string | Uint8Array)[];
  readonly closed: Promise<{ code: number; reason: string }>;
  say(message: string | Uint8Array): void;
  settle(): Promise<void>;
  leave(code: number, reason: string): void;
}

function memoryPair(): Pair {
  const peer: MemoryPeer = memoryPeer();
  const closed = deferred<{ code: number; reason: string }>();
  peer.onClose((code, reason) => closed.resolve({ code, reason }));
  return {
    peer,
    received: peer.sent,
    closed: closed.promise,
    say: (message) => peer.receive(message),
    settle: async () => peer.pong(),
    leave: (code, reason) => peer.disconnect(code, reason),
  };
}

async function wsPair(): Promise<Pair> {
  const accepted = deferred<Peer>();
  const { port } = await openDoor([
    { method: 'GET', path: '/', accept: accepted.resolve, maxMessageBytes: 100_000 },
  ]);
  const ws = new WebSocket(`ws://127.0.0.1:${port}/`);
  onTestFinished(() => ws.terminate());
  const received: (string | Uint8Array)[] = [];
  ws.on('message', (data: Buffer, isBinary) =>
    received.push(isBinary ? new Uint8Array(data) : data.toString()),
  );
  const closed = deferred<{ code: number; reason: string }>();
  ws.on('close', (code, reason) => closed.resolve({ code, reason: reason.toString() }));
  await once(ws, 'open');
  const peer = await accepted.promise;
  return {
    peer,
    received,
    closed: closed.promise,
    say: (message) => ws.send(message),
    // Frames keep their order, so an answered ping each way has everything before it.
    settle: async () => {
      const there = once(ws, 'ping');
      peer.ping(new Uint8Array());
      await there;
      const back = once(ws, 'pong');
      ws.ping();
      await back;
    },
    leave: (code, reason) => ws.close(code, reason),
  };
}

describe.each([
  ['memoryPeer', async () => memoryPair()],
  ['ws', wsPair],
])('a peer over %s', (_name, open) => {
  it('says by a number whether anything came: messages, and pongs that nobody waits for', async () => {
    const { peer, say, settle } = await open();
    const before = peer.heard;
    say('a');
    await expect.poll(() => peer.heard).toBeGreaterThan(before);
    const then = peer.heard;
    expect(peer.heard).toBe(then);
    await settle();
    expect(peer.heard).toBeGreaterThan(then);
  });

  it('sends text and bytes, encoded or not, in the order they were given', async () => {
    const { peer, received, settle } = await open();
    const bytes = new Uint8Array([0, 200]);
    peer.send('a');
    peer.sendEncoded(encodeMessages(['b', bytes]));
    peer.send(bytes);
    peer.sendEncoded(encodeMessages(['x'.repeat(70_000)]));
    peer.send('c');
    await settle();
    expect(received).toEqual(['a', 'b', bytes, bytes, 'x'.repeat(70_000), 'c']);
  });

  it('is told the pong for a ping that stands behind encoded messages', async () => {
    const { peer, received, settle } = await open();
    const pongs: Uint8Array[] = [];
    peer.onPong((payload) => pongs.push(new Uint8Array(payload)));
    peer.sendEncoded(encodeMessages(['a'], new Uint8Array([1, 2])));
    peer.send('b');
    await settle();
    expect(received).toEqual(['a', 'b']);
    expect(pongs[0]).toEqual(new Uint8Array([1, 2]));
  });

  it('keeps early messages until somebody listens, in order', async () => {
    const { peer, say, settle } = await open();
    const bytes = new Uint8Array([7]);
    say('early');
    say(bytes);
    await settle();
    const heard: (string | Uint8Array)[] = [];
    peer.onMessage((message) => heard.push(typeof message === 'string' ? message : new Uint8Array(message)));
    say('late');
    await settle();
    expect(heard).toEqual(['early', bytes, 'late']);
  });

  it('tells every listener until it cancels', async () => {
    const { peer, say, settle } = await open();
    const heard: string[] = [];
    const cancel = peer.onMessage((message) => heard.push(`1:${String(message)}`));
    peer.onMessage((message) => heard.push(`2:${String(message)}`));
    say('a');
    await settle();
    cancel();
    cancel();
    say('b');
    await settle();
    expect(heard).toEqual(['1:a', '2:a', '2:b']);
  });

  it('says nothing while it is paused, and loses nothing', async () => {
    const { peer, say } = await open();
    const heard: string[] = [];
    const both = deferred<void>();
    peer.onMessage((message) => {
      heard.push(String(message));
      if (heard.length === 2) both.resolve();
    });
    peer.pause();
    say('a');
    say('b');
    // A round trip through the server's event loop, not over the socket: that is not read.
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard).toEqual([]);
    peer.resume();
    await both.promise;
    expect(heard).toEqual(['a', 'b']);
  });

  it('tells nothing from the moment it is paused, be it within a message', async () => {
    const { peer, say, settle } = await open();
    const heard: string[] = [];
    for (const text of ['a', 'b', 'c']) say(text);
    await settle();
    const cancel = peer.onMessage((message) => {
      heard.push(String(message));
      peer.pause();
    });
    expect(heard).toEqual(['a']);
    peer.resume();
    expect(heard).toEqual(['a', 'b']);
    cancel();
    peer.onMessage((message) => heard.push(`later ${String(message)}`));
    peer.resume();
    expect(heard).toEqual(['a', 'b', 'later c']);
  });

  it('tells its end behind the messages that wait', async () => {
    const { peer, say, leave } = await open();
    const heard: (string | number)[] = [];
    const ended = deferred<void>();
    peer.onMessage((message) => heard.push(String(message)));
    peer.onClose((code) => {
      heard.push(code);
      ended.resolve();
    });
    peer.pause();
    say('a');
    say('b');
    leave(4001, 'bye');
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard).toEqual([]);
    peer.resume();
    await ended.promise;
    expect(heard).toEqual(['a', 'b', 4001]);
  });

  it('tells its end although nobody listens to what it said', async () => {
    const { peer, say, settle, leave } = await open();
    const ended = deferred<number>();
    peer.onClose(ended.resolve);
    say('a');
    await settle();
    leave(4001, 'bye');
    expect(await ended.promise).toBe(4001);
  });

  it('tells its closing by the other side', async () => {
    const { peer, leave } = await open();
    const end = deferred<[number, string]>();
    peer.onClose((code, reason) => end.resolve([code, reason]));
    leave(4001, 'bye');
    expect(await end.promise).toEqual([4001, 'bye']);
  });

  it('tells its end at once where it is shut, and nothing of what waits or still comes', async () => {
    const { peer, say, closed } = await open();
    const told: unknown[] = [];
    peer.pause();
    peer.onMessage((message) => void told.push(message));
    peer.onClose((code) => void told.push(code));
    say('before');
    peer.shut(4401, 'the credential has expired');
    expect(told).toEqual([4401]);
    peer.resume();
    say('behind');
    expect(await closed).toEqual({ code: 4401, reason: 'the credential has expired' });
    expect(told).toEqual([4401]);
  });

  it('closes with a code and a reason, and drops what is sent afterwards', async () => {
    const { peer, closed, received } = await open();
    peer.close(4401, 'expired');
    peer.send('lost');
    peer.sendEncoded(encodeMessages(['lost']));
    peer.ping(new Uint8Array());
    peer.close(1000);
    expect(await closed).toEqual({ code: 4401, reason: 'expired' });
    expect(received).toEqual([]);
  });
});

describe.each([
  ['memoryPeer', async () => memoryPair()],
  ['ws', wsPair],
])('the end of a peer over %s', (_name, open) => {
  it('is told once to who comes after it, in the next turn, unless they cancel', async () => {
    const { peer, leave } = await open();
    const heard: unknown[] = [];
    const ended = deferred<void>();
    peer.onClose(() => {
      peer.onClose((code, reason) => heard.push(['during', code, reason]));
      ended.resolve();
    });
    leave(4001, 'away');
    await ended.promise;
    peer.onClose((code, reason) => heard.push(['after', code, reason]));
    const cancel = peer.onClose(() => heard.push('cancelled'));
    cancel();
    expect(heard).toEqual([]);
    await new Promise(setImmediate);
    expect(heard).toEqual([
      ['during', 4001, 'away'],
      ['after', 4001, 'away'],
    ]);
    await new Promise(setImmediate);
    expect(heard).toHaveLength(2);
  });
});

describe('a peer over ws', () => {
  it('gives back what a long text came in, and nothing that a short one or another message lies in', async () => {
    verifies('http.socket.pieces');
    const arrived: Buffer[] = [];
    const on = vi.spyOn(WebSocket.prototype, 'emit');
    onTestFinished(() => on.mockRestore());
    on.mockImplementation(function (this: WebSocket, event, ...args) {
      if (event === 'message' && (this as { readonly _isServer?: boolean })._isServer === true)
        arrived.push(args[0] as Buffer);
      return EventEmitter.prototype.emit.call(this, event, ...args);
    });
    const { peer, say, settle } = await wsPair();
    const heard: (string | Uint8Array)[] = [];
    peer.onMessage((message) => void heard.push(message));
    const long = 'é'.repeat(40_000);
    const bytes = new Uint8Array(90_000).fill(7);
    for (const one of [long, 'short', bytes, long]) say(one);
    await settle();
    expect(heard.map((one) => (typeof one === 'string' ? one : one.length))).toEqual([
      ...[long, 'short', 90_000, long],
    ]);
    expect(heard[2]).toEqual(Buffer.from(bytes));
    // Node 20 has no way to give something back.
    const given = 'transfer' in ArrayBuffer.prototype ? 0 : 80_000;
    expect(arrived.map(({ length }) => length)).toEqual([given, 5, 90_000, given]);
  });

  it('tells a long text unread to whoever takes it so, until somebody else listens, too', async () => {
    const { peer, say, settle } = await wsPair();
    const unread: (string | Uint8Array | UnreadText)[] = [];
    peer.onUnread((message) => void unread.push(message));
    const [long, most, bytes] = ['é'.repeat(32_768), 'x'.repeat(65_535), new Uint8Array(70_000)];
    for (const one of [long, most, bytes, 'short']) say(one);
    await settle();
    const [first, ...others] = unread;
    expect(others).toEqual([most, Buffer.from(bytes), 'short']);
    expect(first).toBeInstanceOf(UnreadText);
    expect((first as UnreadText).length).toBe(65_536);
    expect((first as UnreadText).read()).toBe(long);
    const read: (string | Uint8Array)[] = [];
    const leave = peer.onMessage((message) => void read.push(message));
    say(long);
    await settle();
    expect([read, unread.splice(4)]).toEqual([[long], [long]]);
    const leaveToo = peer.onMessage((message) => void read.push(message));
    // Who leaves twice takes nobody else along.
    leave();
    leave();
    say(long);
    await settle();
    expect([read.splice(1), unread.splice(4)]).toEqual([[long], [long]]);
    leaveToo();
    say(long);
    await settle();
    expect((unread[4] as UnreadText).read()).toBe(long);
  });

  it('keeps an early long text for whoever listens first, however', async () => {
    for (const how of ['onMessage', 'onUnread'] as const) {
      const { peer, say, settle } = await wsPair();
      const long = 'x'.repeat(70_000);
      say(long);
      await settle();
      const heard: (string | Uint8Array | UnreadText)[] = [];
      peer[how]((message: string | Uint8Array | UnreadText) => void heard.push(message));
      await expect.poll(() => heard).toHaveLength(1);
      const [first] = heard;
      expect(first instanceof UnreadText).toBe(how === 'onUnread');
      expect(first instanceof UnreadText ? first.read() : first).toBe(long);
    }
  });

  it('hears the payload of its ping back', async () => {
    const { peer } = await wsPair();
    const pong = deferred<string>();
    peer.onPong((payload) => pong.resolve(Buffer.from(payload).toString()));
    peer.ping(Buffer.from('n17'));
    expect(await pong.promise).toBe('n17');
  });

  it('shortens a reason to what a close frame holds, on a character boundary', async () => {
    const { peer, closed } = await wsPair();
    peer.close(1000, 'é'.repeat(100));
    expect(await closed).toEqual({ code: 1000, reason: 'é'.repeat(61) });
  });

  it('is cut by terminate', async () => {
    const { peer, closed } = await wsPair();
    peer.terminate();
    expect(await closed).toEqual({ code: 1006, reason: '' });
  });

  it('stops reading from a client that says much before anybody listens, and loses nothing', async () => {
    const accepted = deferred<Peer>();
    const { port } = await openDoor([
      { method: 'GET', path: '/', accept: accepted.resolve, maxMessageBytes: 100_000 },
    ]);
    const ws = new WebSocket(`ws://127.0.0.1:${port}/`);
    onTestFinished(() => ws.terminate());
    await once(ws, 'open');
    const peer = await accepted.promise;
    const messages = 400;
    for (let i = 0; i < messages; i++) ws.send(Buffer.alloc(65_536, i % 256));
    // Time enough for a server that reads on to have them all: it reads one such message in a turn of its loop.
    const other = await rawClient(port);
    for (let i = 0; i < 2 * messages; i++) {
      other.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(other.socket, 'data');
    }
    expect(ws.bufferedAmount).toBeGreaterThan(65_536);
    const all = deferred<void>();
    const heard: number[] = [];
    peer.onMessage((message) => {
      heard.push(Number(message[0]));
      if (heard.length === messages) all.resolve();
    });
    await all.promise;
    expect(heard).toEqual(Array.from({ length: messages }, (_, i) => i % 256));
  });
});
