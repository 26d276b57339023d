/** Requests for pictures a second that one page makes at most: a service counts the requests of its callers. */
const mostPerSecond = 8;
const longestPauseMs = 15_000;

/** What is known of the camera whose pictures are asked for. */
export interface Paced {
  /** Whether each request makes the camera take a picture. */
  readonly pulled: boolean;
  readonly maxFps: number | null;
  /** How many are shown beside each other, itself included. */
  readonly shown: number;
}

/** Between two pictures of a camera: one alone is shown as it moves, many are glimpsed at. */
export function toPaceMs({ pulled, maxFps, shown }: Paced): number {
  const alone = shown <= 1;
  const wanted = pulled ? (alone ? 1_000 : 2_000) : alone ? 250 : 1_000;
  const own = maxFps === null || maxFps <= 0 ? 0 : 1_000 / maxFps;
  return Math.max(wanted, own, (shown * 1_000) / mostPerSecond);
}

/** After so many failures in a row: a camera that is off is not asked every second. */
export function toPauseMs(failures: number, retryAfterMs: number): number {
  return Math.max(retryAfterMs, Math.min(longestPauseMs, 1_000 * 2 ** Math.max(0, failures - 1)));
}
