import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { PacedRequest } from '../body/paced-request.ts';

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
 * A request of a server that `listen` made. Behind a stop it passes for an upgrade, whatever it is: node's parser leaves off
 * there and hands the connection out. Nothing else halts it in the middle of what was read at once, and 64 KiB hold 2,000
 * requests, each of which becomes an object first (25 ms; a bare server that is sent them without an end answers nobody
 * else, measured).
 */
export class ListenedRequest extends PacedRequest {
  constructor(socket: Socket) {
    super(socket);
    // Node assigns what the headers say, and asks.
    if (isStopped(socket)) Object.defineProperty(this, 'upgrade', { get: () => true, set: () => {} });
  }
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
