/**
 * Finds the known name that a misspelt one was meant to be.
 *
 * @param most slips, of which two letters that changed places are one; a third of them, at least two
 * @returns undefined when nothing is close
 */
export function nearest(
  name: string,
  known: Iterable<string>,
  most: number = Math.max(2, Math.floor(name.length / 3)),
): string | undefined {
  let best: string | undefined;
  // Of a short name something must be left that is the same.
  let least = Math.min(most + 1, name.length);
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

/** Advises on a name that is none of those known: the one it was probably meant to be, or else the fix in words. */
export function nearestOr(
  fix: string,
  name: string,
  known: Iterable<string>,
): { readonly nearest: string } | { readonly fix: string } {
  const close = nearest(name, known);
  return close === undefined ? { fix } : { nearest: close };
}

/** Slips between two words, one row at a time: a letter more, less or another, or two neighbours that changed places. */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const other = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const least = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, other);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(isSwap ? Math.min(least, (before[j - 2] ?? 0) + 1) : least);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
