const windowMs = 3_000;
const mostTimes = 400;

/** Pictures a second, as they were shown here lately. */
export class Rate {
  readonly #times: number[] = [];

  add(nowMs: number): void {
    this.#times.push(nowMs);
    if (this.#times.length > mostTimes) this.#times.shift();
  }

  /** Undefined until there are two. */
  perSecond(nowMs: number): number | undefined {
    while (this.#times[0] !== undefined && nowMs - this.#times[0] > windowMs) this.#times.shift();
    const [first] = this.#times;
    const last = this.#times.at(-1);
    if (first === undefined || last === undefined || last === first) return undefined;
    return ((this.#times.length - 1) * 1000) / (last - first);
  }

  /** Milliseconds between two pictures lately; undefined until there are two. */
  get gapMs(): number | undefined {
    const last = this.#times.at(-1);
    const before = this.#times.at(-2);
    return last === undefined || before === undefined ? undefined : last - before;
  }
}
