import type { Peer } from '@waymark/contract';

/** The code of a server that goes away (RFC 6455, 7.4.1). */
const goingAway = 1001;

/** The WebSockets that are open, so that shutdown can end them: no method of `node:http` does. */
export class OpenSockets {
  readonly #peers = new Set<Peer>();
  readonly #waiting: (() => void)[] = [];

  get size(): number {
    return this.#peers.size;
  }

  /** Takes in a peer until it closes. */
  add(peer: Peer): void {
    this.#peers.add(peer);
    peer.onClose(() => {
      this.#peers.delete(peer);
      if (this.#peers.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    });
  }

  /** Begins the closing handshake with every peer. */
  close(): void {
    for (const peer of this.#peers) peer.close(goingAway, 'the server is shutting down');
  }

  /** Closes, and after `graceMs` cuts the peers that have not answered. Resolves when none is left. */
  async end(graceMs: number): Promise<void> {
    if (this.#peers.size === 0) return;
    const gone = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.close();
    const timer = setTimeout(() => {
      for (const peer of this.#peers) peer.terminate();
    }, graceMs);
    await gone;
    clearTimeout(timer);
  }
}
