import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** What Handlebars escapes, and what it writes instead. */
const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#x27;'],
  ['`', '&#x60;'],
  ['=', '&#x3D;'],
]);

const special = new RegExp(`[${[...entities.keys()].join('')}]`);

/** By the code of a character, as far as ASCII goes. */
const byCode = Array.from({ length: 128 }, (_, code) => entities.get(String.fromCharCode(code)));

/**
 * Escapes a value exactly as Handlebars does, which calls a function for each character that it replaces: that takes
 * 2.5 times as long for texts with one or two of them (measured).
 */
export function escapeValue(value: unknown): string {
  // None of its characters means anything to HTML.
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string')
    return (load('handlebars') as typeof import('handlebars')).escapeExpression(value as string);
  const first = value.search(special);
  if (first === -1) return value;
  let escaped = '';
  let from = 0;
  for (let at = first; at < value.length; at++) {
    const entity = byCode[value.charCodeAt(at)];
    if (entity === undefined) continue;
    escaped += value.slice(from, at) + entity;
    from = at + 1;
  }
  return escaped + value.slice(from);
}
