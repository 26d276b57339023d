import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { unreadRest } from './end-answer.ts';
import { endGently } from './end-gently.ts';

/**
 * Which answer is the last on its connection. Clients may send several requests ahead (RFC 9112, 9.3.2), and their
 * answers keep that order: behind a `connection: close` none is sent, not even one whose work is done already.
 */
export class ConnectionEnds {
  readonly #newest = new WeakMap<Socket, IncomingMessage>();
  readonly #ended = new WeakSet<Socket>();

  /** Takes in a request. False for one that came behind the last answer: it will get none, so nothing must be begun for it. */
  begin(req: IncomingMessage): boolean {
    if (this.#ended.has(req.socket)) return false;
    this.#newest.set(req.socket, req);
    return true;
  }

  /** Makes the answer to a request the last one, unless a later request has been taken in. */
  endWith(req: IncomingMessage): boolean {
    const { socket } = req;
    if (this.#newest.get(socket) !== req) return false;
    this.#ended.add(socket);
    // Node cuts the connection behind its last answer. Where further requests lie in it unread, the kernel then resets
    // it, and the client loses answers that were sent (measured).
    if (unreadRest(req) !== 'large') socket.destroySoon = () => endGently(socket);
    return true;
  }
}
