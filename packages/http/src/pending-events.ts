/** Characters that wait for a slow reader. */
const maxPending = 1_048_576;

/** One that waits; without a text once it was taken or replaced. */
interface Waiting {
  readonly kind: string | number;
  text: string | undefined;
}

/** So many empty places are not worth a walk. */
const sparePlaces = 32;

/**
 * Events that wait until their reader has room again. The newest of a kind takes the place of the one before; beyond
 * the bound the oldest are forgotten, whatever they are; the newest one is always kept.
 *
 * The order is kept in a list of its own: a `Map` that is emptied from the front walks over all that was there before,
 * and took half a second for ten thousand events (measured).
 */
export class PendingEvents {
  readonly #newest = new Map<string | number, Waiting>();
  /** In the order they came, from `#first` on. */
  #line: Waiting[] = [];
  #first = 0;
  #length = 0;

  /** @param kind events of one kind replace each other: their name; or their id, so that none does */
  put(kind: string | number, text: string): void {
    const before = this.#newest.get(kind);
    if (before) this.#empty(before);
    const event = { kind, text };
    this.#newest.set(kind, event);
    this.#line.push(event);
    this.#length += text.length;
    while (this.#length > maxPending && this.#newest.size > 1) this.take();
    this.#closeUp();
  }

  /** Takes out the oldest. */
  take(): string | undefined {
    for (let event = this.#line[this.#first]; event; event = this.#line[this.#first]) {
      this.#first++;
      const { kind, text } = event;
      if (text === undefined) continue;
      this.#empty(event);
      this.#newest.delete(kind);
      this.#closeUp();
      return text;
    }
    return undefined;
  }

  #empty(event: Waiting): void {
    this.#length -= event.text?.length ?? 0;
    event.text = undefined;
  }

  #closeUp(): void {
    if (this.#line.length <= 2 * this.#newest.size + sparePlaces) return;
    this.#line = this.#line.filter(({ text }) => text !== undefined);
    this.#first = 0;
  }
}
