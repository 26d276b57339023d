import { pointerOf, type SchemaPath } from './each-schema.ts';
import type { SchemaObject } from './references.ts';

/** A schema as JSON Schema 2020-12, and what in it cannot be said there. */
export interface PlainSchema {
  readonly schema: object;
  readonly faults: readonly string[];
}

/** Keywords that hold values, which may look like schemas and are none. */
export const valueKeywords: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/** Keywords that hold schemas by name: there a member called `default` or `items` is a name. */
export const mapKeywords: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

const notJson = new Set([
  'bigint',
  'undefined',
  'symbol',
  'function',
  'void',
  'promise',
  'constructor',
  'Date',
  'Uint8Array',
]);

/** What is told on the way through a schema. */
interface Walk {
  readonly faults: string[];
  /** Defaults are filled in before anybody looks: members that have one may be missing. */
  readonly filled: boolean;
}

/**
 * Makes a TypeBox schema plain JSON Schema 2020-12, as tools and OpenAPI documents need it: tuples become
 * `prefixItems`, records hold every name to their schema, types that JSON does not have are faults. A schema that is plain
 * already is returned as it is.
 *
 * @param side of input, members with a default are not required (decision 1.5), however deep
 */
export function toPlainSchema(schema: object, side: 'input' | 'output' = 'output'): PlainSchema {
  const faults: string[] = [];
  return { schema: plain(schema, undefined, { faults, filled: side === 'input' }) as object, faults };
}

function plain(node: unknown, at: SchemaPath | undefined, walk: Walk): unknown {
  if (node === null || typeof node !== 'object') return node;
  if (Array.isArray(node))
    return keepIfSame(
      node,
      node.map((item, i) => plain(item, { outer: at, step: String(i) }, walk)),
    );
  const { type } = node as { type?: unknown };
  if (typeof type === 'string' && notJson.has(type))
    walk.faults.push(`${pointerOf(at) || 'the schema'} has the type ${type}, which JSON does not have`);
  const converted = convert(node, (key, value) => {
    if (typeof value !== 'object' || valueKeywords.has(key)) return value;
    const here = { outer: at, step: key };
    return mapKeywords.has(key) ? plainMap(value, here, walk) : plain(value, here, walk);
  });
  if (Array.isArray((converted as { items?: unknown }).items)) return tuple(converted);
  return walk.filled ? withoutFilled(record(converted)) : record(converted);
}

function plainMap(node: unknown, at: SchemaPath, walk: Walk): unknown {
  if (node === null || typeof node !== 'object') return node;
  return convert(node, (name, schema) => plain(schema, { outer: at, step: name }, walk));
}

/** The node itself when `change` changes nothing. */
export function convert(node: object, change: (key: string, value: unknown) => unknown): object {
  const held = node as Readonly<Record<string, unknown>>;
  const names = Object.keys(node);
  let isSame = true;
  const changed = names.map((key) => {
    const value = held[key];
    const after = change(key, value);
    isSame &&= after === value;
    return after;
  });
  return isSame
    ? node
    : rebuild(
        node,
        names.map((key, i) => [key, changed[i]] as const),
      );
}

function keepIfSame(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, i) => item === before[i]) ? before : after;
}

/** A changed copy that keeps the hidden marks TypeBox and `from` leave on a schema. */
export function rebuild(node: object, entries: readonly (readonly [string, unknown])[]): object {
  const copy = Object.create(Object.getPrototypeOf(node)) as object;
  for (const key of Reflect.ownKeys(node)) {
    const descriptor = Object.getOwnPropertyDescriptor(node, key);
    if (descriptor?.enumerable === false)
      Object.defineProperty(copy, key, { ...descriptor, configurable: true });
  }
  for (const [key, value] of entries)
    Object.defineProperty(copy, key, { value, configurable: true, enumerable: true, writable: true });
  return copy;
}

/** A copy with one keyword more, or another value of it. What TypeBox hides in a schema, its refinements among it, stays. */
export function withKeyword(node: SchemaObject, keyword: string, value: unknown): SchemaObject {
  const others = Object.entries(node).filter(([name]) => name !== keyword);
  return rebuild(node, [...others, [keyword, value]]) as SchemaObject;
}

/** TypeBox writes tuples in the draft-07 form, which 2020-12 validators refuse. */
function tuple(node: object): object {
  const names: Readonly<Record<string, string>> = { items: 'prefixItems', additionalItems: 'items' };
  const copy = rebuild(
    node,
    Object.entries(node).map(([key, value]) => [names[key] ?? key, value]),
  );
  // TypeBox would look for the items of its own form.
  Reflect.deleteProperty(copy, '~kind');
  return copy;
}

/** Every name, as TypeBox writes it: but its dot matches no line break, and members of such names would be held to nothing. */
const anyName = '^.*$';

function record(node: object): object {
  const { patternProperties, properties } = node as SchemaNode;
  const names = Object.keys(patternProperties ?? {});
  if (properties !== undefined || names.length !== 1 || names[0] !== anyName) return node;
  const others = Object.entries(node).filter(
    ([key]) => key !== 'patternProperties' && key !== 'additionalProperties',
  );
  return rebuild(node, [...others, ['additionalProperties', patternProperties?.[anyName]]]);
}

function withoutFilled(node: object): object {
  const { required, properties } = node as SchemaNode;
  if (!Array.isArray(required)) return node;
  const needed = required.filter((name: string) => !('default' in Object(properties?.[name])));
  if (needed.length === required.length) return node;
  const entries = Object.entries(node).map(
    ([key, value]) => [key, key === 'required' ? needed : value] as const,
  );
  return rebuild(node, entries);
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly patternProperties?: Readonly<Record<string, unknown>>;
  readonly required?: unknown;
}
