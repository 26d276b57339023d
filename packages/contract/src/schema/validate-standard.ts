import type { InputError } from '../engine/http-error.ts';
import { askLibrary } from './ask-library.ts';
import type { StandardIssue, StandardResult, StandardSchema } from './standard-schema.ts';
import { toPointer } from './to-pointer.ts';
import { cutText, maxInputErrors } from './told-errors.ts';

/** The value as a library makes it, or what is wrong with it in the words of our own errors. */
export type StandardReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly errors: readonly InputError[] };

/**
 * Asks a library about a value. A promise only where the library gives one.
 *
 * @param at stands before the paths of errors: `/order`
 * @throws whatever the code inside of the schema throws
 */
export function validateStandard(
  schema: StandardSchema,
  value: unknown,
  at = '',
): StandardReading | Promise<StandardReading> {
  const result = askLibrary(schema, value);
  // Some libraries have promises of their own.
  return isThenable(result)
    ? Promise.resolve(result).then((later) => toReading(later, at))
    : toReading(result, at);
}

function isThenable(value: unknown): value is Promise<StandardResult<unknown>> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function toReading(result: StandardResult<unknown>, at: string): StandardReading {
  const { issues } = result;
  if (!issues) return { ok: true, value: result.value };
  const errors: InputError[] = [];
  // One by one: a long list may have as many issues as items, and some libraries' lists copy themselves.
  for (let i = 0; i < issues.length && i < maxInputErrors; i++) {
    const issue = issues[i];
    if (issue) errors.push(toInputError(issue, at));
  }
  return { ok: false, errors: errors.length > 0 ? errors : [{ path: at, message: 'is not valid' }] };
}

function toInputError(issue: StandardIssue, at: string): InputError {
  const { path = [] } = issue;
  // Into a plain list: the paths of some libraries are lists of their own.
  const tokens = Array.from(path, (one) => `/${toPointer(String(typeof one === 'object' ? one.key : one))}`);
  return { path: cutText(at + tokens.join('')), message: cutText(wordsOf(issue).replaceAll(/\s+/g, ' ')) };
}

/** What is refused stays refused where a library finds no words for it: some make them only now, and may fail to. */
function wordsOf(issue: StandardIssue): string {
  try {
    return String(issue.message);
  } catch {
    return 'is not valid';
  }
}
