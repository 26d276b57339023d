import type { Method } from './route.ts';

/** Other methods are their own verb. */
const verbs: Readonly<Partial<Record<Method, string>>> = { POST: 'create', PUT: 'replace', PATCH: 'update' };

/** The longest name that model APIs take. */
export const maxNameLength = 64;

/** What a tool name may consist of (decision 4.1). */
export const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Derives a route's name from method and path: `GET /tickets/{id}/summary` is `get_tickets_by_id_summary`.
 * Longer names are cut and end in a hash that depends on method and path alone.
 */
export function routeName(method: Method, path: string): string {
  const words = path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => segment.replace(/^\{(\w+)\*?\}$/, 'by_$1').replace(/[^a-zA-Z0-9_]/g, '_'));
  return shorten(
    [verbs[method] ?? method.toLowerCase(), ...(words.length === 0 ? ['root'] : words)].join('_'),
    `${method} ${path}`,
  );
}

/** A second name for a route whose own is taken: stable for one method and path, whatever else is declared. */
export function suffixedName(name: string, key: string): string {
  return shorten(`${name}_${shortHash(key)}`, key);
}

function shorten(name: string, key: string): string {
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength - 7)}_${shortHash(key)}`;
}

/** Six letters and digits from two rounds of FNV-1a; tells names apart, protects nothing. */
function shortHash(text: string): string {
  const fnv = (seed: number): number => {
    let hash = seed;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return hash >>> 0;
  };
  return (fnv(0x811c9dc5) * 0x10000 + (fnv(0x01000193) & 0xffff)).toString(36).slice(-6).padStart(6, '0');
}
