import type { JsonLimits } from '@waymark/contract/http';
import { longestNumber } from '@waymark/contract/text';

/** What is long inside of a JSON text: a text, without its quotes, or a number. Places are bytes of the whole. */
export interface LongPart {
  readonly start: number;
  readonly end: number;
  readonly isText: boolean;
}

/** Two brackets, a comma, and the beginnings of a key and a text: what has more of them is no JSON, and counted no further. */
const marksOfValue = 5;

const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;

/** What a byte is to the scan. */
const kind = { other: 0, digit: 1, ofNumber: 2, quote: 3, comma: 4, open: 5, close: 6 } as const;

const kinds = new Uint8Array(256);
for (const [name, bytes] of [
  ['digit', '0123456789'],
  ['ofNumber', '+-.eE'],
  ['quote', '"'],
  ['comma', ','],
  ['open', '[{'],
  ['close', ']}'],
] as const)
  for (const byte of Buffer.from(bytes)) kinds[byte] = kind[name];

/**
 * Looks through a large JSON text as it comes, as `jsonExcess` does at once, and in bytes: what is refused need not come to
 * its end, or be made a string. However it is cut, each byte is looked at once: 1 MiB takes 0.01 ms where it is a text, and
 * 3 to 8 ms where it is brackets (measured).
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
  #digits = 0;
  /** Where the last text or number begins. */
  #start = 0;
  /** What the last piece ended in. */
  #within: 'text' | 'number' | undefined;
  /** Bytes of the next piece that are escaped by the last one. */
  #ofEscape = 0;
  /** What the first byte that is no blank decides: whether a bracket holds a value, or whether a long text is a name. */
  #undecided: 'bracket' | 'text' | undefined;

  /** @param longText bytes of a text up to which it is not listed, as it is written */
  constructor(limits: JsonLimits, longText: number) {
    this.limits = limits;
    this.#longText = longText;
  }

  /** The limit that it goes beyond as far as it came. */
  get excess(): keyof JsonLimits | undefined {
    return this.#excess;
  }

  /** How many bytes came. */
  get length(): number {
    return this.#before;
  }

  /**
   * Texts longer than `longText`, names of members not among them, and numbers with more digits in a row than
   * `longestNumber`; in their order.
   */
  get long(): readonly LongPart[] {
    return this.#long;
  }

  /** Looks at what comes next, and at nothing behind an excess. */
  take(given: Uint8Array): void {
    const piece = Buffer.from(given.buffer, given.byteOffset, given.length);
    if (this.#undecided) this.#decide(piece, 0);
    let at = 0;
    while (at < piece.length && !this.#excess) {
      if (this.#within === 'text') at = this.#passText(piece, at);
      else if (this.#within === 'number') at = this.#passNumber(piece, at);
      else at = this.#passMarks(piece, at);
    }
    this.#before += piece.length;
  }

  /** What is neither a text nor a long number. @returns where such a one begins, or the end */
  #passMarks(piece: Buffer, from: number): number {
    let digits = this.#digits;
    let start = this.#start - this.#before;
    let at = from;
    for (; at < piece.length; at++) {
      const found = kinds[piece[at] ?? 0];
      if (found === kind.digit) {
        if (++digits <= longestNumber) continue;
        this.#within = 'number';
        this.#list(start, at, false);
        break;
      }
      digits = 0;
      if (found === kind.ofNumber) continue;
      start = at + 1;
      if (found === kind.other) {
        while (start < piece.length && kinds[piece[start] ?? 0] === kind.other) start++;
        at = start - 1;
        continue;
      }
      if (this.#count(found, piece, start)) continue;
      at++;
      break;
    }
    this.#digits = digits;
    this.#start = this.#before + start;
    return at;
  }

  /** @returns whether what follows is no text, and may follow */
  #count(found: number | undefined, piece: Buffer, next: number): boolean {
    const { levels, values } = this.limits;
    if (found === kind.quote) this.#within = 'text';
    else if (found === kind.comma) this.#values++;
    else if (found === kind.close) this.#levels--;
    else if (++this.#levels > levels) {
      this.#excess = 'levels';
      return false;
    } else {
      this.#undecided = 'bracket';
      this.#decide(piece, next);
    }
    if (++this.#marks > marksOfValue * values || this.#values > values) {
      this.#excess = 'values';
      return false;
    }
    return found !== kind.quote;
  }

  /** The rest of a text. @returns what is behind it, or the end */
  #passText(piece: Buffer, start: number): number {
    const from = start + this.#ofEscape;
    this.#ofEscape = 0;
    const first = piece.indexOf(quote, from);
    const until = first === -1 ? piece.length : first;
    // What escapes a quote stands right before it.
    const end = until > from && piece[until - 1] === backslash ? this.#escapedEnd(piece, from) : until;
    if (end < piece.length) this.#endText(piece, end);
    return end + 1;
  }

  /** The index of the quote that ends a text with escapes, byte by byte; where it does not end, that of the end. */
  #escapedEnd(piece: Buffer, from: number): number {
    let at = from;
    for (; at < piece.length && piece[at] !== quote; at++) if (piece[at] === backslash) at++;
    this.#ofEscape = Math.max(0, at - piece.length);
    return at;
  }

  #endText(piece: Buffer, end: number): void {
    this.#within = undefined;
    const start = this.#start - this.#before;
    this.#start = this.#before + end + 1;
    if (end - start <= this.#longText) return;
    this.#list(start, end, true);
    this.#undecided = 'text';
    this.#decide(piece, end + 1);
  }

  /** The rest of a long number. @returns what is behind it, or the end */
  #passNumber(piece: Buffer, from: number): number {
    let at = from;
    while (at < piece.length && isOfNumber(piece[at])) at++;
    const number = this.#long.pop();
    if (number) this.#long.push({ ...number, end: this.#before + at });
    if (at < piece.length) this.#within = undefined;
    this.#digits = 0;
    return at;
  }

  /** Looks for the first byte that is no blank, and for what it decides. */
  #decide(piece: Buffer, from: number): void {
    let at = from;
    while (isBlank(piece[at])) at++;
    if (at >= piece.length) return;
    const next = piece[at];
    if (this.#undecided === 'text' && next === colon) this.#long.pop();
    if (this.#undecided === 'bracket' && kinds[next ?? 0] !== kind.close) this.#values++;
    this.#undecided = undefined;
  }

  #list(start: number, end: number, isText: boolean): void {
    this.#long.push({ start: this.#before + start, end: this.#before + end, isText });
  }
}

/** Digits, signs, the point and the letter of an exponent. */
function isOfNumber(byte = 0): boolean {
  const found = kinds[byte];
  return found === kind.digit || found === kind.ofNumber;
}

function isBlank(byte = 0): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
