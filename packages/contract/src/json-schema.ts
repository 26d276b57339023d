/** A schema as JSON Schema 2020-12, and what in it cannot be said there. */
export interface PlainSchema {
  readonly schema: object;
  readonly faults: readonly string[];
}

const notJson = new Set(['bigint', 'undefined', 'symbol', 'function', 'void', 'promise', 'constructor', 'Date', 'Uint8Array']);

/**
 * Makes a TypeBox schema plain JSON Schema 2020-12, as tools and OpenAPI documents need it: tuples become
 * `prefixItems`, types that JSON does not have are faults. A schema that is plain already is returned as it is.
 */
export function toPlainSchema(schema: object): PlainSchema {
  const faults: string[] = [];
  return { schema: plain(schema, '', faults) as object, faults };
}

function plain(node: unknown, at: string, faults: string[]): unknown {
  if (node === null || typeof node !== 'object') return node;
  if (Array.isArray(node)) return keepIfSame(node, node.map((item, i) => plain(item, `${at}/${i}`, faults)));
  const { type } = node as { type?: unknown };
  if (typeof type === 'string' && notJson.has(type)) faults.push(`${at === '' ? 'the schema' : at} has the type ${type}, which JSON does not have`);
  const entries = Object.entries(node);
  const converted = entries.map(([key, value]) => [key, plain(value, `${at}/${key}`, faults)] as const);
  const { items } = node as { items?: unknown };
  if (Array.isArray(items)) return tuple(Object.fromEntries(converted));
  return converted.every(([, value], i) => value === entries[i]?.[1]) ? node : rebuild(node, converted);
}

function keepIfSame(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, i) => item === before[i]) ? before : after;
}

/** A changed copy that keeps the hidden marks TypeBox and `from` leave on a schema. */
function rebuild(node: object, entries: readonly (readonly [string, unknown])[]): object {
  const copy = Object.create(Object.getPrototypeOf(node), Object.getOwnPropertyDescriptors(node)) as Record<string, unknown>;
  for (const [key, value] of entries) copy[key] = value;
  return copy;
}

/** TypeBox writes tuples in the draft-07 form, which 2020-12 validators refuse. */
function tuple({ items, additionalItems, ...rest }: Record<string, unknown>): object {
  return { ...rest, prefixItems: items, ...(additionalItems === false && { items: false }) };
}
