import { isSchemaObject, type SchemaObject } from '@waymark/contract/schema';

/** A schema without `null`, which no text of a path or query stands for: a parameter is left out instead. */
export function withoutNull(schema: object): object {
  if (!isSchemaObject(schema)) return schema;
  const { type, enum: values, items, default: fallback, ...others } = schema;
  const branches = (['anyOf', 'oneOf'] as const).find((keyword) => Array.isArray(schema[keyword]));
  const rest: SchemaObject = {
    ...(type !== undefined && { type: typeWithoutNull(type) }),
    ...(values !== undefined && {
      enum: Array.isArray(values) ? values.filter((one) => one !== null) : values,
    }),
    ...(items !== undefined && { items: isSchemaObject(items) ? withoutNull(items) : items }),
    ...(fallback !== undefined && fallback !== null && { default: fallback }),
    ...others,
  };
  if (!branches) return rest;
  const { [branches]: all, ...around } = rest;
  const left = (all as readonly object[]).filter((one) => !isNull(one)).map(withoutNull);
  return left.length === 1 ? { ...left[0], ...around } : { ...around, [branches]: left };
}

function typeWithoutNull(type: unknown): unknown {
  if (!Array.isArray(type)) return type;
  const types: readonly unknown[] = type.filter((one) => one !== 'null');
  return types.length === 1 ? types[0] : types;
}

function isNull(schema: object): boolean {
  return isSchemaObject(schema) && (schema['type'] === 'null' || schema['const'] === null);
}
