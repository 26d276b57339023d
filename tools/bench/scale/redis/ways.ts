import { connect } from '@nats-io/transport-node';
import { createRedisBackend } from '@waymark/redis';
import { Redis } from 'ioredis';

/** How frames get from one who sends to two who listen. */
export interface Way {
  /** Sends one. */
  send(bytes: Uint8Array): Promise<unknown>;
  /** Called for each that one of the two has heard. */
  heard: () => void;
  close(): Promise<unknown>;
}

/** The hub's backend: each frame gets a number, is kept and is told. */
export async function throughHub(port: number): Promise<Way> {
  const url = `redis://127.0.0.1:${port}`;
  const backends = [0, 1, 2].map(() => createRedisBackend({ url, prefix: 'bench' }));
  for (const backend of backends) await backend.open?.(console.error);
  const [sender, ...listeners] = backends;
  const way: Way = {
    send: async (bytes) => sender?.publishFrame('door', { mediaType: 'image/jpeg', bytes, atMs: 0 }),
    heard: () => {},
    close: () => Promise.all(backends.map((backend) => backend.close())),
  };
  for (const one of listeners) await one.subscribe('door', () => way.heard()).ready;
  return way;
}

/** Plain pub/sub of the same client: nothing has a number, nothing is kept. */
export async function byHand(port: number): Promise<Way> {
  const lines = [0, 1, 2].map(() => new Redis(port, '127.0.0.1'));
  const [sender, ...listeners] = lines;
  const way: Way = {
    send: async (bytes) => sender?.publish('door', Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
    heard: () => {},
    close: async () => lines.map((line) => line.disconnect()),
  };
  for (const one of listeners) {
    await one.subscribe('door');
    one.on('messageBuffer', () => way.heard());
  }
  return way;
}

/** The same by hand, of frames that are numbered and kept as the hub's are, but with a question for each step. */
export async function byHandKept(port: number): Promise<Way> {
  const way = await byHand(port);
  const line = new Redis(port, '127.0.0.1');
  const { send, close } = way;
  way.send = async (bytes) => {
    const seq = await line.incr('bench-seq');
    const kept = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    await Promise.all([line.hset('bench-frames', { [`b${seq % 8}`]: kept, n: seq }), send(bytes)]);
  };
  way.close = async () => {
    line.disconnect();
    return close();
  };
  return way;
}

/** NATS, as it is: no number, nothing kept. */
export async function throughNats(port: number): Promise<Way> {
  const lines = await Promise.all([0, 1, 2].map(() => connect({ port })));
  const [sender, ...listeners] = lines;
  const way: Way = {
    send: async (bytes) => sender?.publish('door', bytes),
    heard: () => {},
    close: () => Promise.all(lines.map((line) => line.close())),
  };
  for (const one of listeners) one.subscribe('door', { callback: () => way.heard() });
  for (const one of listeners) await one.flush();
  return way;
}
