import { memoryPeer } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { SocketOut } from '../../src/socket/socket-out.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('what a socket of an agent sends', () => {
  it('leaves in order, and in one piece where it was sent in one go', async () => {
    const peer = memoryPeer();
    const pieces: number[] = [];
    const send = peer.sendEncoded.bind(peer);
    peer.sendEncoded = (messages) => {
      pieces.push(messages.messages);
      send(messages);
    };
    const out = new SocketOut(peer);
    out.send('a');
    await Promise.resolve();
    out.send('b');
    expect(peer.sent).toEqual([]);
    await turn();
    out.send('c');
    await turn();
    expect(peer.sent).toEqual(['a', 'b', 'c']);
    expect(pieces).toEqual([2, 1]);
  });

  it('is worded once for all sockets that are told of the same', async () => {
    const peers = [memoryPeer(), memoryPeer()];
    const about = {};
    let worded = 0;
    const toText = (): string => `text ${++worded}`;
    for (const peer of peers) new SocketOut(peer).sendShared(about, toText);
    await turn();
    expect(peers.map(({ sent }) => sent)).toEqual([['text 1'], ['text 1']]);
  });

  it('has room up to 64 KiB on the way, until it drained or the reader has gone', async () => {
    for (const end of ['drain', 'disconnect'] as const) {
      const peer = memoryPeer();
      peer.stalled = true;
      const out = new SocketOut(peer);
      // Four bytes are the head of its frame.
      out.send('x'.repeat(65_532));
      expect(out.room()).toBeUndefined();
      out.send('y');
      const room = out.room();
      expect(room).toBeInstanceOf(Promise);
      expect(peer.sent.length).toBe(2);
      let settled = false;
      void room?.then(() => {
        settled = true;
      });
      await turn();
      expect(settled).toBe(false);
      peer[end]();
      await turn();
      expect(settled).toBe(true);
      expect(out.room()).toBeUndefined();
    }
  });

  it('is sent before the socket is closed', () => {
    const peer = memoryPeer();
    const out = new SocketOut(peer);
    out.send('last');
    out.shut(1008, 'enough');
    expect([peer.sent, peer.closed]).toEqual([['last'], { code: 1008, reason: 'enough' }]);
  });
});
