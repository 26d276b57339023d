import type { Duplex } from 'node:stream';
import { bodyPace } from '../body/body-pace.ts';

/** How long a connection stays after its last answer, so that the answer is read before it is cut. */
export const lingerMs = 1000;

/**
 * Ends a socket after its last answer. What the client still sends is dropped, as fast as bodies are read and whoever else
 * listens to it: unread bytes would make the kernel reset the connection, and the client would lose the answer.
 */
export function endGently(socket: Duplex): void {
  socket.end();
  const cut = (): void => void socket.destroy();
  const timer = setTimeout(cut, lingerMs);
  socket.once('end', cut).once('close', () => clearTimeout(timer));
  const listening = socket.listeners('data') as (() => void)[];
  const reading = { cost: 0, goOn: () => void socket.resume() };
  socket.on('data', (piece: Buffer) => {
    reading.cost += piece.length;
    if (bodyPace.take(piece.length)) return;
    socket.pause();
    bodyPace.wait(reading);
  });
  for (const listener of listening) socket.off('data', listener);
  socket.resume();
}
