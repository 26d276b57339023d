import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { unreadRest } from '../response/end-answer.ts';
import { endGently } from '../response/end-gently.ts';
import { stopParsing } from '../server/stop-parsing.ts';

/** Requests that a client may send ahead on one connection. Behind them it is closed, and the client sends the rest anew. */
export const maxSentAhead = 128;

/** Requests of one connection behind the one whose turn it is. */
interface Line {
  waiting: number;
  /** Nobody is taken in any more: the last one in it gets the last answer. */
  full: boolean;
}

/**
 * Whose turn it is on a connection. Clients may send requests ahead (RFC 9112, 9.3.2). They begin one after the other, each
 * when the answer before it is written: what changes something must not overtake what was sent before it, and a packet
 * that holds thousands of requests would begin them all in one turn of the event loop.
 *
 * Behind a `connection: close` none begins: its client knows by it that it was not, and may send it again.
 */
export class Turns {
  readonly #lines = new WeakMap<Socket, Line>();
  readonly #ended = new WeakSet<Socket>();

  /** Whether an answer before this one is not written yet. */
  isEarly(res: ServerResponse): boolean {
    // Node gives an answer its socket in its turn.
    return res.socket === null;
  }

  /** Begins a request that came early when its turn comes, if it ever does. */
  wait(req: IncomingMessage, res: ServerResponse, begin: () => void): void {
    const { socket } = req;
    const line = this.#lineOf(socket);
    if (line.full) return;
    line.waiting++;
    if (line.waiting === maxSentAhead) {
      line.full = true;
      res.shouldKeepAlive = false;
      stopParsing(socket);
    }
    res.once('socket', () => {
      line.waiting--;
      // In a turn of the event loop of its own: whoever has sent one request is not behind those that sent a hundred.
      setImmediate(() => {
        if (!socket.destroyed) begin();
      });
    });
  }

  #lineOf(socket: Socket): Line {
    const known = this.#lines.get(socket);
    if (known) return known;
    const line = { waiting: 0, full: false };
    this.#lines.set(socket, line);
    return line;
  }

  /** False behind the last answer of a connection: nothing is begun there, since it would get no answer. */
  mayBegin({ socket }: IncomingMessage): boolean {
    return !this.#ended.has(socket);
  }

  /** Makes the answer to a request the last one of its connection. */
  endWith(req: IncomingMessage): void {
    const { socket } = req;
    this.#ended.add(socket);
    // Node cuts the connection behind its last answer. Where further requests lie in it unread, the kernel then resets
    // it, and the client loses answers that were sent (measured).
    if (unreadRest(req) !== 'large') socket.destroySoon = () => endGently(socket);
  }
}
