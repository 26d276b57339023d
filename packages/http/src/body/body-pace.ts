/** Bytes of bodies that all together are given in a turn of the event loop: 1 to 2 ms, and a piece more for each that waits. */
export const bytesATurn = 1_048_576;

/**
 * How fast bodies are read. Node reads up to 2 MiB of each connection before it looks at the next one, and all of them before
 * it does anything else: four bodies of 32 MiB kept others waiting for 15 ms at each turn of the event loop.
 */
class BodyPace {
  #taken = 0;
  #isWatched = false;
  #waiting: (() => void)[] = [];

  /**
   * Counts a piece that has come.
   *
   * @param goOn called in the next turn, where this one is used up
   * @returns whether it is: no more may be read before
   */
  take(bytes: number, goOn: () => void): boolean {
    this.#taken += bytes;
    if (!this.#isWatched) {
      this.#isWatched = true;
      setImmediate(() => this.#begin());
    }
    if (this.#taken < bytesATurn) return false;
    this.#waiting.push(goOn);
    return true;
  }

  #begin(): void {
    this.#isWatched = false;
    this.#taken = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const goOn of waiting) goOn();
  }
}

/** Of this process, which has one event loop. */
export const bodyPace = new BodyPace();
