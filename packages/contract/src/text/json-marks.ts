// What structures a JSON text: its marks, by their codes, and its strings.

export const quote = 0x22;
export const comma = 0x2c;
export const openList = 0x5b;
const backslash = 0x5c;
export const closeList = 0x5d;
export const openObject = 0x7b;
export const closeObject = 0x7d;

/** The index of the quote that ends the string starting at `start`; the end of the text when it never ends. */
export function stringEnd(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  if (end === -1) return text.length;
  return text.charCodeAt(end - 1) === backslash ? escapedEnd(text, start + 1) : end;
}

/** The same for a string with escapes, character by character. */
function escapedEnd(text: string, start: number): number {
  let at = start;
  for (let char = text.charCodeAt(at); at < text.length && char !== quote; char = text.charCodeAt(at))
    at += char === backslash ? 2 : 1;
  return at;
}
