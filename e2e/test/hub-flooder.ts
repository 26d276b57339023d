import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** What a flooder is told. It runs in a thread of its own, so that what it costs is not taken for the server's delay. */
export interface Flood {
  readonly port: number;
  readonly target: string;
  readonly sockets: number;
  readonly ms: number;
  /** A frame as it goes over the wire. */
  readonly frame: Uint8Array;
  /** Whose the sockets are; `both` where nothing is said. */
  readonly key?: string;
  /** What comes back is left where it is. */
  readonly unread?: boolean;
}

/** What it did. */
export interface Flooded {
  /** Frames that the sockets took. */
  readonly frames: number;
  /** Sockets that the server had ended by then. */
  readonly cut: number;
}

const { port, target, sockets, ms, frame, key = 'both', unread = false } = workerData as Flood;
const perBlob = 1_000;
const blob = Buffer.concat(Array.from({ length: perBlob }, () => frame));

/** Opens a socket by hand: a client of `ws` would be the slower side. */
async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `GET ${target} HTTP/1.1\r\nHost: hub\r\nx-api-key: ${key}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await once(socket, 'data');
  // Else what comes back is read, so that nothing else holds the flood up.
  return unread ? socket.pause() : socket.resume();
}

const open_ = await Promise.all(Array.from({ length: sockets }, open));
const endMs = performance.now() + ms;
let frames = 0;
const write = (socket: Socket): void => {
  let room = true;
  while (room && performance.now() < endMs && !socket.destroyed) {
    room = socket.write(blob);
    frames += perBlob;
  }
};
for (const socket of open_) {
  socket.on('drain', () => write(socket));
  write(socket);
}
// Whoever has lost all of them has nothing to flood with.
const lost = Promise.all(
  open_
    .filter(({ destroyed }) => !destroyed)
    .map((socket) => new Promise((resolve) => socket.once('close', resolve))),
);
const over = new Promise((resolve) => setTimeout(resolve, Math.max(0, endMs - performance.now())));
await Promise.race([lost, over]);
const cut = open_.filter(({ destroyed }) => destroyed).length;
parentPort?.postMessage({ frames, cut } satisfies Flooded);
// The kernel has what was written; nothing more is to follow.
for (const socket of open_) socket.destroy();
