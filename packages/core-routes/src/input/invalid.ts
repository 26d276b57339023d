import { HTTPError, type InputError, toDetail } from '@waymark/contract';

/** The refusal of input that is well formed and not valid. */
export function invalid(errors: readonly InputError[]): HTTPError {
  return new HTTPError(422, toDetail(errors), { errors });
}
