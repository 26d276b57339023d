import { describe, expect, it } from 'vitest';
import { encodeMessages } from '../../src/engine/peer.ts';
import { memoryPeer } from '../../src/testing/index.ts';

describe('memoryPeer', () => {
  it('keeps what is sent, encoded messages one by one', () => {
    const peer = memoryPeer();
    peer.send('{"type":"hello"}');
    const bytes = new Uint8Array([1]);
    peer.send(bytes);
    bytes[0] = 9;
    peer.sendEncoded(encodeMessages(['{"type":"frame"}', new Uint8Array([2])], new Uint8Array([3])));
    expect(peer.pings).toEqual([new Uint8Array([3])]);
    expect(peer.sent).toEqual([
      '{"type":"hello"}',
      new Uint8Array([1]),
      '{"type":"frame"}',
      new Uint8Array([2]),
    ]);
    expect(peer.records).toEqual([
      { type: 'hello' },
      new Uint8Array([1]),
      { type: 'frame' },
      new Uint8Array([2]),
    ]);
  });

  it('keeps early messages until somebody listens, in order', () => {
    const peer = memoryPeer();
    const heard: unknown[] = [];
    peer.receive('a');
    peer.receive('b');
    const cancel = peer.onMessage((message) => void heard.push(message));
    peer.receive('c');
    expect(heard).toEqual(['a', 'b', 'c']);
    cancel();
    peer.receive('d');
    expect(heard).toEqual(['a', 'b', 'c']);
  });

  it('holds messages back while it is paused', () => {
    const peer = memoryPeer();
    const heard: unknown[] = [];
    peer.onMessage((message) => {
      heard.push(message);
      peer.pause();
    });
    peer.receive('a');
    peer.receive('b');
    expect(heard).toEqual(['a']);
    peer.resume();
    expect(heard).toEqual(['a', 'b']);
  });

  it('answers pings when the test says so', () => {
    const peer = memoryPeer();
    const heard: Uint8Array[] = [];
    peer.onPong((payload) => void heard.push(payload));
    peer.ping(new Uint8Array([7]));
    expect(heard).toEqual([]);
    peer.pong();
    peer.pong(new Uint8Array([8]));
    expect(peer.pings).toEqual([new Uint8Array([7])]);
    expect(heard).toEqual([new Uint8Array([7]), new Uint8Array([8])]);
  });

  it('plays a slow line: what is sent counts until it drains', () => {
    const peer = memoryPeer();
    let drained = 0;
    peer.onDrain(() => drained++);
    peer.send('abc');
    expect(peer.bufferedAmount).toBe(0);
    peer.stalled = true;
    peer.send('ä');
    peer.sendEncoded(encodeMessages([new Uint8Array(10)]));
    expect(peer.bufferedAmount).toBe(2 + 12);
    peer.bufferedAmount = 1_000_000;
    peer.drain();
    expect({ drained, left: peer.bufferedAmount, sent: peer.sent.length }).toEqual({
      drained: 1,
      left: 0,
      sent: 3,
    });
    peer.send('abc');
    expect(peer.bufferedAmount).toBe(0);
  });

  it.each<[string, (peer: ReturnType<typeof memoryPeer>) => void, { code: number; reason: string }]>([
    ['closed', (peer) => peer.close(4401, 'expired'), { code: 4401, reason: 'expired' }],
    ['closed without a code', (peer) => peer.close(), { code: 1000, reason: '' }],
    ['shut', (peer) => peer.shut(4401, 'expired'), { code: 4401, reason: 'expired' }],
    ['terminated', (peer) => peer.terminate(), { code: 1006, reason: '' }],
    ['left by the other side', (peer) => peer.disconnect(1001, 'away'), { code: 1001, reason: 'away' }],
  ])('ends once and drops everything afterwards: %s', (_, end, closed) => {
    const peer = memoryPeer();
    const heard: unknown[] = [];
    peer.onClose((code, reason) => void heard.push({ code, reason }));
    peer.onMessage((message) => void heard.push(message));
    peer.onPong((payload) => void heard.push(payload));
    peer.onDrain(() => void heard.push('drain'));
    end(peer);
    end(peer);
    peer.send('a');
    peer.sendEncoded(encodeMessages(['b']));
    peer.ping(new Uint8Array());
    peer.receive('c');
    peer.pong();
    peer.drain();
    expect(peer.closed).toEqual(closed);
    expect(heard).toEqual([closed]);
    expect(peer.sent).toEqual([]);
    expect(peer.pings).toEqual([]);
  });

  it('tells its end to who comes later too, in the next turn, once', async () => {
    const peer = memoryPeer();
    peer.close(4401, 'expired');
    const heard: unknown[] = [];
    peer.onClose((code, reason) => void heard.push({ code, reason }));
    const cancel = peer.onClose(() => void heard.push('cancelled'));
    await Promise.resolve();
    expect(heard).toEqual([]);
    cancel();
    await new Promise(setImmediate);
    peer.disconnect();
    await new Promise(setImmediate);
    expect(heard).toEqual([{ code: 4401, reason: 'expired' }]);
  });

  it('forgets listeners that are cancelled', () => {
    const peer = memoryPeer();
    const heard: unknown[] = [];
    const note = (): void => void heard.push(1);
    for (const cancel of [peer.onPong(note), peer.onDrain(note), peer.onClose(note)]) cancel();
    peer.pong();
    peer.drain();
    peer.close();
    expect(heard).toEqual([]);
  });
});
