import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { noteAccepted } from '@waymark/contract/engine';

/** The open connections of a server, and when the last one was left. */
export class Connections {
  readonly open: ReadonlySet<Socket>;
  #leftMs = -Infinity;
  #tellEmpty: (() => void)[] = [];

  constructor(server: Server) {
    const open = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      noteAccepted();
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        this.#leftMs = performance.now();
        if (open.size === 0) for (const tell of this.#tellEmpty.splice(0)) tell();
      });
    });
    this.open = open;
  }

  /** Resolves when none is open: of those that another process has accepted a server of node does not wait for the end. */
  whenEmpty(): Promise<void> {
    if (this.open.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#tellEmpty.push(resolve));
  }

  /** Whether somebody is connected, or was within the last `ms`. */
  anybodyWithin(ms: number): boolean {
    return this.open.size > 0 || performance.now() - this.#leftMs < ms;
  }
}
