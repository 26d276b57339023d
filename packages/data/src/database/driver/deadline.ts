import { unavailable } from '../to-db-error.ts';

/** Settles as `work` does, or rejects at the deadline (503) or when the signal fires. `work` itself goes on. */
export function withDeadline<T>(work: Promise<T>, ms: number, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => end(() => reject(signal?.reason));
    const timer = setTimeout(() => end(() => reject(unavailable('took too long'))), ms);
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
