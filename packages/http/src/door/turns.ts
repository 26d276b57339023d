import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { unreadRest } from '../response/end-answer.ts';
import { endGently } from '../response/end-gently.ts';
import { lineOf } from '../server/line.ts';
import { SlicedSocket } from '../server/sliced-socket.ts';

/**
 * Requests that a client may send ahead on one connection of a server that is not `listen`'s, and parses all that it reads at
 * once. Behind them it is closed, and the client sends the rest anew.
 */
export const maxSentAhead = 128;

/**
 * Whose turn it is on a connection. Clients may send requests ahead (RFC 9112, 9.3.2). They begin one after the other, each
 * when the answer before it is written: what changes something must not overtake what was sent before it, and a packet
 * that holds thousands of requests would begin them all in one turn of the event loop.
 *
 * Behind a `connection: close` none begins: its client knows by it that it was not, and may send it again.
 */
export class Turns {
  readonly #ended = new WeakSet<Socket>();

  /** Whether an answer before this one is not written yet. */
  isEarly(res: ServerResponse): boolean {
    // Node gives an answer its socket in its turn.
    return res.socket === null;
  }

  /** Begins a request that came early when its turn comes, if it ever does. */
  wait(req: IncomingMessage, res: ServerResponse, begin: () => void): void {
    const { socket } = req;
    const line = lineOf(socket);
    if (line.isFull) return;
    line.enter();
    // Of a connection in slices nothing is parsed while its line is long.
    if (line.waiting >= maxSentAhead && !(socket instanceof SlicedSocket)) {
      line.isFull = true;
      res.shouldKeepAlive = false;
    }
    // In the context of this request, not of the one whose answer it waits for.
    const turn = AsyncLocalStorage.bind(() => {
      if (!socket.destroyed) begin();
    });
    res.once('socket', () => {
      line.leave();
      // In a turn of the event loop of its own: whoever has sent one request is not behind those that sent a hundred.
      setImmediate(turn);
    });
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
    if (unreadRest(req) !== 'large')
      socket.destroySoon = () => {
        endGently(socket);
        lineOf(socket).dissolve();
      };
  }
}
