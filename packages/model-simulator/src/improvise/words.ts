/** Words that say nothing about what somebody wants. */
const fillers = new Set(
  'a about all an and any are as at be by can could do does for from give have i if in is it its me my of on one or please show tell that the them then there this to us use used want was we what when which will with would you your'.split(
    ' ',
  ),
);

/** The telling words of a text, in small letters and without their plural s. */
export function wordsOf(text: string): ReadonlySet<string> {
  const words = text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !fillers.has(word));
  return new Set(words.map(stem));
}

/** How many words two texts share. */
export function sharedWords(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return [...one].filter((word) => other.has(word)).length;
}

function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
