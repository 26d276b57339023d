/**
 * Room for the answers of one batch, in characters: a few bytes that ask can be megabytes that answer, fifty times over.
 * The first answer fits whatever its size, so that nothing fails in a batch that would not fail alone.
 */
export class AnswerRoom {
  readonly #max: number;
  #used = 0;

  /** @param max characters of all answers together */
  constructor(max: number) {
    this.#max = max;
  }

  /** Takes room for one more answer. @returns whether there was enough */
  take(answer: string): boolean {
    if (this.#used > 0 && this.#used + answer.length > this.#max) return false;
    this.#used += answer.length;
    return true;
  }
}
