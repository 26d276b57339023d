import { Refusal, type RefusalMembers } from '../reply/refusal.ts';

/** An `invalid_request_error` of Chat Completions. */
export function refuse(message: string, param?: string, code?: string): Refusal {
  return new Refusal({ status: 400, message, param, code });
}

/** The error types of Chat Completions by status. */
export function errorType({ status, type, code }: RefusalMembers): string {
  if (type !== undefined) return type;
  if (code === 'insufficient_quota') return 'insufficient_quota';
  if (status === 429) return 'requests';
  if (status >= 500) return 'server_error';
  return 'invalid_request_error';
}
