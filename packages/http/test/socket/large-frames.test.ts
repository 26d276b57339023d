import { EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import { Duplex } from 'node:stream';
import type { Peer } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { LargeFrames } from '../../src/socket/large-frames.ts';
import { sliceData } from '../../src/socket/slice-data.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

/** What `ws` reads frames with, as a server. */
interface Receiver {
  on(event: 'message' | 'ping', listener: (data: Buffer) => void): Receiver;
  write(bytes: Buffer): boolean;
}
const { Receiver } = createRequire(import.meta.url)('ws') as {
  readonly Receiver: new (options: object) => Receiver;
};

const opcodes = { continuation: 0, text: 1, binary: 2, ping: 9 } as const;

interface Frame {
  readonly code: keyof typeof opcodes;
  readonly payload: Buffer;
  readonly fin?: boolean;
  readonly mask?: Buffer;
}

const zeros = Buffer.alloc(4);

function toBytes({ code, payload, fin = true, mask = zeros }: Frame): Buffer {
  const { length } = payload;
  const short = length < 126 ? length : length < 65_536 ? 126 : 127;
  const head = Buffer.alloc(short < 126 ? 2 : short === 126 ? 4 : 10);
  head[0] = (fin ? 0x80 : 0) | opcodes[code];
  head[1] = 0x80 | short;
  if (short === 126) head.writeUInt16BE(length, 2);
  if (short === 127) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, mask, payload.map((byte, i) => byte ^ (mask[i & 3] ?? 0))]);
}

/** Cuts bytes behind each of these lengths, again and again. */
function* cut(bytes: Buffer, lengths: readonly number[]): Generator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[i % lengths.length] ?? 1;
    // As node hands them over: in memory of their own.
    const piece = Buffer.allocUnsafeSlow(Math.min(length, bytes.length - at));
    bytes.copy(piece, 0, at);
    yield piece;
    at += length;
  }
}

/** What was handed on and counted, of bytes that come in pieces of these lengths. */
function passed(bytes: Buffer, lengths: readonly number[], { isHeard = (): boolean => true } = {}) {
  const told: Buffer[] = [];
  const given: { readonly bytes: Buffer; readonly isCounted: boolean; readonly uncounted: number }[] = [];
  let counted = 0;
  let unseen = 0;
  const receiver = new Receiver({ isServer: true, maxPayload: 1e8, binaryType: 'nodebuffer' });
  receiver
    .on('message', (data) => void told.push(Buffer.from(data)))
    .on('ping', (data) => void told.push(Buffer.from(data)));
  const emit = (isCounted: boolean) => (piece: Buffer, uncounted: number) => {
    if (isCounted) counted += uncounted;
    given.push({ bytes: piece, isCounted, uncounted });
    receiver.write(piece);
  };
  const frames = new LargeFrames({
    isHeard,
    emit: (piece) => emit(false)(piece, 0),
    emitCounted: emit(true),
    count: (length) => {
      counted += length;
    },
  });
  for (const piece of cut(bytes, lengths)) if (frames.pass(piece)) unseen += piece.length;
  return { told, given, counted, unseen, frames };
}

/** A message as lengths, of which a report is short. */
interface Sketch {
  readonly code: 'text' | 'ping';
  readonly lengths: readonly number[];
  readonly mask: Uint8Array;
}

const anyLength = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 65_530, max: 65_545 }),
  fc.integer({ min: 120_000, max: 131_000 }),
);
const anyMask = fc.uint8Array({ minLength: 4, maxLength: 4 });
const anyMessage: fc.Arbitrary<Sketch> = fc.oneof(
  fc.record({
    code: fc.constant('text' as const),
    lengths: fc.array(anyLength, { minLength: 1, maxLength: 3, size: 'max' }),
    mask: anyMask,
  }),
  fc.record({
    code: fc.constant('ping' as const),
    lengths: fc.tuple(fc.integer({ min: 0, max: 125 })),
    mask: anyMask,
  }),
);

const said = Buffer.alloc(131_000, 'waymark sees what others pass by ');

function toFrames({ code, lengths, mask }: Sketch): Frame[] {
  return lengths.map((length, i) => ({
    code: i === 0 ? code : 'continuation',
    payload: said.subarray(0, length),
    fin: i === lengths.length - 1,
    mask: Buffer.from(mask),
  }));
}

describe('frames', () => {
  it('are those that were sent, however they are masked and cut', () => {
    const messages = fc.array(anyMessage, { minLength: 1, maxLength: 4, size: 'max' });
    const long = fc.integer({ min: 1_000, max: 65_536 });
    const cuts = fc
      .tuple(long, fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), long), { maxLength: 4, size: 'max' }))
      .map(([first, others]) => [...others, first]);
    fc.assert(
      fc.property(messages, cuts, (sketches, lengths) => {
        const frames = sketches.map(toFrames);
        const { told, frames: left } = passed(Buffer.concat(frames.flat().map(toBytes)), lengths);
        const sent = frames.map((parts) => Buffer.concat(parts.map(({ payload }) => payload)));
        expect(told.map(({ length }) => length)).toEqual(sent.map(({ length }) => length));
        expect(told.every((message, i) => message.equals(sent[i] as Buffer))).toBe(true);
        expect(left.isWithin).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  it('are unmasked wherever they are cut', () => {
    const mask = Buffer.from([1, 20, 255, 0]);
    for (let length = 65_537; length <= 65_544; length++)
      for (let last = 1; last <= 9; last++)
        for (const middle of [1, 2, 3, 4, 5, 8]) {
          const payload = said.subarray(0, length);
          const bytes = toBytes({ code: 'binary', payload, mask });
          const { told } = passed(bytes, [bytes.length - last - middle, middle, last]);
          expect(told[0]?.equals(payload)).toBe(true);
        }
  });

  it.each([
    { length: 65_535, pieces: 1 },
    { length: 65_536, pieces: 1 },
    { length: 65_537, pieces: 2 },
  ])('of $length bytes come in $pieces', ({ length, pieces }) => {
    const payload = Buffer.alloc(length, 'x');
    const { given, counted } = passed(toBytes({ code: 'binary', payload }), [1e6]);
    expect(given.map((piece) => piece.isCounted)).toEqual(pieces === 1 ? [false] : [true, true]);
    expect(counted).toBe(pieces === 1 ? 0 : length + 14);
  });

  it('that are large are handed on whole and unmasked, in memory of their own, and what they came in is not kept', () => {
    verifies('http.socket.pieces');
    const payload = Buffer.alloc(1_000_000, 'frame');
    const bytes = toBytes({ code: 'binary', payload, mask: Buffer.from([1, 2, 3, 4]) });
    const { given, unseen, counted } = passed(bytes, [65_536]);
    const [head, whole] = given.map((piece) => piece.bytes) as [Buffer, Buffer];
    expect(head).toEqual(Buffer.concat([bytes.subarray(0, 10), zeros]));
    expect(whole.equals(payload)).toBe(true);
    expect(whole.buffer.byteLength).toBe(payload.length);
    expect([unseen, counted]).toEqual([bytes.length, bytes.length]);
    // Of a message that is whole by it the last piece is not held, as of one that comes in one.
    expect(given.map(({ uncounted }) => uncounted)).toEqual([0, bytes.length % 65_536]);
  });

  it('take no more than four times what came of them, or 4 KiB', () => {
    const bytes = toBytes({ code: 'binary', payload: Buffer.alloc(30_000_000) });
    const before = process.memoryUsage().arrayBuffers;
    const kept = Array.from({ length: 100 }, () => passed(bytes.subarray(0, 20_014), [20_014]).frames);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * (20_014 + 4 * 20_000 + 1_000));
    expect(kept.every(({ isWithin }) => isWithin)).toBe(true);
    const first = Array.from({ length: 1_000 }, () => passed(bytes.subarray(0, 15), [15]).frames);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 102_000 + 1_000 * 5_000);
    expect(first.every(({ isWithin }) => isWithin)).toBe(true);
    for (const frames of kept) frames.drop();
    expect(kept.some(({ isWithin }) => isWithin)).toBe(false);
  });

  it('that nobody hears are handed on as they come, and nothing of them is kept', () => {
    const bytes = toBytes({ code: 'binary', payload: Buffer.alloc(500_000) });
    let heard = 2;
    const { given, frames } = passed(bytes, [65_536], { isHeard: () => heard-- > 0 });
    expect(frames.isWithin).toBe(false);
    expect(given.reduce((sum, piece) => sum + piece.bytes.length, 0)).toBeGreaterThanOrEqual(
      500_000 - 65_536,
    );
  });
});

describe('a socket', () => {
  it('gives what node has read of a large frame when it is cut', async () => {
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    const given: Buffer[] = [];
    const reader = { mayRead: () => true, isHeard: () => true };
    const early = { count: () => {}, handOn: (give: () => void) => give() };
    sliceData(new EventEmitter() as WebSocket, socket, reader, early);
    socket.on('data', (piece: Buffer) => void given.push(piece));
    const payload = Buffer.alloc(100_000, 'cut');
    const bytes = toBytes({ code: 'binary', payload });
    socket.push(bytes.subarray(0, 60_000));
    await expect.poll(() => given.length).toBe(1);
    socket.pause();
    socket.push(bytes.subarray(60_000));
    socket.destroy();
    await once(socket, 'close');
    expect(given[1]?.equals(payload)).toBe(true);
  });

  it.each([1_000_000, 1_000_001])(
    'takes %i bytes of a million that its route allows, or says 1009',
    async (length) => {
      const heard: number[] = [];
      const accept = (peer: Peer): void => void peer.onMessage((message) => heard.push(message.length));
      const door = await openDoor([{ method: 'GET', path: '/', accept, maxMessageBytes: 1_000_000 }]);
      const client = new WebSocket(`ws://127.0.0.1:${door.port}/`);
      const closed = new Promise<number>((resolve) => client.once('close', resolve));
      await new Promise((resolve) => client.once('open', resolve));
      client.on('error', () => {});
      client.send(Buffer.alloc(length));
      if (length > 1_000_000) expect(await closed).toBe(1009);
      else await expect.poll(() => heard).toEqual([length]);
      client.terminate();
      await expect.poll(() => door.door.held.bodyBytes).toBe(0);
    },
  );

  it('that is refused when it is cut is not put together of what was given back', async () => {
    const peers: Peer[] = [];
    const ended: number[] = [];
    const accept = (peer: Peer): void => {
      peers.push(peer);
      peer.onMessage(() => {});
      peer.onClose((code) => ended.push(code));
    };
    const door = await openDoor([{ method: 'GET', path: '/', accept, maxMessageBytes: 8_000_000 }], {
      limits: { bodyBytesPerCaller: 100_000 },
    });
    const client = await rawClient(door.port);
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));
    client.send(
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await client.until(/101/);
    // Slices are large behind messages that are.
    for (let i = 0; i < 4; i++) {
      client.send(toBytes({ code: 'text', payload: Buffer.from('hi') }));
      await pause();
    }
    client.send(toBytes({ code: 'binary', payload: said.subarray(0, 40_000), fin: false }));
    await pause();
    const last = toBytes({ code: 'continuation', payload: said.subarray(0, 68_537) });
    client.send(Buffer.concat([toBytes({ code: 'ping', payload: Buffer.alloc(0) }), last.subarray(0, 1)]));
    await pause();
    peers[0]?.pause();
    client.send(last.subarray(1, 30_000));
    await pause();
    client.send(last.subarray(30_000));
    await pause();
    client.socket.resetAndDestroy();
    await pause();
    // A write that fails is how it is told of that it is gone.
    peers[0]?.send('x');
    await pause();
    peers[0]?.send('y');
    peers[0]?.resume();
    await expect.poll(() => [ended.length, door.door.sockets, door.door.held.bodyBytes]).toEqual([1, 0, 0]);
  });

  it('hears of a large message that its client sent before it left', async () => {
    const heard: number[] = [];
    const peers: Peer[] = [];
    const accept = (peer: Peer): void => {
      peers.push(peer);
      peer.onMessage((message) => heard.push(message.length));
    };
    const door = await openDoor([{ method: 'GET', path: '/', accept, maxMessageBytes: 1_000_000 }]);
    const client = new WebSocket(`ws://127.0.0.1:${door.port}/`);
    await new Promise((resolve) => client.once('open', resolve));
    for (let i = 0; i < 5; i++) client.send(Buffer.alloc(500_000 + i));
    client.close();
    await expect.poll(() => heard).toEqual([500_000, 500_001, 500_002, 500_003, 500_004]);
    expect(peers).toHaveLength(1);
  });
});
