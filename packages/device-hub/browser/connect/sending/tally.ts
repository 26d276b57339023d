/** Reasons that are told apart; the texts are the hub's, and there are but a few. */
const mostReasons = 6;

/** What became of the pictures since Start. */
export class Tally {
  taken = 0;
  refused = 0;
  /** For want of room on the line. */
  skippedForLine = 0;
  /** Because the one before it was still being made into a JPEG. */
  skippedForEncoder = 0;
  readonly #reasons = new Map<string, number>();

  refuse(message: string, times = 1): void {
    this.refused += times;
    const count = (this.#reasons.get(message) ?? 0) + times;
    // Behind the others: the one at the end is the newest.
    this.#reasons.delete(message);
    this.#reasons.set(message, count);
    const [oldest] = this.#reasons.keys();
    if (this.#reasons.size > mostReasons && oldest !== undefined) this.#reasons.delete(oldest);
  }

  /** Why, in the words of the hub, newest first. */
  get reasons(): readonly { readonly message: string; readonly times: number }[] {
    return [...this.#reasons].map(([message, times]) => ({ message, times })).reverse();
  }
}
