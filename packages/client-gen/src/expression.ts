import { lineWidth, quote } from './layout.ts';

/** A TypeScript type on one line, and its parts for when it does not fit. */
export interface Expression {
  readonly text: string;
  readonly form: 'atom' | 'union' | 'intersection' | 'list' | 'tuple';
  readonly parts: readonly string[];
}

/** A name, a literal, anything that cannot be broken. */
export function atom(text: string): Expression {
  return { text, form: 'atom', parts: [text] };
}

export const unknownType = atom('unknown');
export const neverType = atom('never');

/** One of several. Its members are unions, or fit in one. */
export function union(members: readonly Expression[]): Expression {
  const parts = [...new Set(members.flatMap(({ form, text, parts }) => (form === 'union' ? parts : [text])))];
  if (parts.includes('unknown')) return unknownType;
  const some = parts.filter((part) => part !== 'never');
  if (some.length <= 1) return members.find(({ text }) => text === some[0]) ?? atom(some[0] ?? 'never');
  return { text: some.join(' | '), form: 'union', parts: some };
}

/** All at once; what is known of nothing says nothing. */
export function intersection(members: readonly Expression[]): Expression {
  const known = members.filter(({ text }) => text !== 'unknown');
  const parts = [
    ...new Set(known.flatMap(({ form, text, parts }) => (form === 'intersection' ? parts : [text]))),
  ];
  if (parts.length <= 1) return known[0] ?? unknownType;
  return { text: parts.join(' & '), form: 'intersection', parts };
}

/** Any number of one type. */
export function list({ form, text }: Expression): Expression {
  const item = form === 'atom' ? text : `(${text})`;
  return { text: `readonly ${item}[]`, form: 'list', parts: [item] };
}

/** A fixed row of types; `rest` is what may follow. */
export function tuple(items: readonly string[], rest?: Expression): Expression {
  const parts = rest === undefined ? items : [...items, `...${list(rest).text.slice('readonly '.length)}`];
  return { text: `readonly [${parts.join(', ')}]`, form: 'tuple', parts };
}

/** A value as a type. */
export function literal(value: unknown): Expression {
  if (typeof value === 'string') return atom(quote(value));
  if (Array.isArray(value)) return tuple(value.map((item) => literal(item).text));
  if (typeof value === 'object' && value !== null) return atom('JsonObject');
  return atom(String(value));
}

/** `export type` of an expression, broken where it does not fit the line. */
export function declareType(name: string, { text, form, parts }: Expression): string {
  const line = `export type ${name} = ${text};`;
  if (line.length <= lineWidth) return `${line}\n`;
  const start = `export type ${name} =`;
  switch (form) {
    case 'union':
      return `${start}\n${parts.map((part) => `  | ${part}`).join('\n')};\n`;
    case 'intersection':
      return `${start} ${parts[0]} &`.length <= lineWidth
        ? `${start} ${parts.join(' &\n  ')};\n`
        : `${start}\n  ${parts.join(' &\n    ')};\n`;
    case 'tuple':
      return `${start} readonly [\n${parts.map((part) => `  ${part},\n`).join('')}];\n`;
    default:
      return `${start}\n  ${text};\n`;
  }
}
