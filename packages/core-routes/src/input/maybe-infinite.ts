/**
 * Whether a JSON text may hold a number beyond all that are kept, over 1.8e308: to look at what was parsed takes longer
 * (measured: a tenth of the time to parse it; this takes a fiftieth of it, and half where the text is floats alone). Such a
 * number has an exponent of three digits, or at least 210 digits in a row, since one of two digits adds at most 99.
 */
export function maybeInfinite(text: string): boolean {
  return greatExponent.test(text) || hasLongRun(text);
}

const greatExponent = /\d[eE]\+?\d{3}/;

/** Digits in a row. */
const longRun = 200;

/** One character of each `longRun` is enough to find any run that long. */
function hasLongRun(text: string): boolean {
  for (let at = longRun - 1; at < text.length; at += longRun) {
    if (!isDigit(text, at)) continue;
    let start = at;
    let end = at + 1;
    while (end - start < longRun && isDigit(text, start - 1)) start--;
    while (end - start < longRun && isDigit(text, end)) end++;
    if (end - start === longRun) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}
