import type { InputError } from '@waymark/contract/engine';
import { compileSchema, type Validator } from './validator.ts';

/** Number of values from which a body counts as large. */
const maxValues = 5_000;

/** What is wrong with a large value under its description; empty for others, and where nothing is. */
export type RefuseLarge = (value: unknown) => readonly InputError[];

/**
 * Libraries go on after the first fault and keep all they find: 2 to 16 s and hundreds of megabytes for a list of 1 MiB
 * with nothing but faults. A compiled JSON Schema stops at the first, so it is asked before where a value is large.
 */
export function createRefuseLarge(schema: object): RefuseLarge {
  let validator: Validator | undefined;
  return (value) => {
    if (!isLarge(value)) return [];
    validator ??= compileDescription(schema);
    return validator.check(value) ? [] : validator.errors(value);
  };
}

/** A library may describe what only it can read, such as a pattern of its own: then it alone decides. */
function compileDescription(schema: object): Validator {
  try {
    return compileSchema(schema);
  } catch {
    return { check: () => true, errors: () => [] };
  }
}

function isLarge(value: unknown): boolean {
  let left = maxValues;
  const reaches = (one: unknown): boolean => {
    if (typeof one !== 'object' || one === null) return false;
    const inner: readonly unknown[] = Array.isArray(one) ? one : Object.values(one);
    left -= inner.length;
    return left < 0 || inner.some(reaches);
  };
  return reaches(value);
}
