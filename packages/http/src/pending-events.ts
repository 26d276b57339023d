/** Characters that wait for a slow reader. */
const maxPending = 1_048_576;

/**
 * Events that wait until their reader has room again. The newest of a kind takes the place of the one before; beyond
 * the bound the oldest are forgotten, whatever they are; the newest one is always kept.
 */
export class PendingEvents {
  readonly #texts = new Map<string | number, string>();
  #length = 0;

  /** @param kind events of one kind replace each other: their name; or their id, so that none does */
  put(kind: string | number, text: string): void {
    this.#remove(kind);
    this.#texts.set(kind, text);
    this.#length += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#length <= maxPending || oldest === kind) break;
      this.#remove(oldest);
    }
  }

  /** Takes out the oldest. */
  take(): string | undefined {
    for (const [kind, text] of this.#texts) {
      this.#remove(kind);
      return text;
    }
    return undefined;
  }

  #remove(kind: string | number): void {
    this.#length -= this.#texts.get(kind)?.length ?? 0;
    this.#texts.delete(kind);
  }
}
