import type { Failure } from '../script/directive.ts';
import type { RefusalMembers } from './refusal.ts';

/** The failure that an attempt meets; undefined once all have happened as often as they should. */
export function failureFor(failures: readonly Failure[], attempt: number): Failure | undefined {
  let left = attempt;
  for (const failure of failures) {
    if (left <= failure.times) return failure;
    left -= failure.times;
  }
  return undefined;
}

const messages: Readonly<Record<number, string>> = {
  401: 'The key was refused.',
  403: 'The key may not do this.',
  404: 'There is no such thing.',
  408: 'The request took too long.',
  409: 'Something else is going on.',
  413: 'The request is too large.',
  429: 'Rate limit reached, try again later.',
  500: 'Internal server error',
  503: 'The service is not available.',
  529: 'Overloaded',
};

/** The error that `[[error …]]` asks for. */
export function toRefusal(failure: Failure & { readonly kind: 'error' }): RefusalMembers {
  const { status, type, code, headers } = failure;
  const message = failure.message ?? messages[status] ?? `Error ${status}`;
  return {
    status,
    message,
    type,
    code: code ?? (status === 429 ? 'rate_limit_exceeded' : undefined),
    headers,
  };
}

/** What a broken server sends with status 200. */
export function malformed(content: string | readonly string[], form: 'json' | 'html' | 'empty' | 'shape') {
  if (form === 'html') return '<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>';
  if (form === 'empty') return '';
  if (form === 'shape') return typeof content === 'string' ? '{"answer": 42}' : ['data: {"answer": 42}\n\n'];
  if (typeof content === 'string') return content.slice(0, Math.floor(content.length / 2));
  const half = Math.floor(content.length / 2);
  const torn = content[half] ?? '';
  return [...content.slice(0, half), `${torn.slice(0, Math.floor(torn.length / 2))}\n\n`];
}
