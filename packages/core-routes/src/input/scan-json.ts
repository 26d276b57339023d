import type { JsonLimits } from '@waymark/contract/http';
import { longestNumber } from '@waymark/contract/text';

/** What is long inside of a JSON text: a text, without its quotes, or a number. */
export interface LongPart {
  readonly start: number;
  readonly end: number;
  readonly isText: boolean;
}

/** What is found out of a JSON text before it is parsed. */
export interface Scan {
  /** The limit that it goes beyond. */
  readonly excess: keyof JsonLimits | undefined;
  /**
   * Texts longer than `longText` bytes as they are written, names of members not among them, and numbers with more digits in a
   * row than `longestNumber`; in their order.
   */
  readonly long: readonly LongPart[];
}

/** Bytes that are looked at in a piece: less than 2 ms. */
const pieceBytes = 1_048_576;

/** Two brackets, a comma, and the beginnings of a key and a text: what has more of them is no JSON, and counted no further. */
const marksOfValue = 5;

const zero = 0x30;
const nine = 0x39;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Looks through a large JSON text a piece at a time, as `jsonExcess` does at once, and in bytes: what is refused need not be
 * made a string first.
 */
export function* scanJson(
  bytes: Buffer,
  { levels, values }: JsonLimits,
  longText: number,
): Generator<void, Scan> {
  const long: LongPart[] = [];
  let depth = 0;
  let found = 1;
  let marks = 0;
  let digits = 0;
  let piece = pieceBytes;
  for (let at = 0; at < bytes.length; at++) {
    if (at >= piece) {
      yield;
      piece = at + pieceBytes;
    }
    const byte = bytes[at] ?? 0;
    if (byte >= zero && byte <= nine) {
      if (++digits <= longestNumber) continue;
      const start = numberStart(bytes, at - longestNumber);
      const end = yield* numberEnd(bytes, at + 1);
      long.push({ start, end, isText: false });
      at = end - 1;
      digits = 0;
      continue;
    }
    digits = 0;
    if (byte === quote) {
      const first = bytes.indexOf(quote, at + 1);
      // What escapes a quote stands right before it.
      const end = first > 0 && bytes[first - 1] === backslash ? yield* escapedEnd(bytes, at + 1) : first;
      if (end === -1) break;
      if (end - at - 1 > longText && byteAfter(bytes, end + 1) !== colon)
        long.push({ start: at + 1, end, isText: true });
      at = end;
    } else if (byte === comma) found++;
    else if (byte === closeList || byte === closeObject) depth--;
    else if (byte === openList || byte === openObject) {
      if (++depth > levels) return { excess: 'levels', long };
      const next = byteAfter(bytes, at + 1);
      if (next !== closeList && next !== closeObject) found++;
    } else continue;
    if (found > values || ++marks > marksOfValue * values) return { excess: 'values', long };
  }
  return { excess: undefined, long };
}

/** The first byte that is no blank. */
function byteAfter(bytes: Buffer, start: number): number | undefined {
  let at = start;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return bytes[at];
}

/** Where a number begins whose digits begin there: a sign, and what may stand in front of a point or an exponent. */
function numberStart(bytes: Buffer, digits: number): number {
  let at = digits;
  while (at > 0 && digits - at <= 2 * longestNumber && isOfNumber(bytes[at - 1])) at--;
  return at;
}

/** Where a number ends. */
function* numberEnd(bytes: Buffer, start: number): Generator<void, number> {
  let at = start;
  for (let piece = start + pieceBytes; isOfNumber(bytes[at]); at++) {
    if (at < piece) continue;
    yield;
    piece = at + pieceBytes;
  }
  return at;
}

/** Digits, signs, the point and the letter of an exponent. */
function isOfNumber(byte = 0): boolean {
  return (byte >= zero && byte <= nine) || numberMarks.has(byte);
}

const numberMarks: ReadonlySet<number> = new Set(Buffer.from('+-.eE'));

/** The index of the quote that ends a text with escapes; -1 where it never ends. */
function* escapedEnd(bytes: Buffer, start: number): Generator<void, number> {
  let piece = start + pieceBytes;
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] === quote) return at;
    if (bytes[at] === backslash) at++;
    if (at >= piece) {
      yield;
      piece = at + pieceBytes;
    }
  }
  return -1;
}
