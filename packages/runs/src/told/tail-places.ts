/** Where a tail has read to, of a root of which it only knows that something happened. */
export const unknown = -1;

/** The same, of one that was retried. */
export const retried = -2;

/**
 * The number of each root that was told last, of a bounded number of roots. The one that nothing came of for longest is
 * forgotten first, one that has ended before one that has not.
 */
export class TailPlaces {
  /** Whether there may be roots that had not ended, and whose place was not kept. */
  lacksSome = false;
  readonly #most: number;
  readonly #open = new Map<string, number>();
  /** Not looked at again until something is heard of them. */
  readonly #ended = new Map<string, number>();

  /** @param most roots */
  constructor(most: number) {
    this.#most = most;
  }

  /** Roots to be looked at. */
  get open(): readonly string[] {
    return [...this.#open.keys()];
  }

  of(rootId: string): number {
    return this.#open.get(rootId) ?? unknown;
  }

  /** The newest of those that are looked at, from here on. */
  keep(rootId: string, ord: number): void {
    this.#open.delete(rootId);
    this.#open.set(rootId, ord);
    if (this.#open.size + this.#ended.size <= this.#most) return;
    for (const roots of [this.#ended, this.#open])
      for (const oldest of roots.keys()) {
        this.lacksSome ||= roots === this.#open;
        roots.delete(oldest);
        return;
      }
  }

  /** Looks at a root again, where its place is known by that. @param first its place, if it is not */
  reopen(rootId: string, first: number): void {
    const place = this.#open.get(rootId) ?? this.#ended.get(rootId) ?? unknown;
    this.#ended.delete(rootId);
    this.keep(rootId, place < 0 && first !== unknown ? first : place);
  }

  end(rootId: string): void {
    this.#ended.set(rootId, this.of(rootId));
    this.#open.delete(rootId);
  }

  forget(rootId: string): void {
    this.#open.delete(rootId);
  }
}
