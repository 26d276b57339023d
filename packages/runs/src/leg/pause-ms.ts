import { longestWaitMs } from '@waymark/contract/stores';

const firstMs = 1_000;
const mostMs = 60_000;

/**
 * Computes how long a step is left alone after a try that failed: doubled each time, a minute at most, and down to half of that at
 * random, so that those who failed together do not come back together. A provider that asks for longer is left alone for
 * as long as it asks, ten minutes at most.
 *
 * @param attempts tries that failed, 1 or more
 * @param random between 0 and 1
 */
export function pauseMs(attempts: number, retryAfterMs: number | undefined, random: number): number {
  const full = Math.min(firstMs * 2 ** (attempts - 1), mostMs);
  return Math.min(Math.max(full * (1 - random / 2), retryAfterMs ?? 0), longestWaitMs);
}
