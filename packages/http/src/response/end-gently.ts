import type { Duplex } from 'node:stream';
import { giveBack } from '@waymark/contract/http';
import { bodyPace } from '../body/body-pace.ts';
import { lingering } from './lingering.ts';

/**
 * Bytes that are still read of a socket, or of a connection that was to become one: the answer to a close frame is among them,
 * and a flood is not.
 */
export const maxUnheardBytes = 16_384;

/**
 * Ends a socket after its last answer. What the client still sends is dropped, as fast as bodies are read and whoever else
 * listens to it: unread bytes would make the kernel reset the connection, and the client would lose the answer.
 *
 * @param mostBytes behind which nothing more is read, so that whoever goes on waits for their connection to be cut: for a client
 * that reads while it sends, as those of sockets do
 */
export function endGently(socket: Duplex, mostBytes = Number.POSITIVE_INFINITY): void {
  socket.end();
  const listening = socket.listeners('data') as (() => void)[];
  const reading = { cost: 0, goOn: () => void socket.resume() };
  let left = mostBytes;
  let isCut = false;
  // Behind a pause node reads on until 64 KiB wait, in memory that is new each time: not where nobody will hear them. It stops
  // where this is false, and begins again where it is asked to.
  const push = socket.push.bind(socket);
  socket.push = (...given) => push(...given) && left >= 0;
  socket.on('data', (piece: Buffer) => {
    const { length } = piece;
    // Nobody else hears it.
    giveBack(piece);
    if (isCut) return;
    reading.cost += length;
    left -= length;
    if (left < 0) {
      socket.pause();
      socket._read = () => {};
      return;
    }
    if (bodyPace.take(length)) return;
    socket.pause();
    bodyPace.wait(reading);
  });
  for (const listener of listening) socket.off('data', listener);
  const cut = (): void => {
    isCut = true;
    // What node has read meanwhile, 128 KiB, a piece at a time: as one it would be copied first. Many are small, and no matter.
    socket.resume();
    for (let pieces = 0; pieces < 4 && socket.read() !== null; ) pieces++;
    socket.destroy();
  };
  socket.once('end', cut).once('close', lingering.add(socket, cut));
  socket.resume();
}
