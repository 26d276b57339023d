import { afterGroup, afterToken } from './source-text.ts';

/**
 * Reads the docstring of a function: the first comment block or string directive at the start of its body
 * (decision 1.6). Works on the function's source, so whatever strips comments on the way strips docstrings too.
 *
 * @returns the text without its frame, or an empty string
 */
export function docstring(fn: (...args: never[]) => unknown): string {
  const source = Function.prototype.toString.call(fn);
  const start = bodyStart(source);
  if (start === undefined) return '';
  const body = source.slice(start).replace(/^\s*(?:(["'])use strict\1;?)?\s*/, '');
  if (body.startsWith('/*')) return unframe(body.slice(2, body.indexOf('*/', 2)).replace(/^\*/, ''));
  if (body.startsWith('//')) return lineComments(body);
  const directive = /^(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')\s*(?:;|\n|\})/.exec(body);
  return (directive?.[1] ?? directive?.[2] ?? '')
    .replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c))
    .trim();
}

/** Takes the stars off a comment block, keeps its lines. */
function unframe(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim();
}

function lineComments(body: string): string {
  const lines: string[] = [];
  for (const line of body.split(/\r?\n/)) {
    const [, text] = /^\s*\/\/ ?(.*)$/.exec(line) ?? [];
    if (text === undefined) break;
    lines.push(text.trimEnd());
  }
  return lines.join('\n').trim();
}

/** The index just after the `{` that opens the body, or after the `=>` of an expression body. */
function bodyStart(source: string): number | undefined {
  for (let at = 0; at < source.length; ) {
    if (source.startsWith('=>', at)) return afterArrow(source, at + 2);
    if (source[at] === '{') return at + 1;
    at = source[at] === '(' ? afterGroup(source, at) : afterToken(source, at);
  }
  return undefined;
}

function afterArrow(source: string, at: number): number {
  const rest = source.slice(at);
  const spaces = rest.length - rest.trimStart().length;
  return source[at + spaces] === '{' ? at + spaces + 1 : at;
}
