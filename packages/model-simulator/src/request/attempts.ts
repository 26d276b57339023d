/** Counts how often each request came since it was last answered with a reply. */
export class Attempts {
  readonly #counts = new Map<string, number>();
  readonly #maxRequests: number;

  constructor(maxRequests = 10_000) {
    this.#maxRequests = maxRequests;
  }

  /** Counts one more, 1 for the first. @param digest of the body */
  begin(digest: string): number {
    const count = (this.#counts.get(digest) ?? 0) + 1;
    this.#counts.delete(digest);
    this.#counts.set(digest, count);
    if (this.#counts.size > this.#maxRequests) {
      const [oldest] = this.#counts.keys();
      if (oldest !== undefined) this.#counts.delete(oldest);
    }
    return count;
  }

  /** The next one is a first one again. */
  succeed(digest: string): void {
    this.#counts.delete(digest);
  }

  clear(): void {
    this.#counts.clear();
  }
}
