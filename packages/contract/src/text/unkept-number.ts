import { stringEnd } from './json-marks.ts';
import { last } from './last.ts';

/** Which numbers count: whole ones alone, or fractions, too. */
type Among = 'any' | 'integers';

/**
 * Finds the first number of a JSON text that is another one once it was read here: an integer that changes (beyond 2^53
 * most do), one beyond 1.8e308, which becomes null, and, among `any`, a fraction whose digits change. Undefined where all
 * are kept. `1.0` and `1e2` are kept, and so is a double that was written with up to 17 digits; what has more than
 * `longestNumber` characters is not.
 *
 * Most texts cost one look (measured: a fifth of the time to parse rows; numbers alone at most as long again).
 *
 * @param text JSON that can be parsed
 */
export function unkeptNumber(text: string, among: Among): string | undefined {
  if (!mayHoldUnkept(text, among)) return undefined;
  for (const found of unkeptIn(text, among)) if (found) return found.literal;
  return undefined;
}

/**
 * Writes each integer of a JSON text that `unkeptNumber` finds as one that is read as infinite: whoever refuses those, with
 * their place, then refuses an integer that would have been rounded. What is no JSON stays none.
 *
 * @returns undefined where there is none: whatever JSON can be parsed is kept as it is
 */
export function markUnkept(text: string): string | undefined {
  if (!greatExponent.test(text) && !hasLongRun(text, 'integers')) return undefined;
  return last(rewrite(text, toInfinite));
}

/**
 * Writes each such integer as a string, for whoever reads what cannot be sent back: a model means the same by both.
 *
 * @param text JSON that can be parsed
 */
export function quoteUnkept(text: string): string {
  if (!mayHoldUnkept(text, 'integers')) return text;
  return last(rewrite(text, JSON.stringify)) ?? text;
}

/** The same a piece at a time. */
export function* markUnkeptPieces(text: string): Generator<void, string | undefined> {
  for (let from = 0; from < text.length; from += pieceLength) {
    if (from > 0) yield;
    const piece =
      text.length > pieceLength + hintLength ? text.slice(from, from + pieceLength + hintLength) : text;
    if (mayHoldUnkept(piece, 'integers')) return yield* rewrite(text, toInfinite);
  }
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

/** Characters of a piece: 1 ms where it is numbers alone. */
const pieceLength = 32_768;

/** Read as infinite, and no JSON where the number was none: with its sign, or as it is where a zero leads it. */
function toInfinite(literal: string): string {
  if (/^-?0\d/.test(literal)) return literal;
  return literal.startsWith('-') ? '-1e999' : '1e999';
}

function* rewrite(text: string, write: (literal: string) => string): Generator<void, string | undefined> {
  const parts: string[] = [];
  let taken = 0;
  for (const found of unkeptIn(text, 'integers')) {
    if (!found) {
      yield;
      continue;
    }
    parts.push(text.slice(taken, found.at), write(found.literal));
    taken = found.at + found.literal.length;
  }
  return parts.length === 0 ? undefined : parts.join('') + text.slice(taken);
}

const greatExponent = /\d[eE][+-]?\d{3}/;

/** Doubles keep any 15 digits. Those of a string are found, too: it is looked at closely then. */
const longRun = 16;

/** Characters of a number beyond which none counts as kept: no double needs as many, and to read 31 MiB of digits took 90 ms. */
export const longestNumber = 1024;

/** Characters in which the beginning of what is looked for shows. */
const hintLength = 2 * longRun;

function mayHoldUnkept(text: string, among: Among): boolean {
  return greatExponent.test(text) || hasLongRun(text, among);
}

/** One character of each `longRun` is enough to find any run of digits that long; an expression takes ten times as long. */
function hasLongRun(text: string, among: Among): boolean {
  for (let at = longRun - 1; at < text.length; at += longRun) {
    // Written out: nearly all texts are passed over here.
    const code = text.charCodeAt(at);
    if (code < point || code > nine || code === slash) continue;
    // A run that long reaches half of it to one side.
    if (!isDigit(text, at - longRun / 2) && !isDigit(text, at + longRun / 2)) continue;
    let start = at;
    let end = at + 1;
    while (isDigit(text, start - 1)) start--;
    while (isDigit(text, end)) end++;
    if (end - start > longestNumber) return true;
    if (end - start >= longRun && (among === 'any' || mayBeWhole(text, start, end))) return true;
    // Whatever is behind the run has its own.
    at = end;
  }
  return false;
}

/** Or the point between two. */
function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= point && code <= nine && code !== slash;
}

const point = 0x2e;
/** Between the point and the digits. */
const slash = 0x2f;
const nine = 0x39;

/** Whether digits are those of a whole number beyond 2^53. Nearly all long ones are fractions that a program has computed. */
function mayBeWhole(text: string, start: number, end: number): boolean {
  for (let at = start; at < end && at - start < longRun; at++)
    if (text.charCodeAt(at) === point) return text[end] === 'e' || text[end] === 'E';
  return true;
}

const numbers = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Such a number and where it begins. */
interface Unkept {
  readonly at: number;
  readonly literal: string;
}

/** Each of them, and undefined after each piece in which there may be more. */
function* unkeptIn(text: string, among: Among): Generator<Unkept | undefined, void> {
  let pausedAt = 0;
  for (const [start, end] of outsideStrings(text)) {
    for (const { 0: literal, index } of text.slice(start, end).matchAll(numbers))
      if (isUnkept(literal, among)) yield { at: start + index, literal };
    if (end - pausedAt < pieceLength) continue;
    pausedAt = end;
    yield undefined;
  }
}

/** Without exponent. */
const plainFraction = /^-?\d{1,300}\.0*[1-9]\d*$/;

function isUnkept(literal: string, among: Among): boolean {
  if (literal.length < longRun && !greatExponent.test(literal)) return false;
  if (literal.length > longestNumber) return true;
  if (among === 'integers' && plainFraction.test(literal)) return false;
  const value = Number(literal);
  if (!Number.isFinite(value)) return true;
  // Zero, or a fraction.
  if (among === 'integers' && Math.abs(value) < 0.5) return false;
  if (isSurelyKept(literal, value)) return false;
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

/** The digits that any double keeps, but for those below the least normal one. */
const doubleDigits = 15;
const leastNormal = 2 ** -1022;

/** Nearly all are, and to compare digits takes as long as to parse 20 numbers. */
function isSurelyKept(literal: string, value: number): boolean {
  const exponent = exponentOf(literal);
  const length = exponent === -1 ? literal.length : exponent;
  if (length <= doubleDigits) return Math.abs(value) >= leastNormal;
  // Of digits alone: a fraction may be one, too, once it is read.
  return exponent === -1 && Number.isSafeInteger(value) && !literal.includes('.');
}

/** A number as its digits, the first and the last not 0, and a power of ten. Zero has none. */
function toDecimal(literal: string): { readonly digits: string; readonly exponent: number } {
  const sign = literal.startsWith('-') ? 1 : 0;
  const e = exponentOf(literal);
  const mantissa = literal.slice(sign, e === -1 ? literal.length : e);
  const dot = mantissa.indexOf('.');
  const written = dot === -1 ? mantissa : mantissa.slice(0, dot) + mantissa.slice(dot + 1);
  let zeros = 0;
  while (written[zeros] === '0') zeros++;
  const all = written.slice(zeros);
  let length = all.length;
  // An expression that ends with `0+$` begins anew at each zero: a fraction of 1 MB took minutes.
  while (all.endsWith('0', length)) length--;
  const digits = all.slice(0, length);
  if (digits === '') return { digits, exponent: 0 };
  const power = e === -1 ? 0 : Number(literal.slice(e + 1));
  const fraction = dot === -1 ? 0 : mantissa.length - dot - 1;
  return { digits, exponent: power - fraction + all.length - digits.length };
}

/** Where the exponent of a number begins; -1 where it has none. */
function exponentOf(literal: string): number {
  const e = literal.indexOf('e');
  return e === -1 ? literal.indexOf('E') : e;
}

/** The stretches of a JSON text between its strings. A long one is cut behind a comma. */
function* outsideStrings(text: string): Generator<readonly [start: number, end: number]> {
  let start = 0;
  for (;;) {
    const quote = text.indexOf('"', start);
    const end = quote === -1 ? text.length : quote;
    while (end - start > pieceLength) {
      const comma = text.slice(start + pieceLength, end).indexOf(',');
      if (comma === -1) break;
      const cut = start + pieceLength + comma + 1;
      yield [start, cut];
      start = cut;
    }
    yield [start, end];
    if (quote === -1) return;
    start = stringEnd(text, quote) + 1;
  }
}
