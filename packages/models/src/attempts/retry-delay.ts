/** The longest wait that a provider can ask for. */
const maxRetryAfterMs = 600_000;

/** The longest that a provider is waited for here: whoever asks can wait longer. */
export const longestDelayMs = 60_000;

const firstDelayMs = 500;
const maxDelayMs = 8000;

/**
 * Reads how long a provider wants to be left alone: `retry-after-ms`, else `retry-after` in seconds or as a date.
 *
 * @param nowMs the time a date is held against
 * @returns at most ten minutes; undefined when nothing readable was said
 */
export function readRetryAfter(
  headers: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): number | undefined {
  const { 'retry-after-ms': ms, 'retry-after': after } = headers;
  const wanted = [toNumber(ms), toNumber(after, 1000), toDate(after) - nowMs].find(
    (value): value is number => typeof value === 'number' && Number.isFinite(value),
  );
  return wanted === undefined ? undefined : Math.min(Math.max(0, wanted), maxRetryAfterMs);
}

function toNumber(text: string | undefined, factor = 1): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) * factor : undefined;
}

/** A date of HTTP begins with the name of its day; other texts are read as odd dates of the past. */
function toDate(text = ''): number {
  return /^[A-Za-z]{3,9},? /.test(text) && /GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}

/** The wait before a retry that nobody asked to be later: doubled each time, and down to half of that at random. */
export function backOff(retries: number, random: () => number): number {
  const full = Math.min(firstDelayMs * 2 ** retries, maxDelayMs);
  return full * (1 - random() / 2);
}
