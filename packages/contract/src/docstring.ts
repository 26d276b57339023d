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
  const body = source.slice(start).trimStart();
  if (body.startsWith('/*')) return unframe(body.slice(2, body.indexOf('*/')).replace(/^\*/, ''));
  if (body.startsWith('//')) return lineComments(body);
  const directive = /^(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')\s*(?:;|\n|\})/.exec(body);
  return (directive?.[1] ?? directive?.[2] ?? '').replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c)).trim();
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
  for (const line of body.split('\n')) {
    const [, text] = /^\s*\/\/ ?(.*)$/.exec(line) ?? [];
    if (text === undefined) break;
    lines.push(text.trimEnd());
  }
  return lines.join('\n').trim();
}

/** The index just after the `{` that opens the body, or after the `=>` of an expression body. */
function bodyStart(source: string): number | undefined {
  const open = source.indexOf('(');
  const arrow = source.indexOf('=>');
  // `input => …`: one parameter without parentheses.
  let at = open === -1 || (arrow !== -1 && arrow < open) ? arrow : closing(source, open);
  if (at === -1) return undefined;
  while (at < source.length) {
    if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 2;
    else if (source.startsWith('//', at)) at = source.indexOf('\n', at);
    else if (source.startsWith('=>', at)) return afterArrow(source, at + 2);
    else if (source[at] === '{') return at + 1;
    else at++;
  }
  return undefined;
}

function afterArrow(source: string, at: number): number {
  const rest = source.slice(at);
  const spaces = rest.length - rest.trimStart().length;
  return source[at + spaces] === '{' ? at + spaces + 1 : at;
}

/** The index just after the parenthesis that closes the one at `open`; strings and comments in between do not count. */
function closing(source: string, open: number): number {
  let depth = 0;
  for (let at = open; at < source.length; at++) {
    const char = source[at];
    if (char === '"' || char === "'" || char === '`') at = stringEnd(source, at);
    else if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 1;
    else if (source.startsWith('//', at)) at = source.indexOf('\n', at);
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return at + 1;
    if (at < open) return -1;
  }
  return -1;
}

function stringEnd(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== source[start]) at += source[at] === '\\' ? 2 : 1;
  return at;
}
