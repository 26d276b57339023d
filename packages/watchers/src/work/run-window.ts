/**
 * How many runs began within the last hour, by a clock that is never set: one on the wall that is set forward gives no
 * more of them.
 */
export class RunWindow {
  readonly #limit: number;
  /** Oldest first. */
  #begunMs: readonly number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** When the next run may begin; undefined: now. */
  freeAtMs(nowMs: number): number | undefined {
    this.#begunMs = this.#begunMs.filter((begunMs) => begunMs > nowMs - hourMs);
    const [oldest] = this.#begunMs;
    return oldest === undefined || this.#begunMs.length < this.#limit ? undefined : oldest + hourMs;
  }

  add(nowMs: number): void {
    this.#begunMs = [...this.#begunMs, nowMs];
  }
}

/** In milliseconds. */
export const hourMs = 3_600_000;
