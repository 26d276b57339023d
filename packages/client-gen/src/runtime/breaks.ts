import { ProblemError } from './options.ts';

/** Connections that may break one after the other without a step between them. */
export const brokenAtMost = 6;
export const shortestPauseMs = 250;

/** Whether another connection may do better: the service stops, or the connection broke. */
export function isPassing(error: unknown): boolean {
  // What is too long for the client is so the next time, too.
  if (error instanceof RangeError) return false;
  if (!(error instanceof ProblemError))
    return error instanceof Error && error.name !== 'TimeoutError' && error.name !== 'AbortError';
  return error.status === 503 || error.status === 200 || (error.status === 504 && error.run === undefined);
}

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    function end(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    }
    signal?.addEventListener('abort', end);
  });
}
