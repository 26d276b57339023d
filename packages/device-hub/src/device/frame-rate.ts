const windowSeconds = 10;

/** Counts what came in during the last ten seconds, in one slot for each. */
export class FrameRate {
  readonly #slots = new Uint32Array(windowSeconds);
  #second = 0;
  #firstMs = Number.POSITIVE_INFINITY;

  count(nowMs: number): void {
    if (nowMs < this.#firstMs) this.#firstMs = nowMs;
    const slot = this.#moveTo(nowMs) % windowSeconds;
    this.#slots[slot] = (this.#slots[slot] ?? 0) + 1;
  }

  /** In the mean, with one decimal; over less than ten seconds after the first. */
  perSecond(nowMs: number): number {
    const second = this.#moveTo(nowMs);
    const startMs = Math.max(this.#firstMs, (second - windowSeconds + 1) * 1000);
    const sum = this.#slots.reduce((all, one) => all + one, 0);
    return Math.round((sum / Math.max(1, (nowMs - startMs) / 1000)) * 10) / 10;
  }

  /** Empties the slots of the seconds that have passed. */
  #moveTo(nowMs: number): number {
    const second = Math.max(this.#second, Math.floor(nowMs / 1000));
    const passed = Math.min(windowSeconds, second - this.#second);
    for (let i = 0; i < passed; i++) this.#slots[(second - i) % windowSeconds] = 0;
    this.#second = second;
    return second;
  }
}
