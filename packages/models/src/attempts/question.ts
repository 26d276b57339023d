import type { ModelCallOptions, Spend } from '@waymark/contract/models';

/**
 * One question while it is being asked, over all attempts and models: what it has cost, what its asker was told, and
 * whether another attempt still fits.
 */
export class Question {
  readonly signal: AbortSignal;
  readonly #options: ModelCallOptions;
  readonly #spend: Spend[] = [];
  #told = false;

  /** @param signal fires at the asker's will and at the deadline */
  constructor(options: ModelCallOptions, signal: AbortSignal) {
    this.#options = options;
    this.signal = signal;
  }

  /** What was spent so far, oldest first. */
  get spend(): readonly Spend[] {
    return this.#spend;
  }

  charge(spend: Spend | undefined): void {
    if (spend) this.#spend.push(spend);
  }

  /** The listener of one attempt. */
  get onDelta(): ((text: string) => void) | undefined {
    const { onDelta } = this.#options;
    return (
      onDelta &&
      ((text) => {
        this.#told = true;
        onDelta(text);
      })
    );
  }

  /** Whether there may be another attempt: in time, within the budget, and without saying twice what was told. */
  mayAskAgain(atMs: number, tokens: number): boolean {
    const { deadlineMs = Number.POSITIVE_INFINITY, tokenBudget = Number.POSITIVE_INFINITY } = this.#options;
    const used = this.#spend.reduce(
      (sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens,
      0,
    );
    const silent = !this.#told || this.#options.onRestart !== undefined;
    return (
      !this.signal.aborted && silent && atMs < deadlineMs && (used === 0 || used + tokens <= tokenBudget)
    );
  }

  /** Tells the asker that the text begins anew, where any was told. */
  restart(): void {
    if (this.#told) this.#options.onRestart?.();
    this.#told = false;
  }
}
