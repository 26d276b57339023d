/** A piece of a text: as it was written, or characters that nobody would see, written out. */
export interface VisiblePart {
  readonly text: string;
  readonly escaped: boolean;
}

/**
 * Characters that show nothing by themselves: they turn the direction of others, join, hide or command. What makes up one
 * picture, and the ends of lines, are kept.
 */
const unseen =
  /(\p{Extended_Pictographic}\ufe0f?[\u{1f3fb}-\u{1f3ff}]?(?:\u200d\p{Extended_Pictographic}\ufe0f?[\u{1f3fb}-\u{1f3ff}]?)*|\r\n|[\t\n])|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Nearly all texts are plain, and need no more than one look. */
const isPlain = /^[\n -~]*$/;

const mostParts = 1_000;

/** A text that others wrote, so that all of it is seen: `\u202e` for what would turn the rest of it around. */
export function toVisible(text: string): string {
  if (isPlain.test(text)) return text;
  return text.replace(unseen, (one, kept?: string) => kept ?? toEscape(one));
}

/**
 * The same in pieces: an escape can be told from the same characters written out by somebody. One piece, if there were more
 * than a browser lays out in a blink.
 */
export function toVisibleParts(text: string): readonly VisiblePart[] {
  if (isPlain.test(text)) return [{ text, escaped: false }];
  const parts: VisiblePart[] = [];
  const add = (piece: string, escaped: boolean): void => {
    const last = parts.at(-1);
    if (piece === '') return;
    if (last?.escaped === escaped) parts[parts.length - 1] = { text: last.text + piece, escaped };
    else parts.push({ text: piece, escaped });
  };
  let from = 0;
  for (const { 0: one, 1: kept, index } of text.matchAll(unseen)) {
    if (kept !== undefined) continue;
    add(text.slice(from, index), false);
    add(toEscape(one), true);
    from = index + one.length;
  }
  add(text.slice(from), false);
  return parts.length > mostParts ? [{ text: toVisible(text), escaped: false }] : parts;
}

/** Letters that are written from right to left: beside them punctuation and numbers of others change places. */
export function isRightToLeft(text: string): boolean {
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(text);
}

function toEscape(one: string): string {
  const hex = (one.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}
