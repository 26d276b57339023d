/** Members of the one reading that is sent. */
export type Reading = Readonly<Record<string, number | boolean>>;

const readingIntervalMs = 1_000;
/** What stays as it is is said again, so that nobody takes it for forgotten. */
const sameAgainMs = 10_000;

/** Puts together what several sources tell, and says when it is time to send it: once a second at most. */
export class Readings {
  readonly #sources = new Map<string, Reading>();
  #sent = '';
  #sentAtMs = Number.NEGATIVE_INFINITY;

  set(source: string, reading: Reading): void {
    this.#sources.set(source, reading);
  }

  remove(source: string): void {
    this.#sources.delete(source);
  }

  /** What is to be sent now, if anything. @param nowMs of a clock that only goes forward */
  takeDue(nowMs: number): Reading | undefined {
    if (this.#sources.size === 0 || nowMs - this.#sentAtMs < readingIntervalMs) return undefined;
    const reading = Object.assign({}, ...this.#sources.values()) as Reading;
    const text = JSON.stringify(reading);
    if (text === this.#sent && nowMs - this.#sentAtMs < sameAgainMs) return undefined;
    this.#sent = text;
    this.#sentAtMs = nowMs;
    return reading;
  }
}
