import { HTTPError, type InputError } from '../engine/http-error.ts';
import { toDetail } from '../engine/message.ts';
import { cutText, maxInputErrors } from '../schema/told-errors.ts';

/**
 * Refuses (422) input that is well formed and not valid. It tells the first few errors; paths, which hold the names that a
 * caller sent, are cut.
 */
export function invalidInput(errors: readonly InputError[]): HTTPError {
  const told = errors.slice(0, maxInputErrors).map(({ path, message }) => ({ path: cutText(path), message }));
  return new HTTPError(422, toDetail(told), { errors: told });
}
