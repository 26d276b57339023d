/** The longest wait that an answer can ask for. */
const maxRetryAfterMs = 600_000;

/**
 * Reads how long a server wants to be left alone: `retry-after-ms`, else `retry-after` in seconds or as a date.
 *
 * @param headers of its answer, lower-cased
 * @param nowMs the time a date is held against
 * @returns at most ten minutes; undefined when nothing readable was said
 */
export function readRetryAfter(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  nowMs: number,
): number | undefined {
  // A list is sent as one line, which is no time.
  const [ms, after] = [String(headers['retry-after-ms'] ?? ''), String(headers['retry-after'] ?? '')];
  const wanted = [toNumber(ms), toNumber(after, 1000), toDate(after) - nowMs].find(
    (value): value is number => typeof value === 'number' && Number.isFinite(value),
  );
  return wanted === undefined ? undefined : Math.min(Math.max(0, wanted), maxRetryAfterMs);
}

function toNumber(text: string, factor = 1): number | undefined {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) * factor : undefined;
}

/** A date of HTTP begins with the name of its day; other texts are read as odd dates of the past. */
function toDate(text: string): number {
  return /^[A-Za-z]{3,9},? /.test(text) && /GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
