/**
 * Cuts a text to a number of UTF-8 bytes, between characters, and says how much there was.
 *
 * @param limit of what is left of the text; the notice comes on top
 */
export function cutBytes(text: string, limit: number): string {
  const total = Buffer.byteLength(text);
  if (total <= limit) return text;
  // No character has more than 4 bytes, and no code unit less than 1: the rest need not be encoded.
  const bytes = Buffer.from(text.slice(0, limit + 1));
  let end = Math.min(limit, bytes.length);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}\n${notice(end, total, 'bytes')}`;
}

/** Cuts a text to a number of characters, never through one that takes two, and says how much there was. */
export function cutChars(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const splits = /[\ud800-\udbff]/.test(text[limit - 1] ?? '') && /[\udc00-\udfff]/.test(text[limit] ?? '');
  const end = splits ? limit - 1 : limit;
  return `${text.slice(0, end)}\n${notice(end, text.length, 'characters')}`;
}

function notice(shown: number, total: number, unit: string): string {
  return `[cut: the first ${shown} of ${total} ${unit} are shown]`;
}
