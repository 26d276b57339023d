import { convert, mapKeywords, rebuild, valueKeywords } from './json-schema.ts';
import { isSchemaObject } from './references.ts';

/**
 * A schema that means the same as a part of another one, where `#` is that other one: what it refers to from its own
 * root becomes one of its definitions, which move up with it. A schema that does not is returned as it is.
 *
 * @param name of the definition, where it is free
 */
export function toPart(schema: object, name: string): object {
  const { $defs: given } = schema as { readonly $defs?: unknown };
  const definitions = isSchemaObject(given) ? given : {};
  const own = freeName(name.replaceAll(/[^\w.-]/g, '_'), definitions);
  const moved = rewrite(schema, `#/$defs/${own}`) as object;
  if (moved === schema) return schema;
  const { $defs, ...whole } = moved as { readonly $defs?: object };
  return rebuild(moved, [...Object.entries(whole), ['$defs', { ...$defs, [own]: whole }]]);
}

function freeName(name: string, taken: object): string {
  return Object.hasOwn(taken, name) ? freeName(`${name}_`, taken) : name;
}

function rewrite(node: unknown, root: string): unknown {
  if (Array.isArray(node)) {
    const items = node.map((item) => rewrite(item, root));
    return items.every((item, i) => item === node[i]) ? node : items;
  }
  // From inside of a schema with an `$id` it is that schema which `#` means.
  if (!isSchemaObject(node) || typeof node['$id'] === 'string') return node;
  return convert(node, (keyword, value) => {
    if (keyword === '$ref' && isFromRoot(value)) return root + value.slice(1);
    if (valueKeywords.has(keyword)) return value;
    if (!mapKeywords.has(keyword) || !isSchemaObject(value)) return rewrite(value, root);
    return convert(value, (_, schema) => rewrite(schema, root));
  });
}

/** `#`, or a pointer that leads elsewhere than to a definition. */
function isFromRoot(reference: unknown): reference is string {
  return typeof reference === 'string' && /^#(?:$|\/(?!\$defs\/))/.test(reference);
}
