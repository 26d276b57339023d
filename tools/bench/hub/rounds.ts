/** Measurements of one thing in several rounds. */
export class Rounds {
  readonly #values: number[] = [];

  add(value: number): void {
    this.#values.push(value);
  }

  /** NaN without any. */
  get median(): number {
    const sorted = Float64Array.from(this.#values).toSorted();
    const middle = sorted.length / 2;
    const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
    return (low + high) / 2;
  }

  /**
   * Each round in relation to the same round of somebody else: what the machine did meanwhile met both, and so is left out.
   */
  over(others: Rounds): Rounds {
    const ratios = new Rounds();
    for (const [i, value] of this.#values.entries()) ratios.add(value / (others.#values[i] ?? Number.NaN));
    return ratios;
  }

  /** `8.9 (8.4–9.6)`: the median, the least and the most; a dash without any. */
  toString(digits = 1): string {
    if (Number.isNaN(this.median)) return '–';
    const [least, most] = [Math.min(...this.#values), Math.max(...this.#values)];
    const [middle, from, to] = [this.median, least, most].map((value) => value.toFixed(digits));
    return `${middle} (${from}–${to})`;
  }
}

/**
 * Lets everybody take a turn in every round, in alternating order, so that whatever else the machine does meets all alike. A
 * first round warms up, and its results are thrown away.
 */
export async function inTurns<C, R>(
  contestants: readonly C[],
  rounds: number,
  turn: (contestant: C) => Promise<R>,
  take: (contestant: C, result: R) => void,
): Promise<void> {
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const contestant of order) {
      const result = await turn(contestant);
      if (round > 0) take(contestant, result);
    }
  }
}
