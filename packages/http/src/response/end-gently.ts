import type { Duplex } from 'node:stream';

/** How long a connection stays after its last answer, so that the answer is read before it is cut. */
export const lingerMs = 1000;

/**
 * Ends a socket after its last answer. What the client still sends is dropped: unread bytes would make the kernel
 * reset the connection, and the client would lose the answer.
 */
export function endGently(socket: Duplex): void {
  socket.end();
  socket.resume();
  const cut = (): void => void socket.destroy();
  const timer = setTimeout(cut, lingerMs);
  socket.once('end', cut).once('close', () => clearTimeout(timer));
}
