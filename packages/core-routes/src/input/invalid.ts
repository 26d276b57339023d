import { HTTPError } from '@waymark/contract';
import { type InputError, toDetail } from '@waymark/contract/engine';

/** The refusal of input that is well formed and not valid. */
export function invalid(errors: readonly InputError[]): HTTPError {
  return new HTTPError(422, toDetail(errors), { errors });
}
