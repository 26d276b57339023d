import { HTTPError } from '@waymark/contract';
import { retryAfter } from '../to-db-error.ts';

/** What did not come in time. */
class LateError extends HTTPError {
  constructor() {
    super(503, 'the database took too long', { headers: retryAfter });
  }
}

/** Whether it is the rejection of `withDeadline` at the deadline. */
export function isLate(error: unknown): boolean {
  return error instanceof LateError;
}

/** Settles as `work` does, or rejects at the deadline (503) or when the signal fires. `work` itself goes on. */
export function withDeadline<T>(work: Promise<T>, ms: number, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => end(() => reject(signal?.reason));
    const timer = setTimeout(() => end(() => reject(new LateError())), ms);
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      settle();
    };
    // Of several ends the first counts: a promise settles once.
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
  });
}
