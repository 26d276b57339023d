import { encodeMessages, type Peer } from '@waymark/contract/engine';
import { describe, expect, it } from 'vitest';
import { deferred } from '../deferred.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

describe('a peer over ws', () => {
  it('counts what a slow client has not taken, and tells when it took all of it', async () => {
    const accepted = deferred<Peer>();
    const { port } = await openDoor([{ method: 'GET', path: '/', accept: accepted.resolve }]);
    const client = await rawClient(port);
    client.send(
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await client.until(/\r\n\r\n/);
    const peer = await accepted.promise;
    client.socket.pause();
    expect(peer.bufferedAmount).toBe(0);
    // More than the kernels of both sides hold.
    const message = encodeMessages([new Uint8Array(1_048_576)]);
    for (let i = 0; i < 32; i++) peer.sendEncoded(message);
    expect(peer.bufferedAmount).toBeGreaterThan(1_048_576);
    // The last to leave: it must not keep the news from anybody.
    peer.ping(new Uint8Array(4));
    const drained = deferred<number>();
    let drains = 0;
    peer.onDrain(() => {
      drains++;
      drained.resolve(peer.bufferedAmount);
    });
    client.socket.resume();
    expect(await drained.promise).toBe(0);
    // What never had to wait is not told.
    peer.send('small');
    await client.until(/small/);
    expect(drains).toBe(1);
  });
});
