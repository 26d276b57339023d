/** Punctuation, a number or a word of JSON, at a place. */
const token = /[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

const blank = /[\t\n\r ]*/y;

const escaped = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;

/** What may come next. The first of a list may be its end, too. */
type Expected = 'value' | 'first' | 'key' | 'firstKey' | 'colon' | 'next' | 'end';

/**
 * Finds where a text stops to be JSON: the index of what cannot stand there, or the length of a text that ends too early.
 * The errors of the platform say it for some texts only, and quote them.
 */
export function jsonBreak(text: string): number {
  const closing: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    const start = matchAt(blank, text, at);
    if (start === text.length) return start;
    const isText = text[start] === '"';
    at = isText ? start : matchAt(token, text, start);
    if (!isText && at === start) return start;
    const mark = isText ? undefined : /[{}[\],:]/.exec(text[start] ?? '')?.[0];
    if (mark === '}' || mark === ']') {
      const mayEnd = expected === 'next' || expected === (mark === '}' ? 'firstKey' : 'first');
      if (!mayEnd || closing.pop() !== mark) return start;
      expected = closing.length === 0 ? 'end' : 'next';
    } else if (mark === ',') {
      if (expected !== 'next') return start;
      expected = closing.at(-1) === '}' ? 'key' : 'value';
    } else if (mark === ':') {
      if (expected !== 'colon') return start;
      expected = 'value';
    } else if (expected === 'key' || expected === 'firstKey') {
      if (!isText) return start;
      expected = 'colon';
    } else if (expected !== 'value' && expected !== 'first') return start;
    else if (mark === undefined) expected = closing.length === 0 ? 'end' : 'next';
    else {
      closing.push(mark === '{' ? '}' : ']');
      expected = mark === '{' ? 'firstKey' : 'first';
    }
    if (!isText) continue;
    const end = stringEnd(text, start);
    if (text[end] !== '"') return end;
    at = end + 1;
  }
}

/** The index behind what a sticky pattern matches at a place; the place itself where it does not. */
function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The index of the quote that closes the string, or of what no string may hold. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"' && text.charCodeAt(at) >= 0x20) {
    const next = text[at] === '\\' ? matchAt(escaped, text, at) : at + 1;
    if (next === at) return at;
    at = next;
  }
  return at;
}
