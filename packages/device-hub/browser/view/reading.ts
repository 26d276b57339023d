/** The newest reading, and how old it is. */
export class Reading {
  #text: string | undefined;
  #data: unknown;
  /** When it was new, by the clock of this page; undefined where nobody said. */
  #fromMs: number | undefined;
  /** The next one may be that which was there before. */
  #expected = false;

  get data(): unknown {
    return this.#data;
  }

  ageMs(nowMs: number): number | undefined {
    return this.#fromMs === undefined ? undefined : nowMs - this.#fromMs;
  }

  /** A greeting was heard, which the newest reading follows. */
  expect(): void {
    this.#expected = true;
  }

  /** Takes one that came by the stream. @returns false for the one that is known already */
  take(data: unknown, nowMs: number): boolean {
    const text = JSON.stringify(data);
    const known = this.#expected && text === this.#text;
    this.#expected = false;
    if (known) return false;
    this.#set(text, data, nowMs);
    return true;
  }

  /** Takes what the server answers, which says how old it is. @returns whether it is another one */
  know(answer: unknown, nowMs: number = performance.now()): boolean {
    const { telemetry, age_ms } = (answer ?? {}) as {
      readonly telemetry?: unknown;
      readonly age_ms?: unknown;
    };
    if (telemetry === null || telemetry === undefined) return false;
    const text = JSON.stringify(telemetry);
    const other = text !== this.#text;
    // What came meanwhile is newer.
    if (other && this.#text !== undefined) return false;
    this.#set(text, telemetry, typeof age_ms === 'number' ? nowMs - age_ms : undefined);
    return other;
  }

  #set(text: string, data: unknown, fromMs: number | undefined): void {
    this.#text = text;
    this.#data = data;
    this.#fromMs = fromMs;
  }
}
