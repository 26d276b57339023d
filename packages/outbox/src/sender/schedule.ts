/** How long a delivery may be tried. */
export const longestMs = 24 * 3_600_000;

/** Failures of different deliveries in a row, from which on an endpoint is in trouble: one delivery at a time is its probe. */
export const troubleAt = 3;

/** A pause before the first retry; each next one is three times as long, up to the longest. */
const firstMs = 5_000;
const factor = 3;
const longestPauseMs = 6 * 3_600_000;
/** An endpoint in trouble is asked at least so often: what waits for it should not wait for long once it is back. */
const longestProbeMs = 600_000;

/** Retries of many deliveries must not come together. */
const jitter = 0.2;

/** @param attempts that failed, 1 or more @param random from 0, below 1 */
export function retryPauseMs(attempts: number, random: number): number {
  return jittered(Math.min(firstMs * factor ** (attempts - 1), longestPauseMs), random);
}

/** @param failures in a row of an endpoint in trouble */
export function probePauseMs(failures: number, random: number): number {
  return jittered(Math.min(firstMs * factor ** (failures - troubleAt), longestProbeMs), random);
}

function jittered(ms: number, random: number): number {
  return Math.round(ms * (1 - jitter + 2 * jitter * random));
}
