import type { Peer } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../deferred.ts';
import { type OpenDoor, openDoor } from '../open-door.ts';
import { type RawClient, rawClient } from '../raw-client.ts';

/** The longest that one socket may be heard in a turn: the rest of a share, and the next one. */
const mostPerTurn = 64;

/** A door with a socket at `/`. */
async function serveSocket(accept: (peer: Peer) => void): Promise<OpenDoor> {
  return openDoor([{ method: 'GET', path: '/', accept, maxMessageBytes: 100_000 }]);
}

/** A socket without a WebSocket client, which could not flood anybody. */
async function flooder({ port }: OpenDoor): Promise<RawClient> {
  const client = await rawClient(port);
  client.send(
    'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await client.until(/\r\n\r\n/);
  return client;
}

/** A frame with a mask of zeros. */
function frame(opcode: number, payload: string | Uint8Array): Buffer {
  const bytes = Buffer.from(payload);
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]);
}

function numbered(count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, i) => frame(0x1, String(i))));
}

/** Counts turns of the event loop until the test is over. */
function countTurns(): () => number {
  let turn = 0;
  let next = setImmediate(function count() {
    turn++;
    next = setImmediate(count);
  });
  onTestFinished(() => clearImmediate(next));
  return () => turn;
}

describe('a socket that floods', () => {
  it.each([
    ['text', frame(0x1, '')],
    ['binary messages', frame(0x2, new Uint8Array(1))],
  ])('with %s is heard a share of it in each turn, and not read meanwhile', async (_, message) => {
    const turn = countTurns();
    const perTurn = new Map<number, number>();
    let heard = 0;
    const many = deferred<void>();
    const door = await serveSocket((peer) => {
      peer.onMessage(() => {
        perTurn.set(turn(), (perTurn.get(turn()) ?? 0) + 1);
        if (++heard === 10_000) many.resolve();
      });
    });
    const client = await flooder(door);
    const blob = Buffer.concat(Array.from({ length: 10_000 }, () => message));
    // More than the kernels of both sides hold.
    for (let i = 0; i < 400; i++) client.send(blob);
    await many.promise;
    expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(mostPerTurn);
    expect(client.socket.writableLength).toBeGreaterThan(0);
  });

  it('with messages of 90 kB is heard 512 KiB of them in each turn', async () => {
    const turn = countTurns();
    const perTurn = new Map<number, number>();
    let heard = 0;
    const all = deferred<void>();
    const door = await serveSocket((peer) => {
      peer.onMessage((message) => {
        perTurn.set(turn(), (perTurn.get(turn()) ?? 0) + message.length);
        if (++heard === 200) all.resolve();
      });
    });
    const client = await flooder(door);
    const head = Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 1, 0x5f, 0x90, 0, 0, 0, 0]);
    const blob = Buffer.concat([head, Buffer.alloc(90_000)]);
    for (let i = 0; i < 200; i++) client.send(blob);
    await all.promise;
    // The share that was left, the message that uses up the next one, and what was under way.
    expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(2 * (524_288 + 90_000));
  });

  it.each(['as they come', 'behind a pause'])(
    'with texts of 60 kB is heard one of them in each turn, %s',
    async (how) => {
      const turn = countTurns();
      const perTurn = new Map<number, number>();
      let heard = 0;
      const all = deferred<void>();
      const door = await serveSocket((peer) => {
        if (how === 'behind a pause') {
          peer.pause();
          setTimeout(() => peer.resume(), 50);
        }
        peer.onMessage(() => {
          perTurn.set(turn(), (perTurn.get(turn()) ?? 0) + 1);
          if (++heard === 200) all.resolve();
        });
      });
      const client = await flooder(door);
      const head = Buffer.from([0x81, 0xfe, 60_000 >> 8, 60_000 & 255, 0, 0, 0, 0]);
      const blob = Buffer.concat([head, Buffer.alloc(60_000, 'x')]);
      for (let i = 0; i < 200; i++) client.send(blob);
      await all.promise;
      // One may have been under way.
      expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(2);
    },
  );

  it('with pongs is read a slice of 4 KiB in each turn', async () => {
    verifies('http.socket.slices');
    const turn = countTurns();
    const perTurn = new Map<number, number>();
    const many = deferred<void>();
    let heard = 0;
    const door = await serveSocket((peer) => {
      peer.onPong(() => {
        perTurn.set(turn(), (perTurn.get(turn()) ?? 0) + 1);
        if (++heard === 200_000) many.resolve();
      });
    });
    const client = await flooder(door);
    const blob = Buffer.concat(Array.from({ length: 10_000 }, () => frame(0xa, '')));
    for (let i = 0; i < 50; i++) client.send(blob);
    await many.promise;
    // Six bytes each, and one slice that was begun before.
    expect(Math.max(...perTurn.values())).toBeLessThan((2 * 4_096) / 6 + 2);
  });

  it('is heard to the end of its connection where it is shut in the middle of what was read', async () => {
    let heard = 0;
    const door = await serveSocket((peer) => {
      peer.onMessage(() => {
        if (++heard === 32) peer.shut(1008, 'enough');
      });
    });
    const client = await flooder(door);
    // As all clients do.
    client.socket.once('data', () => client.send(frame(0x8, new Uint8Array([0x03, 0xf0]))));
    const startMs = performance.now();
    client.send(Buffer.concat([numbered(32), ...Array.from({ length: 40 }, () => frame(0x9, 'p'))]));
    await client.closed();
    await expect.poll(() => door.door.held.sockets).toBe(0);
    // Not cut a second later, as one whose end is not heard.
    expect(performance.now() - startMs).toBeLessThan(900);
  });

  it('loses nothing, keeps the order, and ends behind its last message', async () => {
    const heard: string[] = [];
    const ended = deferred<[number, number]>();
    const door = await serveSocket((peer) => {
      peer.onMessage((message) => heard.push(String(message)));
      peer.onClose((code) => ended.resolve([code, heard.length]));
    });
    const client = await flooder(door);
    client.send(Buffer.concat([numbered(5_000), frame(0x8, new Uint8Array([0x03, 0xe8]))]));
    expect(await ended.promise).toEqual([1000, 5_000]);
    expect(heard).toEqual(Array.from({ length: 5_000 }, (_, i) => String(i)));
  });

  // The last bytes of 1000, and of 1008, as `rawClient` reads them.
  it.each([
    ['as many fragments as it may have', 1_049, [1_049], /è$/],
    ['one more', 1_050, [], /ð/],
  ] as const)('with a message of %s hears it, or of its end', async (_, count, told, end) => {
    verifies('http.socket.fragments');
    const heard: number[] = [];
    const door = await serveSocket((peer) => {
      peer.onMessage((message) => heard.push(message.length));
    });
    const client = await flooder(door);
    const part = (first: number): Buffer => Buffer.from([first, 0x81, 0, 0, 0, 0, 0x78]);
    const between = Array.from({ length: count - 2 }, () => part(0x00));
    client.send(
      Buffer.concat([part(0x02), ...between, part(0x80), frame(0x8, new Uint8Array([0x03, 0xe8]))]),
    );
    await client.until(end);
    expect(heard).toEqual(told);
  });

  it('with messages that are never whole is read 1 MiB in each turn, of all sockets together', async () => {
    verifies('http.socket.pieces');
    const turn = countTurns();
    const accept = (peer: Peer): void => void peer.onMessage(() => {});
    const door = await openDoor([{ method: 'GET', path: '/', accept, maxMessageBytes: 32_000_000 }]);
    const clients = await Promise.all(Array.from({ length: 40 }, () => flooder(door)));
    // The first fragment of a binary message, of which the last byte never comes.
    const length = 1_000_000;
    const head = Buffer.from([0x02, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.writeBigUInt64BE(BigInt(length), 2);
    for (const client of clients) client.send(Buffer.concat([head, Buffer.alloc(length - 1)]));
    let [most, before] = [0, 0];
    const all = clients.length * (length - 1);
    while (door.door.held.bodyBytes < all) {
      const [last, held] = [turn(), door.door.held.bodyBytes];
      most = Math.max(most, held - before);
      before = held;
      while (turn() === last) await new Promise(setImmediate);
    }
    expect(most).toBeGreaterThan(65_536);
    // The first piece of each, and a turn's.
    expect(most).toBeLessThan(clients.length * 65_536 + 2 * 1_048_576);
  });

  it('is heard to its end where it left before it was answered', async () => {
    verifies('http.socket.slices');
    let heard = 0;
    const ended = deferred<void>();
    const door = await openDoor([
      {
        ...{ method: 'GET', path: '/', maxMessageBytes: 100_000 },
        accept: (peer) => {
          peer.onMessage((message) => {
            heard++;
            peer.send(message);
          });
          peer.onClose(() => ended.resolve());
        },
      },
    ]);
    const client = await flooder(door);
    const head = Buffer.from([0x82, 0xfe, 0x03, 0x84, 0, 0, 0, 0]);
    const message = Buffer.concat([head, Buffer.alloc(900)]);
    client.socket.end(Buffer.concat(Array.from({ length: 60 }, () => message)), () =>
      client.socket.destroy(),
    );
    await ended.promise;
    expect(heard).toBe(60);
  });

  it('is one of many that have 2 ms of a turn together, however many begin at once', async () => {
    verifies('http.socket.slices');
    const turn = countTurns();
    const perTurn = new Map<number, number>();
    const all = deferred<void>();
    let heard = 0;
    const door = await serveSocket((peer) => {
      peer.onMessage(() => {
        const untilMs = performance.now() + 1;
        while (performance.now() < untilMs);
        perTurn.set(turn(), (perTurn.get(turn()) ?? 0) + 1);
        if (++heard === 60) all.resolve();
      });
    });
    const clients = await Promise.all(Array.from({ length: 60 }, () => flooder(door)));
    for (const client of clients) client.send(frame(0x1, 'all at once'));
    await all.promise;
    // Two for those that come, two for those that wait, and what a turn of the test's own counter is off.
    expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(8);
  });

  it('is heard no more once it is cut', async () => {
    let heard = 0;
    const ended = deferred<number>();
    const door = await serveSocket((peer) => {
      peer.onMessage(() => {
        if (++heard === 40) peer.terminate();
      });
      peer.onClose((code) => ended.resolve(code));
    });
    const client = await flooder(door);
    client.send(numbered(5_000));
    expect(await ended.promise).toBe(1006);
    await new Promise(setImmediate);
    expect(heard).toBe(40);
  });

  it.each([5, 40])(
    'is heard no more once its listener cut it, whatever came with it: %s messages',
    async (most) => {
      let heard = 0;
      const ended = deferred<number>();
      const door = await serveSocket((peer) => {
        peer.onMessage(() => {
          if (++heard === most) peer.terminate();
        });
        peer.onClose((code) => ended.resolve(code));
      });
      const client = await flooder(door);
      client.send(Buffer.concat([numbered(200), frame(0x8, new Uint8Array([0x03, 0xe8]))]));
      await ended.promise;
      await new Promise(setImmediate);
      expect(heard).toBe(most);
    },
  );

  it('is heard no more, and logged once, when its listener throws', async () => {
    let heard = 0;
    const ended = deferred<number>();
    const door = await serveSocket((peer) => {
      peer.onMessage(() => {
        heard++;
        throw new Error('a bug');
      });
      peer.onClose((code) => ended.resolve(code));
    });
    const client = await flooder(door);
    client.send(numbered(5_000));
    await client.until(/internal error/);
    client.socket.end();
    await ended.promise;
    expect(heard).toBe(1);
    expect(door.logs.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('has its newest ping answered of those that came at once, and few of the others', async () => {
    const heard: string[] = [];
    const door = await serveSocket((peer) => peer.onMessage((message) => heard.push(String(message))));
    const client = await flooder(door);
    const pings = Array.from({ length: 10_000 }, (_, i) => frame(0x9, String(i)));
    client.send(Buffer.concat([...pings, frame(0x1, 'last')]));
    await client.until(/9999/);
    await expect.poll(() => heard).toEqual(['last']);
    // Two for each slice of 4 KiB.
    expect(client.received.split('\x8a').length - 1).toBeLessThan(60);
    expect(client.socket.closed).toBe(false);
  });

  it('has every ping answered that comes behind the answer to the one before', async () => {
    const client = await flooder(await serveSocket(() => {}));
    for (let i = 0; i < 50; i++) {
      client.send(frame(0x9, `no ${i}.`));
      await client.until(new RegExp(`no ${i}\\.`));
    }
    expect(client.received.match(/no \d+\./g)).toEqual(Array.from({ length: 50 }, (_, i) => `no ${i}.`));
  });

  it('does not get more of a turn by a listener that pauses and resumes', async () => {
    const turn = countTurns();
    const perTurn = new Map<number, number>();
    const all = deferred<void>();
    let heard = 0;
    const door = await serveSocket((peer) => {
      peer.onMessage(() => {
        perTurn.set(turn(), (perTurn.get(turn()) ?? 0) + 1);
        peer.pause();
        void Promise.resolve().then(() => peer.resume());
        if (++heard === 2_000) all.resolve();
      });
    });
    const client = await flooder(door);
    client.send(numbered(2_000));
    await all.promise;
    expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(mostPerTurn);
  });

  it('shares turns with the others who do', async () => {
    const sockets = 24;
    const heard: number[] = [];
    const first = deferred<void>();
    const messages = 2_000;
    const door = await serveSocket((peer) => {
      const i = heard.push(0) - 1;
      // Begun by all at once: those who came first must not have a lead.
      if (heard.length === sockets) first.resolve();
      peer.onMessage(() => {
        heard[i] = (heard[i] ?? 0) + 1;
      });
    });
    const clients = await Promise.all(Array.from({ length: sockets }, () => flooder(door)));
    await first.promise;
    const turn = countTurns();
    for (const client of clients) client.send(numbered(messages));
    await expect.poll(() => Math.max(...heard)).toBe(messages);
    expect(turn()).toBeGreaterThan((sockets * messages) / 256 / 2);
    expect(Math.min(...heard)).toBeGreaterThan(messages / 2);
  });
});
