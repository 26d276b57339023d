/** A JSON Schema object, as data. */
export type Node = Readonly<Record<string, unknown>>;

/** The schemas around a place that references can start from: the root, and each with `$id` or `$defs`. */
export interface Scope {
  readonly node: Node;
  readonly outer: Scope | undefined;
}

/** What a reference points to. */
export interface Target {
  /** A word for it: the key in `$defs`, the last part of a pointer; undefined for a whole root. */
  readonly name: string | undefined;
  readonly node: Node;
  readonly scope: Scope;
}

/** The scope of what a schema holds. */
export function enter(node: Node, outer?: Scope): Scope {
  if (outer === undefined) return { node, outer };
  return outer.node !== node && ('$id' in node || '$defs' in node) ? { node, outer } : outer;
}

/**
 * Finds what a `$ref` means: the root (`#`), a pointer (`#/$defs/Node`), or a definition by its bare name or `$id`, as
 * TypeBox writes it (`Node`). Anchors and other documents are not looked for.
 */
export function resolveReference(reference: string, scope: Scope): Target | undefined {
  if (!reference.startsWith('#')) return defined(reference, scope);
  const chain = [...outwards(scope)];
  const resource = chain.find(({ node }) => '$id' in node) ?? chain.at(-1);
  if (reference === '#') return resource && { name: undefined, node: resource.node, scope: resource };
  // The standard counts from the resource. A schema that became part of another one still counts from itself.
  return first([...(resource ? [resource] : []), ...chain], (from) => pointed(reference.slice(1), from));
}

function pointed(pointer: string, from: Scope): Target | undefined {
  if (!pointer.startsWith('/')) return undefined;
  const tokens = pointer.slice(1).split('/').map(decodeToken);
  let value: unknown = from.node;
  let scope = from;
  for (const token of tokens) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
    value = (value as Node)[token];
    if (isNode(value)) scope = enter(value, scope);
  }
  return isNode(value) ? { name: tokens.at(-1), node: value, scope } : undefined;
}

function decodeToken(token: string): string {
  return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The nearest `$defs` that has the name as a key, or a schema with the name as its `$id`. */
function defined(name: string, scope: Scope): Target | undefined {
  return first(outwards(scope), (around) => {
    const { $defs } = around.node;
    if (!isNode($defs)) return undefined;
    const [key, node] =
      Object.entries($defs).find(([key, node]) => key === name || (isNode(node) && node['$id'] === name)) ??
      [];
    return isNode(node) ? { name: key, node, scope: enter(node, around) } : undefined;
  });
}

function* outwards(scope: Scope | undefined): Generator<Scope> {
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
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
