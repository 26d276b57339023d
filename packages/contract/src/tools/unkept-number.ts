/**
 * Finds the first number of a JSON text that is another one once it was read here: an integer that changes (beyond 2^53
 * most do), one beyond 1.8e308, which becomes null, and, among `any`, a fraction whose digits change. Undefined where all
 * are kept. `1.0` and `1e2` are kept, and so is a double that was written with up to 17 digits.
 *
 * Most texts cost one look (measured: a fifth of the time to parse rows; numbers alone at most as long again).
 *
 * @param text JSON that can be parsed
 */
export function unkeptNumber(text: string, among: 'any' | 'integers'): string | undefined {
  if (!greatExponent.test(text) && !hasLongRun(text)) return undefined;
  for (const [start, end] of outsideStrings(text))
    for (const [literal] of text.slice(start, end).matchAll(numbers))
      if (isUnkept(literal, among)) return literal;
  return undefined;
}

/** A JSON text without the space between its parts; numbers and strings stay as they are written. @param text JSON that can be parsed */
export function withoutSpace(text: string): string {
  let squeezed = '';
  let taken = 0;
  for (const [start, end] of outsideStrings(text)) {
    squeezed += text.slice(taken, start) + text.slice(start, end).replace(/[ \t\r\n]+/g, '');
    taken = end;
  }
  return squeezed + text.slice(taken);
}

const greatExponent = /\d[eE][+-]?\d{3}/;

/** Doubles keep any 15 digits. Those of a string are found, too: it is looked at closely then. */
const longRun = 16;

/** One character of each `longRun` is enough to find any run of digits that long; an expression takes ten times as long. */
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

/** Or the point between two. */
function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 0x30 && code <= 0x39) || code === 0x2e;
}

const numbers = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function isUnkept(literal: string, among: 'any' | 'integers'): boolean {
  if (literal.length < 16 && !/[eE]/.test(literal)) return false;
  const value = Number(literal);
  if (!Number.isFinite(value)) return true;
  const { digits, exponent } = toDecimal(literal);
  if (among === 'integers' && exponent < 0) return false;
  // What is as it was when it is written again, at its own length or the shortest that names it.
  const isSame = (again: string) => {
    const written = toDecimal(again);
    return written.digits === digits && written.exponent === exponent;
  };
  if (isSame(String(value))) return false;
  return digits.length === 0 || digits.length > 17 || !isSame(value.toPrecision(digits.length));
}

/** A number as its digits, the first and the last not 0, and a power of ten. Zero has none. */
function toDecimal(literal: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '', power = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  let length = all.length;
  // An expression that ends with `0+$` begins anew at each zero: a fraction of 1 MB took minutes.
  while (all.endsWith('0', length)) length--;
  const digits = all.slice(0, length);
  if (digits === '') return { digits, exponent: 0 };
  return { digits, exponent: Number(power) - fraction.length + all.length - digits.length };
}

/** The stretches of a JSON text between its strings. */
function* outsideStrings(text: string): Generator<readonly [start: number, end: number]> {
  let start = 0;
  for (let open = text.indexOf('"'); open !== -1; open = text.indexOf('"', start)) {
    yield [start, open];
    let close = text.indexOf('"', open + 1);
    while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
    if (close === -1) return;
    start = close + 1;
  }
  yield [start, text.length];
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - backslashes - 1] === '\\') backslashes++;
  return backslashes % 2 === 1;
}
