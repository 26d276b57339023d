import { closeList, closeObject, comma, openList, openObject, quote, stringEnd } from '../text/json-marks.ts';
import { last } from '../text/last.ts';

/** How much a JSON text may hold. */
export interface JsonLimits {
  /** Objects and lists inside of each other. */
  readonly levels: number;
  /** Items and members, however deep, and the outermost value. */
  readonly values: number;
}

/**
 * Says which limit a JSON text goes beyond; undefined when it keeps to both. It counts brackets and commas outside of
 * strings, so that a text can be refused before it is parsed: 2 million members take 30 ms to find and 5 s to parse. What is
 * no JSON is counted all the same.
 */
export function jsonExcess(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  const { levels, values } = limits;
  // Most texts are so short, or so flat, that there is nothing to count: an item takes two characters, with its comma.
  if (text.length <= 2 * values && !hasManyBrackets(text, levels)) return undefined;
  return last(count(text, limits));
}

/** The same a piece at a time: to count 1 MiB of brackets takes 7 ms. */
export function* jsonExcessPieces(
  text: string,
  limits: JsonLimits,
): Generator<void, keyof JsonLimits | undefined> {
  if (text.length <= 2 * limits.values && !hasManyBrackets(text, limits.levels)) return undefined;
  yield;
  return yield* count(text, limits);
}

/** Marks that are counted in a piece: 1 ms. */
const pieceMarks = 16_384;

function* count(text: string, { levels, values }: JsonLimits): Generator<void, keyof JsonLimits | undefined> {
  let depth = 0;
  let found = 1;
  let marks = 0;
  for (let at = nextMark(text, 0); at < text.length; at = nextMark(text, at + 1)) {
    const char = text.charCodeAt(at);
    if (char === quote) at = stringEnd(text, at);
    else if (char === comma) found++;
    else if (char === closeList || char === closeObject) depth--;
    else {
      if (++depth > levels) return 'levels';
      if (!closesAt(text, at + 1)) found++;
    }
    if (found > values || ++marks > marksOfValue * values) return 'values';
    if (marks % pieceMarks === 0) yield;
  }
  return undefined;
}

const mark = /["[\]{},]/g;

/** Characters that are looked at one by one for the next mark: most are near, and a pattern takes as long to begin as 15 of them. */
const near = 16;

/** The index of the next mark; the length of the text where there is none. */
function nextMark(text: string, start: number): number {
  const end = Math.min(start + near, text.length);
  for (let at = start; at < end; at++) if (marksByCode[text.charCodeAt(at)] === 1) return at;
  mark.lastIndex = end;
  return mark.test(text) ? mark.lastIndex - 1 : text.length;
}

/** Whether a character is a mark, by its code: one of ASCII. */
const marksByCode = new Uint8Array(128);
for (const code of [comma, quote, openObject, closeObject, openList, closeList]) marksByCode[code] = 1;

/** Two brackets, a comma, and the beginnings of a key and a text: what has more of them is no JSON, and counted no further. */
const marksOfValue = 5;

/** Few texts have so many at all, and to look for them takes a tenth of the time. */
function hasManyBrackets(text: string, levels: number): boolean {
  let found = 0;
  for (let at = text.indexOf('{'); at !== -1 && found <= levels; at = text.indexOf('{', at + 1)) found++;
  for (let at = text.indexOf('['); at !== -1 && found <= levels; at = text.indexOf('[', at + 1)) found++;
  return found > levels;
}

/** Whether nothing but blanks stands between an index and a closing bracket: what is empty holds no value. */
function closesAt(text: string, start: number): boolean {
  let at = start;
  while (isBlank(text.charCodeAt(at))) at++;
  const char = text.charCodeAt(at);
  return char === closeList || char === closeObject;
}

function isBlank(char: number): boolean {
  return char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09;
}
