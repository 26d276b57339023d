/**
 * Steps through JavaScript source without parsing it.
 *
 * @returns the index after the string, template, comment or regular expression that begins at `at`; else the next index
 */
export function afterToken(source: string, at: number): number {
  const char = source[at];
  if (char === '"' || char === "'") return afterQuoted(source, at);
  if (char === '`') return afterTemplate(source, at);
  if (source.startsWith('/*', at)) return afterText(source, '*/', at + 2);
  if (source.startsWith('//', at)) return afterText(source, '\n', at + 2);
  if (char === '/' && opensRegExp(source, at)) return afterRegExp(source, at);
  return at + 1;
}

/** The index after the bracket that closes the one at `open`: `(` or `{`. */
export function afterGroup(source: string, open: number): number {
  const opening = source[open];
  const closing = opening === '(' ? ')' : '}';
  let depth = 0;
  for (let at = open; at < source.length; at = afterToken(source, at)) {
    if (source[at] === opening) depth++;
    else if (source[at] === closing && --depth === 0) return at + 1;
  }
  return source.length;
}

function afterText(source: string, text: string, from: number): number {
  const at = source.indexOf(text, from);
  return at === -1 ? source.length : at + text.length;
}

function afterQuoted(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== source[start]) at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Templates nest: `${…}` holds source again. */
function afterTemplate(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== '`') {
    if (source[at] === '\\') at += 2;
    else at = source.startsWith('${', at) ? afterGroup(source, at + 1) : at + 1;
  }
  return at + 1;
}

/** A slash divides after a value, and opens a regular expression after anything else. */
function opensRegExp(source: string, at: number): boolean {
  const before = source.slice(0, at).trimEnd().at(-1) ?? '';
  return !/[\w$)\]}"'`]/.test(before);
}

function afterRegExp(source: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < source.length; at++) {
    const char = source[at];
    if (char === '\\') at++;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) return at + 1;
  }
  return source.length;
}
