import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const stopped = Symbol('stopped');

/** Lets nothing be parsed any more that comes on a connection of `listen`. What it has begun to answer goes on. */
export function stopParsing(socket: Duplex): void {
  (socket as StoppableSocket)[stopped] = true;
}

/** Whether nothing more is parsed there. */
export function isStopped(socket: Duplex): boolean {
  return (socket as StoppableSocket)[stopped] === true;
}

interface StoppableSocket extends Duplex {
  [stopped]?: true;
}

/**
 * Takes a connection that node handed out behind a stopped line, and leaves what it holds unread. The answers before it go
 * on; node no longer tells them what they wait for.
 */
export function keepAnswering(socket: Duplex): void {
  // Node keeps the answer under way there.
  const line = socket as Duplex & { readonly _httpMessage?: ServerResponse | null };
  socket
    .on('drain', () => line._httpMessage?.emit('drain'))
    .on('timeout', () => {
      // Nobody is waited for while an answer is not ready.
      if (socket.writableLength > 0) socket.destroy();
    })
    // It is cut; `close` tells the answers.
    .on('error', () => {});
}
