/** What a run amounts to. */
export interface Verdict {
  /** Checks that passed. */
  readonly passed: number;
  /** One line for each check that did not. */
  readonly failures: readonly string[];
}
