import {
  enterSchema,
  isSchemaObject,
  resolveReference,
  type SchemaObject,
  type SchemaScope,
} from '@waymark/contract/schema';

/** Keywords whose values are schemas; any other value is data, whatever it looks like. */
const schemaKeywords: ReadonlySet<string> = new Set([
  ...['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'],
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems', 'unevaluatedItems', 'unevaluatedProperties'],
]);
const schemaMaps: ReadonlySet<string> = new Set(['dependentSchemas', 'patternProperties', 'properties']);

/**
 * A schema as clients can read it: TypeBox names what refers to itself (`$ref: 'Node'`), and clients only follow
 * references from the root (`$ref: '#/$defs/Node'`). A schema without such names is returned as it is.
 */
export function toToolSchema(schema: object): object {
  const definitions = new Definitions(schema as SchemaObject);
  const { $ref, ...rest } = definitions.root as { readonly $ref?: string };
  if (!definitions.foundNames) return schema;
  const $defs = definitions.toObject();
  // Clients look for `type: "object"` at the root, not behind a reference.
  const root = $ref === undefined ? definitions.root : { ...definitions.at($ref), ...rest };
  return { ...root, ...(Object.keys($defs).length > 0 && { $defs }) };
}

/** A copy of a schema in which everything that is referred to stands in one place. */
class Definitions {
  readonly root: object;
  /** Whether something was referred to by its bare name. */
  foundNames = false;
  readonly #references = new Map<SchemaObject, string>();
  readonly #definitions = new Map<string, object>();

  constructor(schema: SchemaObject) {
    this.root = this.#copy(schema, enterSchema(schema));
  }

  /** @param reference one that this copy has */
  at(reference: string): object | undefined {
    return this.#definitions.get(reference.slice(referencePrefix.length));
  }

  toObject(): Readonly<Record<string, object>> {
    return Object.fromEntries(this.#definitions);
  }

  #copy(node: SchemaObject, scope: SchemaScope): object {
    const inner = enterSchema(node, scope);
    return Object.fromEntries(
      Object.entries(node)
        .filter(([keyword]) => keyword !== '$id' && keyword !== '$defs')
        .map(([keyword, value]) => [keyword, this.#copyValue(keyword, value, inner)]),
    );
  }

  #copyValue(keyword: string, value: unknown, scope: SchemaScope): unknown {
    if (keyword === '$ref' && typeof value === 'string') return this.#refer(value, scope);
    const copy = (part: unknown): unknown => (isSchemaObject(part) ? this.#copy(part, scope) : part);
    if (schemaMaps.has(keyword) && isSchemaObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copy(part)]));
    if (!schemaKeywords.has(keyword)) return value;
    return Array.isArray(value) ? value.map(copy) : copy(value);
  }

  #refer(reference: string, scope: SchemaScope): string {
    const target = resolveReference(reference, scope);
    // It points to another document, or to nothing.
    if (!target) return reference;
    if (!reference.startsWith('#')) this.foundNames = true;
    const known = this.#references.get(target.node);
    if (known !== undefined) return known;
    const name = this.#free(target.name ?? 'Schema');
    const named = referencePrefix + name;
    this.#references.set(target.node, named);
    // Taken before it is copied: it may refer to itself.
    this.#definitions.set(name, {});
    this.#definitions.set(name, this.#copy(target.node, target.scope));
    return named;
  }

  /** A name that nothing else has, and that needs no escaping in a reference. */
  #free(wanted: string): string {
    const plain = wanted.replaceAll(/[^A-Za-z0-9_.-]/g, '_');
    for (let i = 1; ; i++) {
      const name = i === 1 ? plain : `${plain}_${i}`;
      if (!this.#definitions.has(name)) return name;
    }
  }
}

const referencePrefix = '#/$defs/';
