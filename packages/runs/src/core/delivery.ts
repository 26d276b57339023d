/** A result of this leg. */
interface Live<T> {
  readonly ord: number;
  readonly step: T;
}

/**
 * The order of the results of one run: recorded ones first, then those of this leg, in the order of their
 * numbers. Given to the code like that, live and replay interleave alike.
 */
export class Delivery<T extends { readonly seq: number }> {
  /** Numbers of recorded steps, in the order in which they were stored. */
  readonly #recorded: readonly number[];
  /** Recorded steps that were asked for again, by their number in the run. */
  readonly #asked = new Map<number, T>();
  /** Results of this leg, sorted by `ord`. */
  readonly #live: Live<T>[] = [];
  /** Numbers that were given in a transaction which is still open. */
  readonly #open = new Set<number>();
  #next = 0;

  /** @param recorded `seq` of the recorded steps, sorted by `ord` */
  constructor(recorded: readonly number[]) {
    this.#recorded = recorded;
  }

  /** Whether recorded results are left. */
  get replaying(): boolean {
    return this.#next < this.#recorded.length;
  }

  /** The recorded step that must be asked for before anything else can be delivered. */
  get awaited(): number | undefined {
    const seq = this.#recorded[this.#next];
    return seq === undefined || this.#asked.has(seq) ? undefined : seq;
  }

  /** What is delivered next; undefined: it has not come yet. */
  get first(): T | undefined {
    const seq = this.#recorded[this.#next];
    if (seq !== undefined) return this.#asked.get(seq);
    const first = this.#live[0];
    if (!first) return undefined;
    for (const ord of this.#open) if (ord < first.ord) return undefined;
    return first.step;
  }

  /** A recorded step was asked for again. */
  ask(step: T): void {
    this.#asked.set(step.seq, step);
  }

  /** A result of this leg was stored. */
  add(ord: number, step: T): void {
    this.#open.delete(ord);
    const at = this.#live.findLastIndex((one) => one.ord < ord) + 1;
    this.#live.splice(at, 0, { ord, step });
  }

  /** A number was given in a transaction: what has a greater one waits for its end. */
  expect(ord: number): void {
    this.#open.add(ord);
  }

  /** The transaction was undone. */
  forget(ord: number): void {
    this.#open.delete(ord);
  }

  /** Takes what is delivered next. */
  take(): T | undefined {
    const { first } = this;
    if (!first) return undefined;
    if (this.replaying) {
      this.#asked.delete(first.seq);
      this.#next++;
    } else this.#live.shift();
    return first;
  }

  /** Lets go of all that was not delivered. */
  drop(): void {
    this.#asked.clear();
    this.#live.length = 0;
  }
}
