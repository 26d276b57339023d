import {
  enterSchema as enter,
  isSchemaObject as isNode,
  type SchemaObject as Node,
  resolveReference,
  type SchemaScope as Scope,
  type SchemaTarget as Target,
} from '@waymark/contract/schema';
import type { Schema } from './document.ts';
import { jsonText } from './json-text.ts';

/** Where a schema comes from. */
export interface Origin {
  /** A name for the schema should it refer to itself as a whole. */
  readonly name: string;
  /** The schema it is a part of, where references may start; the schema itself when absent. */
  readonly root?: object;
  /** Told of what cannot be said in the document. */
  readonly fault: (rule: string) => void;
}

/** Keywords that make sense only in a document of its own, or only in OpenAPI 3.0. */
const dropped = new Set(['$id', '$schema', '$anchor', '$dynamicAnchor', '$defs', 'definitions', 'nullable']);

/** Keywords whose values are schemas; any other value is data, whatever it looks like. */
const schemaKeywords = new Set([
  ...[
    'additionalProperties',
    'unevaluatedProperties',
    'propertyNames',
    'items',
    'unevaluatedItems',
    'contains',
  ],
  ...['contentSchema', 'not', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf', 'prefixItems'],
]);
const schemaMaps = new Set(['properties', 'patternProperties', 'dependentSchemas']);

/**
 * The schemas of a document. In a document of many, a reference cannot start from its own schema: what references
 * mean becomes a component, once for all that are alike.
 */
export class Components {
  readonly #schemas = new Map<string, Schema>();
  readonly #names = new Map<string, string>();

  /** Takes a name in advance. */
  set(name: string, schema: Schema): void {
    this.#schemas.set(name, schema);
  }

  /** A copy of a schema that may stand anywhere in the document. */
  add(schema: object, { root = schema, ...origin }: Origin): Schema {
    return this.#copy(schema, enter(schema as Node, enter(root as Node)), origin) as Schema;
  }

  /** All components, in the order in which they were first needed. */
  toSchemas(): Readonly<Record<string, Schema>> {
    return Object.fromEntries(this.#schemas);
  }

  #copy(value: unknown, scope: Scope, origin: Origin): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#copy(item, scope, origin));
    if (!isNode(value)) return value;
    const inner = enter(value, scope);
    return Object.fromEntries(
      Object.entries(value).flatMap(([keyword, held]): readonly (readonly [string, unknown])[] => {
        if (dropped.has(keyword)) return [];
        if (keyword === '$ref' || keyword === '$dynamicRef')
          return [['$ref', this.#refer(String(held), inner, origin)]];
        // `example` is OpenAPI 3.0's; validators of 2020-12 know the list.
        if (keyword === 'example') return 'examples' in value ? [] : copied('examples', [held]);
        if (schemaKeywords.has(keyword)) return [[keyword, this.#copy(held, inner, origin)]];
        if (schemaMaps.has(keyword) && isNode(held))
          return [
            [
              keyword,
              Object.fromEntries(
                Object.entries(held).map(([name, part]) => [name, this.#copy(part, inner, origin)]),
              ),
            ],
          ];
        return copied(keyword, held);
      }),
    );
  }

  #refer(reference: string, scope: Scope, origin: Origin): string {
    const target = resolveReference(reference, scope);
    if (!target) {
      origin.fault(`the reference "${reference}" points to nothing in the schema`);
      return reference;
    }
    const key = keyOf(target);
    const known = this.#names.get(key);
    if (known !== undefined) return pointerTo(known);
    const name = this.#freeName(target.name ?? origin.name);
    this.#names.set(key, name);
    // The name is taken before the copy is made: a schema may contain itself.
    this.#schemas.set(name, true);
    this.#schemas.set(name, this.#copy(target.node, target.scope, origin) as Schema);
    return pointerTo(name);
  }

  #freeName(wanted: string): string {
    const name = wanted.replace(/[^A-Za-z0-9._-]/g, '_') || 'Schema';
    for (let n = 1; ; n++) {
      const free = n === 1 ? name : `${name}_${n}`;
      if (!this.#schemas.has(free)) return free;
    }
  }
}

/** Data: the document shares nothing with the table. */
function copied(keyword: string, held: unknown): readonly (readonly [string, unknown])[] {
  if (typeof held === 'string') return [[keyword, held]];
  const text = jsonText(held);
  return text === undefined ? [] : [[keyword, JSON.parse(text)]];
}

/** Two targets are one when they read the same, and so does everything their references can mean. */
function keyOf({ name, node, scope }: Target): string {
  const text = jsonText(node) ?? '';
  const surroundings = text.includes('"$ref"') || text.includes('"$dynamicRef"') ? jsonText(scope.node) : '';
  return JSON.stringify([name, text, surroundings]);
}

function pointerTo(name: string): string {
  return `#/components/schemas/${name}`;
}
