/** Longest wait between two attempts, in milliseconds; a caller that can wait longer asks again itself. */
export const longestDelayMs = 60_000;

const firstDelayMs = 500;
const maxDelayMs = 8000;

/** The wait before a retry that nobody asked to be later: doubled each time, and down to half of that at random. */
export function backOff(retries: number, random: () => number): number {
  const full = Math.min(firstDelayMs * 2 ** retries, maxDelayMs);
  return full * (1 - random() / 2);
}
