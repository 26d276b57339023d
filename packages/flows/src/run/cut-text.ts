/** The beginning of a text that is longer than so many code units, never half of a character, and a sign that it goes on. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
}
