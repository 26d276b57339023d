/** One of those that are compared. */
export interface Contestant {
  readonly name: string;
  /** Runs it once; what less is better of: CPU or time for each operation. */
  measure(): number | Promise<number>;
}

/**
 * Measures everybody in every round, in alternating order, and keeps each one's best: whatever else the machine does
 * can only add to a measurement. A first round warms up and does not count.
 *
 * @param rounds 5 or more
 * @returns the least measurement by name
 */
export async function bestOfRounds(
  contestants: readonly Contestant[],
  rounds: number,
): Promise<ReadonlyMap<string, number>> {
  const best = new Map<string, number>();
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const { name, measure } of order) {
      const measured = await measure();
      if (round > 0) best.set(name, Math.min(measured, best.get(name) ?? Number.POSITIVE_INFINITY));
    }
  }
  return best;
}
