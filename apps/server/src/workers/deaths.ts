/** So often a place may fail to serve, one time after the other. */
const maxFailures = 5;
/** So many may end in a while, having served. */
const maxDeaths = 30;
const windowMs = 60_000;
const pauseMs = 200;

/** Counts the processes that end, so that one that cannot live is not started for ever. */
export class Deaths {
  readonly #monotonic: () => number;
  readonly #failures = new Map<number, number>();
  #deaths: number[] = [];
  #served = false;

  /** @param monotonic milliseconds by a clock that is never set */
  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /** Whether any process has served. */
  get everServed(): boolean {
    return this.#served;
  }

  serves(index: number): void {
    this.#served = true;
    this.#failures.delete(index);
  }

  /**
   * Counts the end of the process at a place.
   *
   * @returns milliseconds until the next one may take it; undefined: none may
   */
  died(index: number, served: boolean): number | undefined {
    const nowMs = this.#monotonic();
    this.#deaths = [...this.#deaths.filter((atMs) => atMs > nowMs - windowMs), nowMs];
    const failures = served ? 0 : (this.#failures.get(index) ?? 0) + 1;
    this.#failures.set(index, failures);
    if (failures >= maxFailures || this.#deaths.length > maxDeaths) return undefined;
    return failures * pauseMs;
  }
}
