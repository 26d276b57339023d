import type { Peer } from '@waymark/contract/engine';

/** Bytes on their way to a reader. Whoever has more waits; what is told of a run is read from its journal meanwhile. */
const highWaterBytes = 65_536;

/** What one socket sends, at the pace of its reader. */
export class SocketOut {
  readonly #peer: Peer;
  #waiting: (() => void)[] = [];
  #closed = false;

  constructor(peer: Peer) {
    this.#peer = peer;
    peer.onDrain(() => this.#tellRoom());
    peer.onClose(() => {
      this.#closed = true;
      this.#tellRoom();
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  send(text: string): void {
    this.#peer.send(text);
  }

  /** The reader has not taken what it was sent. */
  get full(): boolean {
    return !this.#closed && this.#peer.bufferedAmount > highWaterBytes;
  }

  /** Settles when the reader can take more, or has gone; undefined while it can. */
  room(): Promise<void> | undefined {
    if (!this.full) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  shut(code: number, reason: string): void {
    this.#peer.shut(code, reason);
  }

  #tellRoom(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
