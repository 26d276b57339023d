/** Looks, in the next turn of the event loop after something changed, whether what is waited for has come. */
export class Changes {
  readonly #look: () => void;
  readonly #waiters = new Map<() => boolean, () => void>();
  #scheduled = false;
  #over = false;

  /** @param look called after each change, behind those who wait */
  constructor(look: () => void) {
    this.#look = look;
  }

  happened(): void {
    if (this.#scheduled || this.#over) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#over) this.#wake();
    });
  }

  /** Settles when the condition holds. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.set(condition, resolve));
  }

  /** Whoever still waits, waits for ever. */
  end(): void {
    this.#over = true;
    this.#waiters.clear();
  }

  #wake(): void {
    for (const [condition, resolve] of this.#waiters)
      if (condition()) {
        this.#waiters.delete(condition);
        resolve();
      }
    this.#look();
  }
}
