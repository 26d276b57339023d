/** Keeps the values used last; the one not used for longest goes first, among those used since it was half full. */
export class BoundedCache<V> {
  readonly #values = new Map<string, V>();
  readonly #size: number;

  /** @param size values held, 1 or more */
  constructor(size: number) {
    this.#size = size;
  }

  /** The value of a key, made when it is not held. What `make` throws is not kept. */
  get(key: string, make: (key: string) => V): V {
    const held = this.#values.get(key);
    // While much room is left nothing goes soon, and moving costs as much as finding.
    if (held !== undefined && this.#values.size <= this.#size / 2) return held;
    const value = held ?? make(key);
    // Setting it again moves it to the end: the first one is always the one to go.
    if (held !== undefined) this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#size) {
      const [oldest] = this.#values.keys();
      if (oldest !== undefined) this.#values.delete(oldest);
    }
    return value;
  }

  clear(): void {
    this.#values.clear();
  }
}
