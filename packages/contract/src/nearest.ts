/**
 * Finds the known name that a misspelt one was meant to be.
 *
 * @returns undefined when nothing is close: more than a third of the letters (at least two) differ
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  // Of a short name something must be left that is the same.
  let least = Math.min(Math.max(2, Math.floor(name.length / 3)) + 1, name.length);
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, swap));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
