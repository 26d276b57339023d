interface Round<W> {
  readonly waiting: Set<W>;
  readonly done: () => void;
}

/** Questions that go to all workers, and are answered when each has answered, has gone, or has had its time. */
export class Rounds<W> {
  readonly #withinMs: number;
  readonly #open = new Map<number, Round<W>>();
  readonly #results = new Set<Promise<void>>();
  #asked = 0;

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
  }

  ask(workers: readonly W[], send: (worker: W, round: number) => void): Promise<void> {
    if (workers.length === 0) return Promise.resolve();
    const round = ++this.#asked;
    const result = new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.#open.get(round)?.done(), this.#withinMs);
      const done = (): void => {
        clearTimeout(timer);
        this.#open.delete(round);
        resolve();
      };
      this.#open.set(round, { waiting: new Set(workers), done });
    });
    this.#results.add(result);
    void result.then(() => this.#results.delete(result));
    for (const worker of workers) send(worker, round);
    return result;
  }

  answered(round: number, worker: W): void {
    const open = this.#open.get(round);
    if (open?.waiting.delete(worker) && open.waiting.size === 0) open.done();
  }

  /** Nobody waits for a worker that has gone. */
  leave(worker: W): void {
    for (const round of [...this.#open.keys()]) this.answered(round, worker);
  }

  /** Resolves when all questions of up to now are answered. */
  async settled(): Promise<void> {
    await Promise.all(this.#results);
  }
}
