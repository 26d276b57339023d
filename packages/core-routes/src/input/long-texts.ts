import type { InputError } from '@waymark/contract/engine';
import { mapSchemas, type SchemaObject } from '@waymark/contract/schema';
import { compileSchema, type Validator } from './validator.ts';

/** Characters of a text that a library is always given: it has better words for what is too long. */
const leastRefused = 256;

/** What of a value is too long for the pattern that it has to match; empty where nothing is. */
export type RefuseLong = (value: unknown) => readonly InputError[];

/**
 * Libraries try a pattern on a text that is too long for it, which takes seconds. So lengths are asked for before, by the
 * description of the schema, and nothing else of it: in all other ways the library knows better.
 */
export function createRefuseLong(schema: object): RefuseLong {
  const text = JSON.stringify(schema);
  if (!text.includes('"pattern') && !text.includes('"format"')) return () => [];
  let validator: Validator | undefined;
  return (value) => {
    validator ??= compileSchema(mapSchemas(schema as SchemaObject, lengthsOnly));
    return validator.check(value) ? [] : validator.errors(value);
  };
}

/** Keywords that lead to the texts inside of a value. */
const leading = [
  '$defs',
  '$ref',
  'additionalProperties',
  'allOf',
  'anyOf',
  'items',
  'prefixItems',
  'properties',
];

function lengthsOnly(node: SchemaObject): SchemaObject {
  const { pattern, format, maxLength, oneOf, propertyNames } = node;
  const kept = leading.filter((keyword) => typeof node[keyword] !== 'boolean' && node[keyword] !== undefined);
  const isMatched = typeof pattern === 'string' || typeof format === 'string';
  return {
    ...Object.fromEntries(kept.map((keyword) => [keyword, node[keyword]])),
    ...(Array.isArray(oneOf) && { anyOf: oneOf }),
    ...(typeof propertyNames === 'object' && { propertyNames }),
    ...(isMatched && typeof maxLength === 'number' && { maxLength: Math.max(maxLength, leastRefused) }),
  };
}
