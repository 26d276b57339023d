/** The line width that the text is laid out for. */
export const lineWidth = 110;

/** A string literal in the quotes that need fewer escapes. */
export function quote(text: string): string {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  const singles = text.split("'").length;
  const doubles = text.split('"').length;
  return singles > doubles ? `"${escaped.replaceAll('"', '\\"')}"` : `'${escaped.replaceAll("'", "\\'")}'`;
}

/** A property name, quoted only where it must be. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : quote(name);
}

/** A comment block for whoever reads the text after it; nothing when there is nothing to say. */
export function docComment(text: string, indent = ''): string {
  const lines = text
    .trim()
    .replaceAll('*/', '*\\/')
    .split('\n')
    .map((line) => line.trimEnd());
  if (lines.join('') === '') return '';
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}

/** A text whose first paragraph is a sentence. */
export function toSentence(text: string): string {
  const [first = '', ...rest] = text.trim().split(/\n\s*\n/);
  return [/[.!?:]$/.test(first) ? first : `${first}.`, ...rest].join('\n\n');
}

/** `name: [items],` on one line, or an item a line. */
export function listProperty(name: string, items: readonly string[], indent: string): string {
  const line = `${indent}${name}: [${items.join(', ')}],\n`;
  if (line.length <= lineWidth + 1) return line;
  return `${indent}${name}: [\n${items.map((item) => `${indent}  ${item},\n`).join('')}${indent}],\n`;
}

/** A whole number, its thousands apart. */
export function withUnderscores(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, '_');
}
