import type { JsonLimits } from '@waymark/contract/http';
import { longestNumber } from '@waymark/contract/text';

/** What is long inside of a JSON text. Places are bytes of the whole. */
export interface LongPart {
  readonly start: number;
  readonly end: number;
  /** A text, without its quotes; else digits of a number that is too long without them. */
  readonly isText: boolean;
}

/** Digits in a row of which more are listed: a number that has them is refused, whatever else it has. */
const mostDigits = longestNumber + 1;

/** Two brackets, a comma, and the beginnings of a key and a text: what has more of them is no JSON, and counted no further. */
const marksOfValue = 5;

/** Bytes of a text that are looked at one by one: most end there, and to call for a search takes as long as that. */
const shortText = 24;

const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;

/** What a byte is to the scan. */
const kind = { other: 0, digit: 1, quote: 2, comma: 3, open: 4, close: 5 } as const;

const kinds = new Uint8Array(256);
for (const [name, bytes] of [
  ['digit', '0123456789'],
  ['quote', '"'],
  ['comma', ','],
  ['open', '[{'],
  ['close', ']}'],
] as const)
  for (const byte of Buffer.from(bytes)) kinds[byte] = kind[name];

/**
 * Looks through a large JSON text as it comes, as `jsonExcess` does at once, and in bytes: what is refused need not come to
 * its end, or be made a string. It finds the same however the text is cut.
 */
export class JsonScan {
  readonly limits: JsonLimits;
  readonly #longText: number;
  readonly #long: LongPart[] = [];
  #excess: keyof JsonLimits | undefined;
  /** Bytes that came before. */
  #before = 0;
  #levels = 0;
  #values = 1;
  #marks = 0;
  /** Digits of the number that is under way. */
  #digits = 0;
  /** Where the last text begins. */
  #start = 0;
  /** What the last piece ended in. */
  #within: 'text' | 'digits' | undefined;
  /** Bytes of the next piece that are escaped by the last one. */
  #ofEscape = 0;
  /** What the first byte that is no blank decides: whether a bracket holds a value, or whether a long text is a name. */
  #undecided: 'bracket' | 'text' | undefined;

  /** @param longText bytes of a text up to which it is not listed, as it is written */
  constructor(limits: JsonLimits, longText: number) {
    this.limits = limits;
    this.#longText = longText;
  }

  /** The limit that it goes beyond as far as it came. A bracket counts as a value of its own once it is known to hold one. */
  get excess(): keyof JsonLimits | undefined {
    return this.#excess;
  }

  /** How many bytes came. */
  get length(): number {
    return this.#before;
  }

  /**
   * Texts longer than `longText`, names of members not among them, and what a number has of digits behind the first 1,025 in
   * a row; in their order.
   */
  get long(): readonly LongPart[] {
    return this.#long;
  }

  /** Looks at what comes next, and at nothing behind an excess. Keeps nothing of the piece. */
  take(given: Uint8Array): void {
    const piece = Buffer.from(given.buffer, given.byteOffset, given.length);
    if (this.#undecided) this.#decide(piece, 0);
    let at = 0;
    while (at < piece.length && !this.#excess) {
      if (this.#within === 'text') at = this.#passText(piece, at);
      else if (this.#within === 'digits') at = this.#passDigits(piece, at);
      else at = this.#passMarks(piece, at);
    }
    this.#before += piece.length;
  }

  /** Up to a text, or to digits that are too many. @returns where they begin, or the end */
  #passMarks(piece: Buffer, from: number): number {
    let digits = this.#digits;
    let at = from;
    while (at < piece.length) {
      const found = kinds[piece[at] ?? 0];
      if (found === kind.digit) {
        if (++digits > mostDigits) {
          this.#within = 'digits';
          this.#list(at, at, false);
          break;
        }
        at++;
        continue;
      }
      digits = 0;
      at++;
      if (found === kind.other) while (at < piece.length && kinds[piece[at] ?? 0] === kind.other) at++;
      else if (!this.#count(found, piece, at)) break;
    }
    this.#digits = digits;
    return at;
  }

  /** @returns whether what follows is no text, and may follow */
  #count(found: number | undefined, piece: Buffer, next: number): boolean {
    const { levels, values } = this.limits;
    if (found === kind.comma) this.#values++;
    else if (found === kind.close) this.#levels--;
    else if (found === kind.open) {
      if (++this.#levels > levels) {
        this.#excess = 'levels';
        return false;
      }
      this.#undecided = 'bracket';
      this.#decide(piece, next);
    }
    if (++this.#marks > marksOfValue * values || this.#values > values) {
      this.#excess = 'values';
      return false;
    }
    if (found !== kind.quote) return true;
    this.#within = 'text';
    this.#start = this.#before + next;
    return false;
  }

  /** The rest of a text. @returns what is behind it, or the end */
  #passText(piece: Buffer, start: number): number {
    const from = start + this.#ofEscape;
    this.#ofEscape = 0;
    const end = endOfText(piece, from);
    if (end < piece.length) this.#endText(piece, end);
    else this.#ofEscape = end - piece.length;
    return end + 1;
  }

  #endText(piece: Buffer, end: number): void {
    this.#within = undefined;
    const start = this.#start - this.#before;
    if (end - start <= this.#longText) return;
    this.#list(start, end, true);
    this.#undecided = 'text';
    this.#decide(piece, end + 1);
  }

  /** The rest of digits that are too many. @returns what is behind them, or the end */
  #passDigits(piece: Buffer, from: number): number {
    let at = from;
    while (at < piece.length && kinds[piece[at] ?? 0] === kind.digit) at++;
    const digits = this.#long.pop();
    if (digits) this.#long.push({ ...digits, end: this.#before + at });
    if (at < piece.length) this.#within = undefined;
    return at;
  }

  /** Looks for the first byte that is no blank, and for what it decides. */
  #decide(piece: Buffer, from: number): void {
    let at = from;
    while (isBlank(piece[at])) at++;
    const next = piece[at];
    if (next === undefined) return;
    if (this.#undecided === 'text' && next === colon) this.#long.pop();
    if (this.#undecided === 'bracket' && kinds[next] !== kind.close && ++this.#values > this.limits.values)
      this.#excess = 'values';
    this.#undecided = undefined;
  }

  #list(start: number, end: number, isText: boolean): void {
    this.#long.push({ start: this.#before + start, end: this.#before + end, isText });
  }
}

/** The index of the quote that ends a text; that of the end where it does not end, or one more where the next byte is escaped. */
function endOfText(piece: Buffer, from: number): number {
  const { length } = piece;
  for (let at = from; at < from + shortText && at < length; at++) {
    if (piece[at] === quote) return at;
    if (piece[at] === backslash) return endOfEscaped(piece, at);
  }
  const first = piece.indexOf(quote, from);
  const end = first === -1 ? length : first;
  // What escapes a quote stands right before it.
  return end > from && piece[end - 1] === backslash ? endOfEscaped(piece, from) : end;
}

/** The same byte by byte. */
function endOfEscaped(piece: Buffer, from: number): number {
  let at = from;
  for (; at < piece.length && piece[at] !== quote; at++) if (piece[at] === backslash) at++;
  return at;
}

function isBlank(byte = 0): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
