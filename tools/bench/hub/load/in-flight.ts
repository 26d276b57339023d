/** Which frames have not arrived at every reader yet. A reader that has a frame needs none before it any more. */
export class InFlight {
  readonly #readers: number;
  /** Readers that each frame still has to reach; the first is frame `#done + 1`. */
  readonly #missing: number[] = [];
  #done = 0;
  #onDone = (): void => {};

  constructor(readers: number) {
    this.#readers = readers;
  }

  get size(): number {
    return this.#missing.length;
  }

  /** The next frame is about to be sent. */
  add(): void {
    this.#missing.push(this.#readers);
  }

  /** A reader whose newest frame was `before` has `id` now. */
  arrived(before: number, id: number): void {
    for (let one = Math.max(before, this.#done) + 1; one <= id; one++) {
      const left = this.#missing[one - this.#done - 1];
      if (left !== undefined) this.#missing[one - this.#done - 1] = left - 1;
    }
    let ended = false;
    while (this.#missing[0] === 0) {
      this.#missing.shift();
      this.#done++;
      ended = true;
    }
    if (ended) this.#onDone();
  }

  /** Resolves when fewer than so many are left. */
  async fewerThan(count: number): Promise<void> {
    while (this.size >= count) await new Promise<void>((resolve) => (this.#onDone = resolve));
  }
}
