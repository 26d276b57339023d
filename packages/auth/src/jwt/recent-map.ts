/** A map that holds so many entries and no more: the one that was not used for longest goes first. */
export class RecentMap<V> {
  readonly #size: number;
  // A Map keeps the order of insertion, so the first key is the one to go.
  readonly #entries = new Map<string, V>();

  /** @param size entries held, 1 or more */
  constructor(size: number) {
    this.#size = size;
  }

  /** The value, which is now the one used last. */
  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#size) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}
