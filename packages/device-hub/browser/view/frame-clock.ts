/** How far back it looks: two clocks drift apart by less than a hundredth of a second meanwhile. */
const windowMs = 60_000;
const sliceMs = 10_000;

/**
 * How late each picture is, beside the fastest one of the last minute. The clocks of two machines are never compared, only
 * how far each of them moved between two pictures: that of the hub stands in `at_ms`, ours only ever goes forward.
 */
export class FrameClock {
  /** The smallest distance of both clocks in each slice of time. */
  readonly #smallest = new Map<number, number>();
  #newestAtMs = Number.NEGATIVE_INFINITY;

  /** @param atMs when the hub had it @param nowMs when it came here, by the clock of this page */
  latenessMs(atMs: number, nowMs: number): number {
    // It was set back. What was measured before says nothing any more.
    if (atMs < this.#newestAtMs) this.#smallest.clear();
    this.#newestAtMs = atMs;
    const distance = nowMs - atMs;
    const slice = Math.floor(nowMs / sliceMs);
    for (const old of [...this.#smallest.keys()])
      if ((slice - old) * sliceMs >= windowMs) this.#smallest.delete(old);
    this.#smallest.set(slice, Math.min(distance, this.#smallest.get(slice) ?? distance));
    return distance - Math.min(...this.#smallest.values());
  }
}
