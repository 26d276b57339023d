import type { Progress } from '@waymark/contract';

/** Characters that wait for a slow reader. */
const maxPending = 1_048_576;

/** One that waits; without a text once it was taken or replaced. */
interface Waiting {
  /** Events of one kind replace each other; none has the kind of one with an id. */
  readonly kind: string | symbol;
  text: string | undefined;
}

/** So many empty places are not worth a walk. */
const sparePlaces = 32;

/**
 * Events that wait until their reader has room again. The newest of a kind takes the place of the one before; beyond
 * the bound the oldest of those are forgotten, and the newest one is always kept. What has an id is never forgotten: a
 * reader could not know of the gap.
 *
 * The order is kept in a list of its own: a `Map` that is emptied from the front walks over all that was there before,
 * and took half a second for ten thousand events (measured).
 */
export class PendingEvents {
  readonly #newest = new Map<Waiting['kind'], Waiting>();
  /** In the order they came, from `#first` on. */
  #line: Waiting[] = [];
  #first = 0;
  #length = 0;
  /** Of those with an id. */
  #ownLength = 0;

  /**
   * @param event its name
   * @returns whether there was room; always, without an id
   */
  put({ event: name, id }: Pick<Progress, 'event' | 'id'>, text: string): boolean {
    const isOwn = id !== undefined;
    if (isOwn && this.#newest.size > 0 && this.#ownLength + text.length > maxPending) return false;
    const kind = isOwn ? Symbol(id) : name;
    const before = this.#newest.get(kind);
    if (before) this.#empty(before);
    const event = { kind, text };
    this.#newest.set(kind, event);
    this.#line.push(event);
    this.#length += text.length;
    if (isOwn) this.#ownLength += text.length;
    if (this.#length > maxPending) this.#forget(event);
    this.#closeUp();
    return true;
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

  /** Makes room among those without an id: of each kind there is one at most. */
  #forget(newest: Waiting): void {
    for (const event of this.#newest.values()) {
      if (this.#length <= maxPending) return;
      if (typeof event.kind === 'symbol' || event === newest) continue;
      this.#empty(event);
      this.#newest.delete(event.kind);
    }
  }

  #empty(event: Waiting): void {
    const length = event.text?.length ?? 0;
    this.#length -= length;
    if (typeof event.kind === 'symbol') this.#ownLength -= length;
    event.text = undefined;
  }

  #closeUp(): void {
    if (this.#line.length <= 2 * this.#newest.size + sparePlaces) return;
    this.#line = this.#line.filter(({ text }) => text !== undefined);
    this.#first = 0;
  }
}
