/** Hands out results one for each turn of the event loop: recorded ones first and in their order, live ones as they come. */
export class Deliveries {
  readonly #recorded: number[];
  readonly #ready = new Map<number, () => void>();
  #scheduled = false;

  constructor(recorded: readonly number[]) {
    this.#recorded = recorded.toSorted((a, b) => a - b);
  }

  add(ord: number, deliver: () => void): void {
    this.#ready.set(ord, deliver);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const next = this.#recorded[0] ?? Math.min(...this.#ready.keys());
      const deliver = this.#ready.get(next);
      if (!deliver) return;
      if (this.#recorded[0] === next) this.#recorded.shift();
      this.#ready.delete(next);
      deliver();
      if (this.#ready.size > 0) this.#schedule();
    });
  }
}
