interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

/** One picture that is waited for, by as many as asked for it. */
export class SharedPull {
  readonly #waiting = new Set<Waiter>();

  /** Settles with the pull. Who leaves before is forgotten at once. @throws the reason of the signal */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiter);
        signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        leave();
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        resolve() {
          leave();
          resolve();
        },
        reject(error) {
          leave();
          reject(error);
        },
      };
      this.#waiting.add(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  readonly resolve = (): void => {
    for (const waiter of this.#waiting) waiter.resolve();
  };

  readonly reject = (error: Error): void => {
    for (const waiter of this.#waiting) waiter.reject(error);
  };

  /** How many wait for it. */
  get waiting(): number {
    return this.#waiting.size;
  }
}
