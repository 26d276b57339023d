/**
 * Who goes next of those that wait to write.
 *
 * Writes go in the order they came, and so does a transaction among them; but whoever waits while a transaction is open goes
 * before the next one. So a write waits for one transaction at most, however many wait with it, and a transaction waits for
 * the writes that came before it, or before the end of the last one. Of the transactions each caller's has its turn: one
 * waits for one of every other caller at most.
 */
export class WriteOrder<J> {
  /** Their numbers, in the order they came. */
  readonly #writes = new Map<J, number>();
  /** Those of each caller; whose turn is next comes first. */
  readonly #callers = new Map<unknown, Map<J, number>>();
  #came = 0;
  /** Writes up to this one go before the next transaction. */
  #goFirst = 0;

  addWrite(job: J): void {
    this.#writes.set(job, ++this.#came);
  }

  /** @param caller whose it is; those of nobody are of one caller */
  addTransaction(job: J, caller?: unknown): void {
    const own = this.#callers.get(caller);
    if (own) own.set(job, ++this.#came);
    else this.#callers.set(caller, new Map([[job, ++this.#came]]));
  }

  /** Some writes, or one transaction. They wait on until they leave. @param most writes */
  next(most: number): readonly J[] {
    const [transaction] = this.#callers.values().next().value ?? [];
    const [write] = this.#writes;
    if (transaction && !(write && write[1] <= Math.max(this.#goFirst, transaction[1])))
      return [transaction[0]];
    const jobs: J[] = [];
    for (const job of this.#writes.keys()) if (jobs.push(job) === most) break;
    return jobs;
  }

  /** It waits no more. */
  leave(job: J): void {
    if (this.#writes.delete(job)) return;
    for (const [caller, own] of this.#callers) {
      if (!own.delete(job)) continue;
      if (own.size === 0) this.#callers.delete(caller);
      return;
    }
  }

  /** The transaction that was next is over, and waits no more. */
  end(transaction: J): void {
    const [first] = this.#callers;
    if (!first?.[1].has(transaction)) return;
    const [caller, own] = first;
    this.#goFirst = this.#came;
    this.#callers.delete(caller);
    own.delete(transaction);
    if (own.size > 0) this.#callers.set(caller, own);
  }
}
