import { HTTPError } from '@waymark/contract';
import secureJson from 'secure-json-parse';
import { jsonBreak } from './json-break.ts';

/** Nesting that a JSON body may have (decision 2.6). */
const maxJsonDepth = 64;

/**
 * Reads a JSON body: UTF-8 only, at most `maxJsonDepth` deep, without `__proto__` keys and without a `constructor`
 * that holds a `prototype`.
 *
 * @throws {HTTPError} 400
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (isTooDeep(text)) throw new HTTPError(400, `the body is nested deeper than ${maxJsonDepth} levels`);
  try {
    return suspicious.test(text) ? secureJson.parse(text) : JSON.parse(text);
  } catch (cause) {
    const holdsKey = cause instanceof SyntaxError && cause.message === forbiddenKey;
    throw new HTTPError(
      400,
      holdsKey
        ? 'the body holds a "__proto__" or "constructor" key'
        : `the body is not JSON: ${placeIn(text)}`,
      { cause },
    );
  }
}

/** Where, and never what: the body may hold a secret. */
function placeIn(given: string): string {
  const text = given.replace(/^\ufeff/, '');
  if (text === '') return 'it is empty';
  const at = jsonBreak(text);
  const before = text.slice(0, at).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return at === text.length ? `it ends too early, at ${place}` : `see ${place}`;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new HTTPError(400, 'the body is not UTF-8', { cause });
  }
}

/**
 * What a text needs to hold for a key that is forbidden, or else it need not be looked through for one, which takes as
 * long as to parse it (measured). Of byte order marks only `secure-json-parse` knows.
 */
const suspicious = /__proto__|constructor|\\u|^\ufeff/;

/** How `secure-json-parse` words it. The texts of other syntax errors quote the body, which may hold any word. */
const forbiddenKey = 'Object contains forbidden prototype property';

/** Counts brackets outside strings. */
function isTooDeep(text: string): boolean {
  if (!hasManyBrackets(text)) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === 0x22) i = stringEnd(text, i);
    else if (char === 0x5b || char === 0x7b) {
      if (++depth > maxJsonDepth) return true;
    } else if (char === 0x5d || char === 0x7d) depth--;
  }
  return false;
}

/** Few bodies have so many at all, and to look for them takes a tenth of the time. */
function hasManyBrackets(text: string): boolean {
  let found = 0;
  for (let at = text.indexOf('{'); at !== -1 && found <= maxJsonDepth; at = text.indexOf('{', at + 1))
    found++;
  for (let at = text.indexOf('['); at !== -1 && found <= maxJsonDepth; at = text.indexOf('[', at + 1))
    found++;
  return found > maxJsonDepth;
}

/** The index of the quote that ends the string starting at `start`; the end of the text when it never ends. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
