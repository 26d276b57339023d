import type { RunStep } from '@waymark/contract';

/**
 * Tells steps in the order of their numbers. What was stored together is heard of in any order, and whoever goes on after
 * the last number that was seen must have missed nothing before it.
 */
export class Teller {
  readonly #tell: (step: RunStep) => void;
  /** Sorted by `seq`. */
  readonly #steps: RunStep[] = [];
  /** Numbers that were given in a transaction which is still open. */
  readonly #open = new Set<number>();
  #scheduled = false;

  constructor(tell: (step: RunStep) => void) {
    this.#tell = tell;
  }

  add(step: RunStep): void {
    this.#open.delete(step.seq);
    const at = this.#steps.findLastIndex(({ seq }) => seq < step.seq) + 1;
    this.#steps.splice(at, 0, step);
    this.#schedule();
  }

  /** A number was given in a transaction: what has a greater one waits for its end. */
  expect(ord: number): void {
    this.#open.add(ord);
  }

  /** The transaction was undone, or the step is none that is told. */
  forget(ord: number): void {
    if (this.#open.delete(ord)) this.#schedule();
  }

  /** All that one commit brings is heard of before the next turn of the event loop, and before the run goes on. */
  #schedule(): void {
    if (this.#scheduled || this.#steps.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const least = Math.min(...this.#open);
      while (this.#steps[0] && this.#steps[0].seq < least) {
        const [step] = this.#steps.splice(0, 1);
        if (step) this.#tell(step);
      }
    });
  }
}
