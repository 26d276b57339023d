import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineParts } from '../engine-parts.ts';

const firstPauseMs = 20;
const longestPauseMs = 1_000;

/** Who has a say in how long something is written. */
export interface PersistEnds {
  over?(): boolean;
  failed?: ((error: unknown) => void) | undefined;
}

/**
 * Writes, and when that fails tries again while the lease may hold.
 *
 * @param ends when what is written does not count any more, and who is told of each failure
 * @returns undefined: it could not be written, or the store did not take it
 */
export async function persist<T>(
  { monotonic, leaseMs, log }: EngineParts,
  rootId: string,
  work: () => Promise<T>,
  { over = () => false, failed }: PersistEnds = {},
): Promise<T | undefined> {
  const untilMs = monotonic() + leaseMs;
  for (let pauseMs = firstPauseMs; !over(); pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      log('warn', 'a run could not be written', { run_id: rootId, error });
      failed?.(error);
      if (monotonic() + pauseMs >= untilMs) return undefined;
    }
    // Not the host's timer, which stands still from the beginning of the shutdown on.
    await sleep(pauseMs);
  }
  return undefined;
}
