import { isMembers } from './json.ts';

const lineWidth = 72;

/** A value of JSON as TypeScript writes it: names without quotes where they can be, texts in single ones. */
export function toLiteral(value: unknown, indent = ''): string {
  const flat = toFlat(value);
  if (flat.length + indent.length <= lineWidth) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return `[\n${value.map((one) => `${inner}${toLiteral(one, inner)},\n`).join('')}${indent}]`;
  if (isMembers(value))
    return `{\n${Object.entries(value)
      .map(([name, one]) => `${inner}${toKey(name)}: ${toLiteral(one, inner)},\n`)
      .join('')}${indent}}`;
  return flat;
}

function toFlat(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toFlat).join(', ')}]`;
  if (isMembers(value)) {
    const members = Object.entries(value).map(([name, one]) => `${toKey(name)}: ${toFlat(one)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return typeof value === 'string' ? quote(value) : JSON.stringify(value);
}

/** `__proto__` written plainly, or in quotes, would be no member. */
function toKey(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
