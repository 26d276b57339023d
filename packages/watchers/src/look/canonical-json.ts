import type { Json } from '@waymark/contract';

/** JSON in which the order of members does not matter: two readings that say the same are the same text. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter((member): member is [string, Json] => member[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

/** `Array.isArray` says nothing of readonly lists. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
