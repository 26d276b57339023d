import { HTTPError, type Json } from '@waymark/contract';
import { BudgetExhausted, type RunEnd } from '@waymark/contract/runs';

/**
 * Steps of one run that do not count towards its `maxSteps`: values, messages and contexts. Values and messages are given at
 * once, so a loop of them keeps the process from all else until it has used them up.
 */
export const maxUncounted = 10_000;

/** What is asked of a run that has ended, in one turn of the event loop; who asks for more never lets it turn. */
const maxLate = 1_000;

/** How a run ends when its function is not asked any more. */
type EarlyStatus = 'halted' | 'step_limit' | 'budget_exhausted';

/**
 * Lets the steps of one run begin, and ends the run before its function does: it was halted, or a limit is reached. From
 * then on nothing begins and nothing is given to the function any more, whatever it catches.
 */
export class StepGuard {
  /** Settles when the run ends early. */
  readonly ended: Promise<RunEnd<Json>>;
  readonly #limit: number | null;
  #end: (end: RunEnd<Json>) => void = () => {};
  #begun = 0;
  #uncounted = 0;
  #late = 0;
  #over = false;

  /** @param limit steps that may begin */
  constructor(limit: number | null) {
    this.#limit = limit;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Begins a counted step, at once; one beyond the limit ends the run. */
  begin<T>(step: () => Promise<T>): Promise<T> {
    if (!this.#over && this.#begun === this.#limit)
      return this.#endEarly('step_limit', `the limit of ${this.#limit} steps is reached`);
    this.#begun++;
    return this.read(step);
  }

  /** Begins a step that does not count towards the limit; one too many of them ends the run. */
  beginUncounted<T>(step: () => Promise<T>): Promise<T> {
    return this.takeUncounted() ? this.read(step) : never();
  }

  /**
   * Takes one of the steps that do not count towards the limit; one too many of them ends the run.
   *
   * @returns whether there is one
   */
  takeUncounted(): boolean {
    if (this.#over) this.comeLate();
    else if (this.#uncounted < maxUncounted) this.#uncounted++;
    else
      void this.#endEarly(
        'step_limit',
        `the limit of ${maxUncounted} values, messages and contexts is reached`,
      );
    return !this.#over;
  }

  /**
   * Notes that something was asked for after the end. Most often that is a timer or a branch that nobody waits for, which
   * an error would not stop but harm. A loop that never lets the event loop turn is stopped by nothing else.
   *
   * @throws {Error} more than there may be in one turn
   */
  comeLate(): void {
    if (this.#late === 0)
      setImmediate(() => {
        this.#late = 0;
      });
    if (++this.#late <= maxLate) return;
    // The loop ends with that. What a timer asks for behind it is not a part of it.
    this.#late = 0;
    throw new Error('the run has ended: nothing can be asked of it any more');
  }

  /** Begins what is no step of its own. */
  read<T>(step: () => Promise<T>): Promise<T> {
    if (this.#over) {
      this.comeLate();
      return never();
    }
    const given = this.#give(step);
    // The function may look at it later, or never.
    given.catch(() => {});
    return given;
  }

  /** @throws always */
  halt(reason: string): never {
    void this.#endEarly('halted', reason);
    throw new HTTPError(500, `the run was halted: ${reason}`, { code: 'halted' });
  }

  async #give<T>(step: () => Promise<T>): Promise<T> {
    try {
      const value = await step();
      return this.#over ? await never() : value;
    } catch (error) {
      if (this.#over) return never();
      if (!(error instanceof BudgetExhausted)) throw error;
      return this.#endEarly('budget_exhausted', error.message);
    }
  }

  #endEarly(status: EarlyStatus, reason: string): Promise<never> {
    this.#over = true;
    // The first end counts: a promise settles once.
    this.#end({ status, value: { halted: true, reason } });
    return never();
  }
}

/** A new one each time: handlers of one that is shared would pile up. */
function never(): Promise<never> {
  return new Promise(() => {});
}
