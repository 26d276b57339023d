/** The time of one use in the best of many short batches, microseconds. */
export async function timeUses(use: (i: number) => unknown, batches = 100, batchSize = 100): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < batches; batch++) {
    const startedMs = performance.now();
    for (let i = 0; i < batchSize; i++) await use(i);
    best = Math.min(best, performance.now() - startedMs);
  }
  return (best * 1000) / batchSize;
}
