/** A result that waits for its turn. */
interface Live {
  readonly ord: number;
  readonly deliver: () => void;
}

/**
 * Hands the results of one run to its code: one for each turn of the event loop, in the order of their numbers, recorded
 * ones first. Never inside the call that asks or the promise that finished: live and replay then interleave alike.
 */
export class Delivery {
  /** Numbers of recorded steps, in the order in which they were stored. */
  readonly #recorded: readonly number[];
  /** Recorded steps that were asked for again, by their number in the run. */
  readonly #asked = new Map<number, () => void>();
  /** Results of this leg, sorted by `ord`. */
  readonly #live: Live[] = [];
  /** Numbers that were given in a transaction which is still open. */
  readonly #open = new Set<number>();
  #next = 0;
  #scheduled = false;
  #dropped = false;

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

  /** A recorded step was asked for again. */
  ask(seq: number, deliver: () => void): void {
    this.#asked.set(seq, deliver);
    this.#schedule();
  }

  /** A result of this leg was stored. */
  add(ord: number, deliver: () => void): void {
    this.#open.delete(ord);
    const at = this.#live.findLastIndex((one) => one.ord < ord) + 1;
    this.#live.splice(at, 0, { ord, deliver });
    this.#schedule();
  }

  /** A number was given in a transaction: what has a greater one waits for its end. */
  expect(ord: number): void {
    this.#open.add(ord);
  }

  /** The transaction was undone. */
  forget(ord: number): void {
    this.#open.delete(ord);
    this.#schedule();
  }

  /** Delivers nothing more. */
  drop(): void {
    this.#dropped = true;
    this.#asked.clear();
    this.#live.length = 0;
  }

  #schedule(): void {
    if (this.#scheduled || this.#dropped || !this.#peek()) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#dropped) return;
      const deliver = this.#take();
      deliver?.();
      this.#schedule();
    });
  }

  #peek(): (() => void) | undefined {
    const seq = this.#recorded[this.#next];
    if (seq !== undefined) return this.#asked.get(seq);
    const first = this.#live[0];
    if (!first) return undefined;
    for (const ord of this.#open) if (ord < first.ord) return undefined;
    return first.deliver;
  }

  #take(): (() => void) | undefined {
    const deliver = this.#peek();
    const seq = this.#recorded[this.#next];
    if (!deliver) return undefined;
    if (seq === undefined) this.#live.shift();
    else {
      this.#asked.delete(seq);
      this.#next++;
    }
    return deliver;
  }
}
