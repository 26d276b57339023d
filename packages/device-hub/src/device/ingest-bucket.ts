/** Far below any token, far above what additions of fractions lose. */
const rounding = 1e-6;

/** How often something may come in: full at first, each use takes one, and time fills it again. */
export class IngestBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #atMs = Number.NEGATIVE_INFINITY;

  /** @param burst what may come at once, 1 or more */
  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Takes one, or nothing. */
  take(nowMs: number): boolean {
    // A clock that goes backwards adds nothing.
    if (nowMs > this.#atMs) {
      this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#atMs) / 1000) * this.#perSecond);
      this.#atMs = nowMs;
    }
    if (this.#tokens < 1 - rounding) return false;
    this.#tokens = Math.max(0, this.#tokens - 1);
    return true;
  }

  /** Whole seconds until one may be taken again; at least 1. */
  get waitSeconds(): number {
    return Math.max(1, Math.ceil((1 - this.#tokens) / this.#perSecond - rounding));
  }
}
