import {
  enterSchema,
  isSchemaObject,
  resolveReference,
  type SchemaObject,
  type SchemaScope,
} from '@waymark/contract/schema';

/** Whether a schema says that its value may be `null`: by its types and values, in its choices, and by reference. */
export function takesNull(
  schema: SchemaObject,
  outer: SchemaScope,
  seen: ReadonlySet<unknown> = new Set(),
): boolean {
  if (seen.has(schema)) return false;
  const scope = enterSchema(schema, outer);
  const { type, const: constant, enum: values, anyOf, oneOf, $ref } = schema;
  if ([type].flat().includes('null') || constant === null) return true;
  if (Array.isArray(values) && values.includes(null)) return true;
  const inner = new Set([...seen, schema]);
  const choices: readonly unknown[] = [anyOf, oneOf].filter(Array.isArray).flat();
  if (choices.some((one) => isSchemaObject(one) && takesNull(one, scope, inner))) return true;
  const target = typeof $ref === 'string' ? resolveReference($ref, scope) : undefined;
  return target !== undefined && takesNull(target.node, target.scope, inner);
}
