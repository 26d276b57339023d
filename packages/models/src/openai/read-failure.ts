import { isObject, textOf } from '../json.ts';
import { type FailureSigns, tellsOfWindow } from '../wire/failure-signs.ts';

/** Statuses of errors in a stream, by type or code; compatible servers write the status itself as the code. */
const statuses: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['BadRequestError', 400],
  ['authentication_error', 401],
  ['insufficient_quota', 429],
  ['rate_limit_exceeded', 429],
  ['requests', 429],
  ['tokens', 429],
  ['server_error', 500],
]);

/** Reads `{ error: { message, type, code } }`, and the plainer forms of compatible servers. */
export function readFailure(body: unknown): FailureSigns {
  const whole = isObject(body) ? body : {};
  const error = isObject(whole['error']) ? whole['error'] : whole;
  const message = textOf(error['message']) ?? textOf(whole['error']) ?? textOf(whole['detail']) ?? '';
  const [type, code] = [String(error['type']), String(error['code'])];
  const isQuota = [type, code].includes('insufficient_quota');
  const isWindow = code === 'context_length_exceeded' || tellsOfWindow(message);
  const given = Number(error['code']);
  return {
    message,
    reason: isQuota ? 'quota' : isWindow ? 'context_window' : undefined,
    status: statuses.get(code) ?? statuses.get(type) ?? (given >= 400 && given <= 599 ? given : 500),
  };
}
