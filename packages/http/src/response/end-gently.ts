import type { Duplex } from 'node:stream';
import { giveBack } from '@waymark/contract/http';
import { bodyPace } from '../body/body-pace.ts';
import { lingering } from './lingering.ts';

/**
 * Ends a socket after its last answer. What the client still sends is dropped, as fast as bodies are read and whoever else
 * listens to it: unread bytes would make the kernel reset the connection, and the client would lose the answer.
 */
export function endGently(socket: Duplex): void {
  socket.end();
  const cut = (): void => void socket.destroy();
  socket.once('end', cut).once('close', lingering.add(socket, cut));
  const listening = socket.listeners('data') as (() => void)[];
  const reading = { cost: 0, goOn: () => void socket.resume() };
  socket.on('data', (piece: Buffer) => {
    const { length } = piece;
    // Nobody else hears it.
    giveBack(piece);
    reading.cost += length;
    if (bodyPace.take(length)) return;
    socket.pause();
    bodyPace.wait(reading);
  });
  for (const listener of listening) socket.off('data', listener);
  socket.resume();
}
