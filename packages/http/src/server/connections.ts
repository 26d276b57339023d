import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections of a server, and when the last one was left. */
export class Connections {
  readonly open: ReadonlySet<Socket>;
  #leftMs = -Infinity;

  constructor(server: Server) {
    const open = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        this.#leftMs = performance.now();
      });
    });
    this.open = open;
  }

  /** Whether somebody is connected, or was within the last `ms`. */
  anybodyWithin(ms: number): boolean {
    return this.open.size > 0 || performance.now() - this.#leftMs < ms;
  }
}
