import { HTTPError, type Json } from '@waymark/contract';
import { BudgetExhausted, type RunEnd } from '@waymark/contract/runs';

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
    if (this.#begun === this.#limit)
      return this.#endEarly('step_limit', `the limit of ${this.#limit} steps is reached`);
    this.#begun++;
    return this.read(step);
  }

  /** Begins what is not counted. */
  read<T>(step: () => Promise<T>): Promise<T> {
    if (this.#over) return never();
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

  /** Whether the run was ended before its function. */
  get over(): boolean {
    return this.#over;
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
