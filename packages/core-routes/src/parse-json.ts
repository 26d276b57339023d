import { isUtf8 } from 'node:buffer';
import { HTTPError } from '@waymark/contract';
import secureJson from 'secure-json-parse';

/** Nesting that a JSON body may have (decision 2.6). */
const maxJsonDepth = 64;

/**
 * Reads a JSON body: UTF-8 only, at most `maxJsonDepth` deep, without `__proto__` keys and without a `constructor`
 * that holds a `prototype`.
 *
 * @throws {HTTPError} 400
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new HTTPError(400, 'the body is not UTF-8');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (isTooDeep(text)) throw new HTTPError(400, `the body is nested deeper than ${maxJsonDepth} levels`);
  try {
    return secureJson.parse(text);
  } catch (cause) {
    const forbidden = cause instanceof SyntaxError && cause.message === forbiddenKey;
    throw new HTTPError(
      400,
      forbidden ? 'the body holds a "__proto__" or "constructor" key' : 'the body is not JSON',
      { cause },
    );
  }
}

/** How `secure-json-parse` words it. The texts of other syntax errors quote the body, which may hold any word. */
const forbiddenKey = 'Object contains forbidden prototype property';

/** Counts brackets outside strings. Short texts cannot be deep. */
function isTooDeep(text: string): boolean {
  if (text.length <= maxJsonDepth) return false;
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

/** The index of the quote that ends the string starting at `start`; the end of the text when it never ends. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
