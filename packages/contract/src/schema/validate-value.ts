import { Errors } from 'typebox/schema';
import type { InputError } from '../engine/http-error.ts';
import { withExactMultiples } from './exact-multiples.ts';
import { cutText, maxInputErrors } from './told-errors.ts';

/**
 * Says what is wrong with a value under a schema, TypeBox or raw JSON Schema; empty when nothing is. No value is valid
 * under a schema that cannot be read, such as one with a pattern that is none.
 *
 * It reads the schema each time: right for a model's answers, which differ in their schema as often as in their value.
 * What is checked a thousand times a second is compiled.
 */
export function validateValue(schema: object, value: unknown): readonly InputError[] {
  const [valid, errors] = findErrors(schema, value);
  if (valid) return [];
  const told = errors
    .slice(0, maxInputErrors)
    .map(({ instancePath, message }) => ({ path: cutText(instancePath), message }));
  return told.length > 0 ? told : [{ path: '', message: 'is not valid' }];
}

function findErrors(schema: object, value: unknown): ReturnType<typeof Errors> {
  try {
    return Errors(withExactMultiples(schema), value);
  } catch {
    return [false, []];
  }
}
