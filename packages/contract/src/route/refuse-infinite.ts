import { toPointer } from '../schema/to-pointer.ts';
import { invalidInput } from './invalid-input.ts';

/**
 * Refuses a value that JSON was read as and cannot be written as again: `1e400` is read as infinite, and written as null. So
 * is, where `markUnkept` has seen the text, a whole number that would have been rounded.
 *
 * @param at where the value stands, as a JSON pointer
 * @throws {HTTPError} 422 naming the first such number
 */
export function refuseInfinite(value: unknown, at = ''): void {
  const path = infiniteAt(value);
  if (path === undefined) return;
  throw invalidInput([{ path: at + path, message: unkeptRule }]);
}

/** What numbers have to be. */
const unkeptRule =
  'must be a number that JavaScript keeps, such as whole ones up to 2^53 (a string keeps more)';

/** A path is put together on the way back: nearly all values have none. */
function infiniteAt(value: unknown): string | undefined {
  if (typeof value === 'number') return Math.abs(value) === Number.POSITIVE_INFINITY ? '' : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const name of Object.keys(value)) {
    const path = infiniteAt((value as Readonly<Record<string, unknown>>)[name]);
    if (path !== undefined) return `/${toPointer(name)}${path}`;
  }
  return undefined;
}
