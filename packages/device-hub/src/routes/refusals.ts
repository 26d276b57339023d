import type { Cancel, Host, Peer } from '@waymark/contract/engine';

/** What a device that does not read what it is told may let pile up, in bytes. */
export const maxUnreadBytes = 65_536;

/** Between two errors of one text. */
const everyMs = 1_000;

/**
 * Tells a device what was wrong with its messages: each text at once and then at most once a second, with the number of
 * messages it is about. An answer to each would cost more than the message did.
 */
export class Refusals {
  readonly #peer: Peer;
  readonly #after: Host['after'];
  /** How often since it was told. The texts are our own, so that there are but a few. */
  readonly #counts = new Map<string, number>();
  #timer: Cancel | undefined;

  constructor(peer: Peer, after: Host['after']) {
    this.#peer = peer;
    this.#after = after;
    peer.onClose(() => this.#stop());
  }

  add(message: string): void {
    const count = this.#counts.get(message);
    this.#counts.set(message, (count ?? 0) + 1);
    if (count === undefined) this.#tell(message, 1);
    this.#timer ??= this.#after(everyMs, () => this.#tellAgain());
  }

  #tellAgain(): void {
    this.#timer = undefined;
    for (const [message, count] of this.#counts)
      if (count === 0) this.#counts.delete(message);
      else this.#tell(message, count);
    if (this.#counts.size > 0) this.#timer = this.#after(everyMs, () => this.#tellAgain());
  }

  #tell(message: string, refused: number): void {
    // It stays counted.
    if (this.#peer.bufferedAmount > maxUnreadBytes) return;
    this.#counts.set(message, 0);
    this.#peer.send(JSON.stringify({ type: 'error', message, ...(refused > 1 && { refused }) }));
  }

  #stop(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#counts.clear();
  }
}
