import { lineWidth } from './layout.ts';
import type { ExportedName } from './runtime-source.ts';

/** Generated code: its types, and what makes things of them. */
export interface ModuleText {
  readonly types: string;
  readonly factory: string;
}

/** The import of what generated code uses of another module, laid out as a formatter would; empty when it uses nothing. */
export function toImport(
  { types, factory }: ModuleText,
  names: readonly ExportedName[],
  from: string,
): string {
  // A member may have the name of a type, and a type has no colon behind it.
  const words = new Set(withoutTexts(types + factory).match(/\b\w+\b(?!\??:)/g));
  const called = new Set(factory.match(/\b\w+(?=\()/g));
  const asked = new Set(factory.match(/(?<=\btypeof )\w+/g));
  const used = names
    .filter(({ name, value }) => (value ? called.has(name) || asked.has(name) : words.has(name)))
    .map(({ name, value }) => ({ name, value: value && called.has(name) }));
  return toStatement('import', used, from);
}

/** The export of another module's names. */
export function toReExport(names: readonly ExportedName[], from: string): string {
  return toStatement('export', names, from);
}

function toStatement(word: string, names: readonly ExportedName[], from: string): string {
  if (names.length === 0) return '';
  const typesAlone = names.every(({ value }) => !value);
  const items = names
    .toSorted((a, b) => compare(a.name, b.name))
    .map(({ name, value }) => (value || typesAlone ? name : `type ${name}`));
  const start = typesAlone ? `${word} type` : word;
  const line = `${start} { ${items.join(', ')} } from '${from}';\n`;
  if (line.length <= lineWidth + 1) return line;
  return `${start} {\n${items.map((item) => `  ${item},\n`).join('')}} from '${from}';\n`;
}

/** Letter by letter, capitals first. */
function compare(a: string, b: string): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [one = '', other = ''] = [a[i], b[i]];
    if (one === other) continue;
    const [low, otherLow] = [one.toLowerCase(), other.toLowerCase()];
    if (low === otherLow) return one < other ? -1 : 1;
    return low < otherLow ? -1 : 1;
  }
  return a.length - b.length;
}

/** Code alone: a word in a comment or in quotes uses nothing. */
function withoutTexts(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, '');
}
