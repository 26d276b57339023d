import { Refusal, type RefusalMembers } from '../reply/refusal.ts';

/** An `invalid_request_error` of Messages. */
export function refuse(message: string): Refusal {
  return new Refusal({ status: 400, message });
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** The error types of Messages by status. */
export function errorType({ status, type }: RefusalMembers): string {
  return type ?? types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}
