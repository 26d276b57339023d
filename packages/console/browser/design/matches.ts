/** Whether all words of a filter stand somewhere in what is shown. */
export function matches(filter: string, texts: readonly (string | null | undefined)[]): boolean {
  const all = texts.join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
