/** A JSON Schema object, as data. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** The schemas around a place that references can start from: the root, and each with `$id` or `$defs`. */
export interface SchemaScope {
  readonly node: SchemaObject;
  readonly outer: SchemaScope | undefined;
}

/** The schema that a reference points to. */
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
 * Finds what a `$ref` or `$dynamicRef` means: the root (`#`), a pointer (`#/$defs/Node`), an anchor of the root or of a
 * definition (`#node`), or a definition by its bare name or `$id`, as TypeBox writes it (`Node`). The `$id` of a schema
 * around it may stand before the `#`. Other documents are not looked for.
 */
export function resolveReference(reference: string, scope: SchemaScope): SchemaTarget | undefined {
  const [document = '', ...rest] = reference.split('#');
  const fragment = rest.join('#');
  if (document !== '') return ofDocument(document, fragment, reference, scope);
  // Beyond a schema with an `$id` nothing is looked for: no validator does.
  const chain = [...upToResource(scope)];
  const resource = chain.at(-1);
  if (fragment === '') return resource && { name: undefined, node: resource.node, scope: resource };
  // The standard counts from the resource. A schema that became part of another one still counts from itself.
  return first([...(resource ? [resource] : []), ...chain], (from) => within(from, fragment));
}

function ofDocument(
  document: string,
  fragment: string,
  reference: string,
  scope: SchemaScope,
): SchemaTarget | undefined {
  const known = defined(reference, scope);
  if (known) return known;
  const from = first(outwards(scope), (around) => (around.node['$id'] === document ? around : undefined));
  if (!from || fragment !== '') return from && within(from, fragment);
  return { name: undefined, node: from.node, scope: from };
}

/** What a fragment, which is not empty, means in a schema. */
function within(from: SchemaScope, fragment: string): SchemaTarget | undefined {
  return fragment.startsWith('/') ? pointed(fragment, from) : anchored(fragment, from);
}

function anchored(anchor: string, from: SchemaScope): SchemaTarget | undefined {
  const { $defs } = from.node;
  const nodes = [from.node, ...(isSchemaObject($defs) ? Object.values($defs) : [])];
  const node = nodes
    .filter(isSchemaObject)
    .find(({ $anchor, $dynamicAnchor }) => $anchor === anchor || $dynamicAnchor === anchor);
  return node && { name: anchor, node, scope: enterSchema(node, from) };
}

function pointed(pointer: string, from: SchemaScope): SchemaTarget | undefined {
  const tokens = pointer.slice(1).split('/').map(decodeToken);
  let value: unknown = from.node;
  let scope = from;
  for (const token of tokens) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (token === undefined || !Object.hasOwn(value, token)) return undefined;
    value = (value as SchemaObject)[token];
    if (isSchemaObject(value)) scope = enterSchema(value, scope);
  }
  return isSchemaObject(value) ? { name: tokens.at(-1), node: value, scope } : undefined;
}

/** @returns undefined for percent-encoding that is none: no validator finds anything there */
function decodeToken(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
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

function* upToResource(scope: SchemaScope): Generator<SchemaScope> {
  for (const around of outwards(scope)) {
    yield around;
    if ('$id' in around.node) return;
  }
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

/** Says whether a value can be a schema with keywords. */
export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
