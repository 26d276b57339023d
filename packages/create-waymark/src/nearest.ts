/** The known word that a misspelt one was meant to be: at most a third of it is wrong, at least two letters may be. */
export function nearest<const T extends string>(given: string, known: readonly T[]): T | undefined {
  const [best] = known
    .map((word) => ({ word, slips: slipsBetween(given.toLowerCase(), word) }))
    .filter(({ word, slips }) => slips <= Math.max(2, Math.floor(given.length / 3)) && slips < word.length)
    .toSorted((a, b) => a.slips - b.slips);
  return best?.word;
}

/** Letters more, less or other than they should be. */
function slipsBetween(a: string, b: string): number {
  const first = Array.from({ length: b.length + 1 }, (_, i) => i);
  const last = Array.from(a).reduce<readonly number[]>((before, letter, i) => {
    const row = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const same = (before[j] ?? 0) + (letter === other ? 0 : 1);
      row.push(Math.min(same, (before[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
    }
    return row;
  }, first);
  return last.at(-1) ?? 0;
}
