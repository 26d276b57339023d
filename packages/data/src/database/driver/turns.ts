import { unavailable } from '../to-db-error.ts';

/** Work that is done one after another, in the order in which it came. */
export class Turns {
  readonly #waitMs: number;
  #last: Promise<void> = Promise.resolve();

  /** @param waitMs how long work may wait for its turn; then it is 503 */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** @param signal takes back what has not begun */
  async take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#last;
    let end: () => void = () => undefined;
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    try {
      await this.#wait(before, signal);
    } catch (error) {
      // Whoever comes behind waits for those before.
      void before.then(end);
      throw error;
    }
    try {
      return await work();
    } finally {
      end();
    }
  }

  #wait(before: Promise<void>, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => settle(() => reject(signal?.reason));
      const timer = setTimeout(() => settle(() => reject(unavailable('is busy'))), this.#waitMs);
      const settle = (how: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        how();
      };
      // Of several ends the first counts.
      void before.then(() => settle(resolve));
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
    });
  }
}
