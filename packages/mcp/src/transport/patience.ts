import type { Cancel } from '@waymark/contract/engine';

/** Call in the queue of calls that wait. */
interface Waiting {
  readonly dueMs: number;
  readonly onLong: () => void;
  before: Waiting | undefined;
  after: Waiting | undefined;
}

/**
 * Tells of work that takes longer than most, from one timer: one for each request costs 7 % of throughput. Everything
 * has the same time, so what waits longest stands first. The timer stands still while nothing waits, and never keeps
 * the process alive.
 *
 * The line is linked by hand: the tables of a `Set` outlive what was taken out of them, and made the garbage collector
 * carry every request along (measured).
 */
export class Patience {
  readonly #ms: number;
  #first: Waiting | undefined;
  #last: Waiting | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** @param onLong called once, unless cancelled first; must not throw */
  wait(onLong: () => void): Cancel {
    const dueMs = performance.now() + this.#ms;
    const waiting: Waiting = { dueMs, onLong, before: this.#last, after: undefined };
    if (this.#last) this.#last.after = waiting;
    else this.#first = waiting;
    this.#last = waiting;
    this.#arm(this.#ms);
    return () => this.#remove(waiting);
  }

  #arm(ms: number): void {
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#fire(), ms).unref();
  }

  #fire(): void {
    this.#timer = undefined;
    const nowMs = performance.now();
    // Timers may fire a little early.
    while (this.#first && this.#first.dueMs <= nowMs + 1) {
      const { onLong } = this.#first;
      this.#remove(this.#first);
      onLong();
    }
    if (this.#first) this.#arm(this.#first.dueMs - nowMs);
  }

  #remove(waiting: Waiting): void {
    const { before, after } = waiting;
    // Taken out already: nobody stands before it, and it is not the first.
    if (!before && this.#first !== waiting) return;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    waiting.before = undefined;
    waiting.after = undefined;
  }
}
