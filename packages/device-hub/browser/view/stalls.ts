const beatMs = 100;
const stallMs = 500;
const afterwardsMs = 1_000;

/** Notices that this page stood still: what lies in its queues then is old. */
export class Stalls {
  #beatAtMs = performance.now();
  #endedAtMs = Number.NEGATIVE_INFINITY;
  readonly #timer = setInterval(() => this.#beat(), beatMs);

  /** Whether it stood still until a moment ago. */
  get recently(): boolean {
    this.#beat();
    return performance.now() - this.#endedAtMs < afterwardsMs;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    const nowMs = performance.now();
    if (nowMs - this.#beatAtMs > stallMs) this.#endedAtMs = nowMs;
    this.#beatAtMs = nowMs;
  }
}
