import { jsonTypes } from './keyword-forms.ts';
import {
  enterSchema,
  isSchemaObject,
  resolveReference,
  type SchemaObject,
  type SchemaScope,
} from './references.ts';

/** What the values of a schema can be, as far as its types, values, choices and references say. */
export interface SchemaValues {
  /** The types they can have, where `number` comes with `integer`; none where nothing is a value. */
  readonly types: ReadonlySet<(typeof jsonTypes)[number]>;
  /** The schema says nothing of types: these are all there are. */
  readonly open: boolean;
  /** The only texts among the values; undefined for any text. */
  readonly words: ReadonlySet<string> | undefined;
  /** How many of the first items of a list are described one by one. */
  readonly ownItems: number;
  /** What the item of a list can be at an index; from `ownItems` on all are alike. */
  readonly itemAt: (index: number) => SchemaValues;
}

/**
 * Reads what the values of a schema can be, for everybody who has to know before there is a value: how a text is read,
 * what can be written in a path or query, how that is described. References are followed, `allOf` and what stands
 * beside a reference hold together, `anyOf` and `oneOf` are choices. Lengths, ranges, patterns, `if` and `not` (but of
 * everything) are left to validation: some of the values may be refused.
 *
 * @param outer the schemas around it, where references may start; none when it stands alone
 */
export function valuesOf(schema: unknown, outer?: SchemaScope): SchemaValues {
  return new ValuesReader().read(schema, outer) ?? everything;
}

const everything: SchemaValues = {
  types: new Set(jsonTypes),
  open: true,
  words: undefined,
  ownItems: 0,
  itemAt: () => everything,
};

const nothing: SchemaValues = {
  types: new Set(),
  open: false,
  words: new Set(),
  ownItems: 0,
  itemAt: () => nothing,
};

/** Schemas in schemas, by references and choices, and how many of them are looked at: nobody writes more. */
const maxDepth = 500;
const maxParts = 30_000;

/** What a schema was read as, and the schema around it. */
interface Known {
  readonly around: SchemaObject | undefined;
  readonly values: SchemaValues | undefined;
}

class ValuesReader {
  #parts = 0;
  /** How often something was not read to its end. */
  #cuts = 0;
  /** What is being read. */
  readonly #open = new Set<SchemaObject>();
  /** Definitions may be referred to many times over. */
  readonly #known = new Map<SchemaObject, Known>();

  /** @returns undefined for a schema that is being read already: what it refers to itself for adds nothing to it */
  read(schema: unknown, outer: SchemaScope | undefined): SchemaValues | undefined {
    if (schema === false) return nothing;
    if (!isSchemaObject(schema)) return everything;
    const known = this.#known.get(schema);
    if (known && known.around === outer?.node) return known.values;
    if (this.#open.has(schema) || this.#open.size >= maxDepth || ++this.#parts > maxParts) {
      this.#cuts++;
      return this.#open.has(schema) ? undefined : everything;
    }
    const cutsBefore = this.#cuts;
    this.#open.add(schema);
    const values = this.#readKeywords(schema, enterSchema(schema, outer));
    this.#open.delete(schema);
    // Read inside of itself it would be another: only what was read to its end is that everywhere.
    if (this.#cuts === cutsBefore) this.#known.set(schema, { around: outer?.node, values });
    return values;
  }

  #readKeywords(schema: SchemaObject, scope: SchemaScope): SchemaValues | undefined {
    const { allOf, anyOf, oneOf, $ref, $dynamicRef } = schema;
    const parts = [
      ...ownValues(schema, scope),
      ...[$ref, $dynamicRef].filter((one) => typeof one === 'string').map((one) => this.#follow(one, scope)),
      ...(Array.isArray(allOf) ? allOf.map((one) => this.read(one, scope)) : []),
      ...[anyOf, oneOf].filter(Array.isArray).map((choices) => this.#choose(choices, scope)),
    ];
    const said = parts.filter((part) => part !== undefined).filter((part) => part !== everything);
    if (said.length > 0) return bothOf(said);
    return parts.includes(undefined) ? undefined : everything;
  }

  #follow(reference: string, scope: SchemaScope): SchemaValues | undefined {
    const target = resolveReference(reference, scope);
    return target ? this.read(target.node, target.scope) : everything;
  }

  #choose(choices: readonly unknown[], scope: SchemaScope): SchemaValues | undefined {
    const read = choices.map((one) => this.read(one, scope)).filter((one) => one !== undefined);
    return read.length === 0 ? undefined : eitherOf(read);
  }
}

/** What the keywords say that need no other schema, or only those of items. */
function ownValues(schema: SchemaObject, scope: SchemaScope): readonly SchemaValues[] {
  const { type, enum: values, not, items, prefixItems } = schema;
  return [
    ...(type === undefined ? [] : [ofTypes([type].flat())]),
    ...('const' in schema ? [ofLiterals([schema['const']])] : []),
    ...(Array.isArray(values) && values.length > 0 ? [ofLiterals(values)] : []),
    ...(not === true || (isSchemaObject(not) && Object.keys(not).length === 0) ? [nothing] : []),
    ...(items === undefined && prefixItems === undefined ? [] : [ofItems(schema, scope)]),
  ];
}

function ofTypes(given: readonly unknown[]): SchemaValues {
  const types = new Set(jsonTypes.filter((one) => given.includes(one)));
  // A type that JSON lacks is told as such.
  if (types.size === 0 || given.some((one) => !jsonTypes.some((known) => known === one))) return everything;
  if (types.has('number')) types.add('integer');
  const words = types.has('string') ? undefined : nothing.words;
  return {
    types,
    open: false,
    words,
    ownItems: 0,
    itemAt: (types.has('array') ? everything : nothing).itemAt,
  };
}

function ofLiterals(values: readonly unknown[]): SchemaValues {
  const lists = values.filter((one): one is readonly unknown[] => Array.isArray(one));
  return {
    types: new Set(values.flatMap(typesOfLiteral)),
    open: false,
    words: new Set(values.filter((one) => typeof one === 'string')),
    ownItems: Math.max(0, ...lists.map(({ length }) => length)),
    itemAt: (index) => ofLiterals(lists.flatMap((list) => list.slice(index, index + 1))),
  };
}

function typesOfLiteral(value: unknown): readonly (typeof jsonTypes)[number][] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return jsonTypes.filter((one) => one === typeof value);
}

/** Keywords of lists alone let everything else pass. TypeBox writes tuples as lists of `items`. */
function ofItems({ prefixItems, items, additionalItems }: SchemaObject, scope: SchemaScope): SchemaValues {
  const [first, rest]: readonly [unknown, unknown] = Array.isArray(items)
    ? [items, additionalItems]
    : [prefixItems, items];
  const own: readonly unknown[] = Array.isArray(first) ? first : [];
  return {
    ...everything,
    ownItems: own.length,
    itemAt: (index) => valuesOf(index < own.length ? own[index] : rest, scope),
  };
}

function bothOf(parts: readonly SchemaValues[]): SchemaValues {
  const [only, ...others] = parts;
  if (only && others.length === 0) return only;
  const lists = parts.flatMap(({ words }) => (words === undefined ? [] : [words]));
  const words =
    lists.length === 0
      ? undefined
      : new Set([...(lists[0] ?? [])].filter((word) => lists.every((one) => one.has(word))));
  return {
    types: new Set(
      jsonTypes.filter(
        (type) => parts.every(({ types }) => types.has(type)) && (type !== 'string' || words?.size !== 0),
      ),
    ),
    open: parts.every(({ open }) => open),
    words,
    ownItems: Math.max(...parts.map(({ ownItems }) => ownItems)),
    itemAt: (index) => bothOf(parts.map((part) => part.itemAt(index))),
  };
}

function eitherOf(parts: readonly SchemaValues[]): SchemaValues {
  const lists = parts.filter(({ types }) => types.has('array'));
  return {
    types: new Set(jsonTypes.filter((type) => parts.some(({ types }) => types.has(type)))),
    open: parts.some(({ open }) => open),
    words: parts.some(({ words }) => words === undefined)
      ? undefined
      : new Set(parts.flatMap(({ words }) => [...(words ?? [])])),
    ownItems: Math.max(0, ...lists.map(({ ownItems }) => ownItems)),
    itemAt: (index) => eitherOf(lists.map((list) => list.itemAt(index))),
  };
}
