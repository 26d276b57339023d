import { HTTPError, type Json } from '@waymark/contract';
import type { InputError } from '@waymark/contract/engine';
import { BudgetExhausted } from '@waymark/contract/runs';
import type { RunError } from '@waymark/contract/stores';

/** The code of failures that say nothing to a caller. */
export const internal = 'internal';

/** An error as the journal keeps it: what is thrown is always built from this, the first time too. */
export function toStoredError(error: unknown): Json {
  if (error instanceof HTTPError) {
    const { status, message, headers, members } = error;
    const { code, errors, run } = members;
    return {
      name: error.name,
      message,
      status,
      ...(code !== undefined && { code }),
      ...(errors && { errors: errors.map(({ path, message }) => ({ path, message })) }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(run !== undefined && { run }),
    };
  }
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}

/** The error that `toStoredError` kept. */
export function fromStoredError(value: Json): Error {
  // Written by `toStoredError` alone.
  const { name, message, status, code, errors, headers, run } = value as unknown as StoredError;
  if (name === 'BudgetExhausted') return new BudgetExhausted(message);
  if (status !== undefined)
    return new HTTPError(status, message, {
      ...(code !== undefined && { code }),
      ...(errors && { errors }),
      ...(headers && { headers }),
      ...(run !== undefined && { run }),
    });
  const error = new Error(message);
  error.name = name;
  return error;
}

/** Makes the error of a run as its row keeps it. What was not written for a caller stays in the log. */
export function toRunError(error: unknown): RunError {
  if (!(error instanceof HTTPError) || !(error.status >= 400 && error.status <= 599)) return unknownError;
  const { status, message, headers, members } = error;
  const known = {
    code: members.code ?? codeOf(status),
    message,
    status,
    ...(members.errors && { errors: members.errors }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
  return isStorable(known) ? known : unknownError;
}

const unknownError: RunError = { code: internal, message: 'internal error', status: 500 };

/** Code may throw anything in the members of an error; a run whose end cannot be written would never end. */
function isStorable(error: RunError): boolean {
  try {
    JSON.stringify(error);
    return true;
  } catch {
    return false;
  }
}

function codeOf(status: number): string {
  if (status === 504) return 'timeout';
  if (status === 502) return 'provider';
  return status === 500 ? internal : 'refused';
}

/** The members that `toStoredError` writes. */
interface StoredError {
  readonly name: string;
  readonly message: string;
  readonly status?: number;
  readonly code?: string;
  readonly errors?: readonly InputError[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly run?: Json;
}
