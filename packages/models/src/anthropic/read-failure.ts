import { isObject, textOf } from '../json.ts';
import { type FailureSigns, tellsOfWindow } from '../wire/failure-signs.ts';

const statuses: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['timeout_error', 504],
  ['conflict_error', 409],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['overloaded_error', 529],
]);

/** Reads `{ type: 'error', error: { type, message } }`. */
export function readFailure(body: unknown): FailureSigns {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
  const message = textOf(error['message']) ?? '';
  const type = String(error['type']);
  return {
    message,
    reason: type === 'billing_error' ? 'quota' : tellsOfWindow(message) ? 'context_window' : undefined,
    status: statuses.get(type) ?? 500,
  };
}
