/**
 * Who goes next of those that wait to write.
 *
 * Those of a caller go in the order they came, and a transaction goes behind the writes that came before it; but whoever waits
 * while a transaction is open goes before the next one. So a write waits for one transaction at most, however many wait with
 * it, and a transaction waits for the writes that came before it, or before the end of the last one. Each caller has its turn:
 * of several writes that go together one is of each, then another, and a transaction waits for one of every other caller at
 * most.
 */
export class WriteOrder<J> {
  /** In the order they came. */
  readonly #writes = new Map<J, Write>();
  /** Those of each caller, with their numbers; whose turn is next comes first. */
  readonly #writers = new Map<unknown, Map<J, number>>();
  /** The transactions of each caller, likewise. */
  readonly #callers = new Map<unknown, Map<J, number>>();
  #came = 0;
  /** Writes up to this one go before the next transaction. */
  #goFirst = 0;

  /** @param caller whose it is; those of nobody are of one caller */
  addWrite(job: J, caller?: unknown): void {
    this.#writes.set(job, { number: ++this.#came, caller });
    addTo(this.#writers, caller, job, this.#came);
  }

  /** @param caller whose it is; those of nobody are of one caller */
  addTransaction(job: J, caller?: unknown): void {
    addTo(this.#callers, caller, job, ++this.#came);
  }

  /** Some writes, or one transaction. They wait on until they leave. @param most writes */
  next(most: number): readonly J[] {
    const [transaction] = this.#callers.values().next().value ?? [];
    const [write] = this.#writes;
    const last = transaction ? Math.max(this.#goFirst, transaction[1]) : this.#came;
    if (transaction && !(write && write[1].number <= last)) return [transaction[0]];
    return this.#nextWrites(most, last);
  }

  /** One of each caller, then another of each. @param last number of those that may go */
  #nextWrites(most: number, last: number): readonly J[] {
    const jobs: J[] = [];
    let lanes = Array.from(this.#writers.values(), (own) => own.entries());
    while (lanes.length > 0) {
      const left: typeof lanes = [];
      for (const lane of lanes) {
        const { value } = lane.next();
        if (!value || value[1] > last) continue;
        if (jobs.push(value[0]) === most) return jobs;
        left.push(lane);
      }
      lanes = left;
    }
    return jobs;
  }

  /** It waits no more. */
  leave(job: J): void {
    const write = this.#writes.get(job);
    if (write) {
      this.#writes.delete(job);
      const own = this.#writers.get(write.caller);
      own?.delete(job);
      if (own?.size !== 0 && this.#writers.size === 1) return;
      this.#writers.delete(write.caller);
      // Whoever had a turn is the last one.
      if (own && own.size > 0) this.#writers.set(write.caller, own);
      return;
    }
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

interface Write {
  readonly number: number;
  readonly caller: unknown;
}

function addTo<J>(lanes: Map<unknown, Map<J, number>>, caller: unknown, job: J, number: number): void {
  const own = lanes.get(caller);
  if (own) own.set(job, number);
  else lanes.set(caller, new Map([[job, number]]));
}
