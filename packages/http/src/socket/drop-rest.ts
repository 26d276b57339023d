import type { Duplex } from 'node:stream';
import { endGently, maxUnheardBytes } from '../response/end-gently.ts';

/** Ends a socket behind its close frame: nothing reaches `ws` any more, and of what still comes little is read. */
export function dropRest(socket: Duplex): void {
  socket.removeAllListeners('data');
  // What node has read when it is cut: `ws` would put a message together with it, of which the first pieces were given back when it
  // was refused. An empty piece is an error that nobody hears.
  socket.prependListener('close', () => {
    const { readableLength } = socket;
    if (readableLength > 0) socket.read(readableLength);
  });
  // Of one that is closed nothing comes, and it needs no time to be read.
  if (!socket.destroyed) endGently(socket, maxUnheardBytes);
}
