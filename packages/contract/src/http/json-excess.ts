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
export function jsonExcess(text: string, { levels, values }: JsonLimits): keyof JsonLimits | undefined {
  // An item takes two characters, with its comma.
  if (text.length <= 2 * values && !hasManyBrackets(text, levels)) return undefined;
  const mark = /["[\]{},]/g;
  let depth = 0;
  let found = 1;
  let marks = 0;
  while (mark.test(text)) {
    const at = mark.lastIndex - 1;
    const char = text.charCodeAt(at);
    if (char === quote) mark.lastIndex = stringEnd(text, at) + 1;
    else if (char === comma) found++;
    else if (char === closeList || char === closeObject) depth--;
    else {
      if (++depth > levels) return 'levels';
      if (!closesAt(text, at + 1)) found++;
    }
    if (found > values || ++marks > marksOfValue * values) return 'values';
  }
  return undefined;
}

/** Two brackets, a comma, and the beginnings of a key and a text: what has more of them is no JSON, and counted no further. */
const marksOfValue = 5;

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const closeList = 0x5d;
const closeObject = 0x7d;

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

/** The index of the quote that ends the string starting at `start`; the end of the text when it never ends. */
function stringEnd(text: string, start: number): number {
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
