import { isSchemaObject as isNode, type SchemaObject as Node } from '@waymark/contract/schema';

/** A member of an object that has a name. */
export interface NamedMember {
  readonly name: string;
  readonly schema: unknown;
  readonly required: boolean;
  /** Whether `properties` has it, so that its schema is of no other. */
  readonly own: boolean;
}

/** What a schema says of the members of an object. */
export interface ObjectMembers {
  readonly named: readonly NamedMember[];
  /** The schemas of members by any other name. */
  readonly others: readonly unknown[];
  /** Whether every named member has one of these schemas, too. */
  readonly alike: boolean;
}

/**
 * Reads the keywords about members together. A name that is only required, or is one of the few that there may be, has
 * the schemas that members without a name have.
 *
 * @param propertyNames the schema of the names; a reference is followed
 */
export function toObjectMembers(schema: Node, propertyNames: unknown): ObjectMembers {
  const properties = isNode(schema['properties']) ? schema['properties'] : {};
  const required = new Set(
    Array.isArray(schema['required']) ? (schema['required'] as readonly string[]) : [],
  );
  const bound = textsOf(propertyNames);
  const others = bound ? [] : othersOf(schema);
  const named = [...new Set([...Object.keys(properties), ...required, ...(bound ?? [])])].map((name) => {
    const own = Object.hasOwn(properties, name);
    const one = own ? properties[name] : schemaOfOther(name, schema);
    return { name, schema: one, required: required.has(name), own };
  });
  return { named, others, alike: named.every((one) => !one.own && one.schema !== undefined) };
}

/** The schemas of members that `properties` does not name. */
function othersOf({ additionalProperties, patternProperties }: Node): readonly unknown[] {
  return [
    ...(isNode(patternProperties) ? Object.values(patternProperties) : []),
    ...(additionalProperties === undefined || additionalProperties === false ? [] : [additionalProperties]),
  ];
}

/** The schema of a name that `properties` does not have; undefined where none is said. */
function schemaOfOther(name: string, { additionalProperties, patternProperties }: Node): unknown {
  const fitting = Object.entries(isNode(patternProperties) ? patternProperties : {})
    .filter(([pattern]) => new RegExp(pattern, 'u').test(name))
    .map(([, schema]) => schema);
  if (fitting.length === 0) return additionalProperties;
  return fitting.length === 1 ? fitting[0] : { allOf: fitting };
}

/** The only texts that a schema allows; undefined where there may be others. */
function textsOf(schema: unknown): readonly string[] | undefined {
  if (!isNode(schema)) return undefined;
  const { const: constant, enum: values = 'const' in schema ? [constant] : undefined, anyOf, oneOf } = schema;
  if (Array.isArray(values)) return values.filter((value) => typeof value === 'string');
  const choices: unknown = anyOf ?? oneOf;
  if (!Array.isArray(choices)) return undefined;
  const texts = choices.map(textsOf);
  return texts.every((some) => some !== undefined) ? texts.flat() : undefined;
}
