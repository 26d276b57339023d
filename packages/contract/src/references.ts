/** A JSON Schema object, as data. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** The schemas around a place that references can start from: the root, and each with `$id` or `$defs`. */
export interface SchemaScope {
  readonly node: SchemaObject;
  readonly outer: SchemaScope | undefined;
}

/** What a reference points to. */
export interface SchemaTarget {
  /** A word for it: the key in `$defs`, the last part of a pointer; undefined for a whole root. */
  readonly name: string | undefined;
  readonly node: SchemaObject;
  readonly scope: SchemaScope;
}

/** The scope of what a schema holds. */
export function enterSchema(node: SchemaObject, outer?: SchemaScope): SchemaScope {
  if (outer === undefined) return { node, outer };
  return outer.node !== node && ('$id' in node || '$defs' in node) ? { node, outer } : outer;
}

/**
 * Finds what a `$ref` means: the root (`#`), a pointer (`#/$defs/Node`), or a definition by its bare name or `$id`, as
 * TypeBox writes it (`Node`). Anchors and other documents are not looked for.
 */
export function resolveReference(reference: string, scope: SchemaScope): SchemaTarget | undefined {
  if (!reference.startsWith('#')) return defined(reference, scope);
  const chain = [...outwards(scope)];
  const resource = chain.find(({ node }) => '$id' in node) ?? chain.at(-1);
  if (reference === '#') return resource && { name: undefined, node: resource.node, scope: resource };
  // The standard counts from the resource. A schema that became part of another one still counts from itself.
  return first([...(resource ? [resource] : []), ...chain], (from) => pointed(reference.slice(1), from));
}

function pointed(pointer: string, from: SchemaScope): SchemaTarget | undefined {
  if (!pointer.startsWith('/')) return undefined;
  const tokens = pointer.slice(1).split('/').map(decodeToken);
  let value: unknown = from.node;
  let scope = from;
  for (const token of tokens) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
    value = (value as SchemaObject)[token];
    if (isSchemaObject(value)) scope = enterSchema(value, scope);
  }
  return isSchemaObject(value) ? { name: tokens.at(-1), node: value, scope } : undefined;
}

function decodeToken(token: string): string {
  return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The nearest `$defs` that has the name as a key, or a schema with the name as its `$id`. */
function defined(name: string, scope: SchemaScope): SchemaTarget | undefined {
  return first(outwards(scope), (around) => {
    const { $defs } = around.node;
    if (!isSchemaObject($defs)) return undefined;
    const [key, node] =
      Object.entries($defs).find(
        ([key, node]) => key === name || (isSchemaObject(node) && node['$id'] === name),
      ) ?? [];
    return isSchemaObject(node) ? { name: key, node, scope: enterSchema(node, around) } : undefined;
  });
}

function* outwards(scope: SchemaScope | undefined): Generator<SchemaScope> {
  for (let around = scope; around !== undefined; around = around.outer) yield around;
}

function first<T, R>(items: Iterable<T>, find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a value can be a schema with keywords. */
export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
