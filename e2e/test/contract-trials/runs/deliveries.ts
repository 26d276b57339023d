/**
 * Hands the results of one run to its code: one for each turn of the event loop, recorded ones first and in the order
 * in which they were recorded, so that `Promise.all` and `race` interleave alike live and on replay.
 */
export class Deliveries {
  readonly #recorded: number[];
  readonly #ready = new Map<number, () => void>();
  #scheduled = false;

  /** @param recorded orders of the results that are in the journal already */
  constructor(recorded: readonly number[]) {
    this.#recorded = recorded.toSorted((a, b) => a - b);
  }

  add(order: number, deliver: () => void): void {
    this.#ready.set(order, deliver);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#scheduled = false;
    const next = this.#recorded[0] ?? Math.min(...this.#ready.keys());
    const deliver = this.#ready.get(next);
    // A recorded operation that has not been called yet goes first: its call schedules the next turn.
    if (!deliver) return;
    if (this.#recorded[0] === next) this.#recorded.shift();
    this.#ready.delete(next);
    deliver();
    if (this.#ready.size > 0) this.#schedule();
  }
}
