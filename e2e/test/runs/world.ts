/** What survives the death of an engine: effects on the outside, and what code was given. */
export class World {
  readonly effects = new Map<string, number>();
  /** What code was given first, by the key of the step. */
  readonly given = new Map<string, string>();
  readonly faults: string[] = [];
  /** Code was given two different results for one step. */
  readonly contradictions: string[] = [];
  modelCalls = 0;

  happened(what: string): void {
    this.effects.set(what, this.count(what) + 1);
  }

  count(what: string): number {
    return this.effects.get(what) ?? 0;
  }

  give(key: string, value: unknown): void {
    const text = JSON.stringify(value);
    const before = this.given.get(key);
    if (before !== undefined && before !== text) this.contradictions.push(`${key}: ${before} then ${text}`);
    this.given.set(key, text);
  }
}

/** The life of one engine: it dies at its n-th point, and from then on nothing of it happens. */
export class Life {
  points = 0;
  dead = false;
  readonly died: Promise<void>;
  readonly trace: string[] = [];
  readonly #diesAt: number;
  #die: () => void = () => {};

  constructor(diesAt = Number.POSITIVE_INFINITY) {
    this.#diesAt = diesAt;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** Says whether the engine still lives after this point. */
  pass(name: string): boolean {
    if (this.dead) return false;
    this.points++;
    this.trace.push(name);
    if (this.points < this.#diesAt) return true;
    this.kill();
    return false;
  }

  kill(): void {
    this.dead = true;
    this.#die();
  }

  /** A point in the middle of something: a dead engine stays there. */
  async point(name: string): Promise<void> {
    if (!this.pass(name)) await new Promise<never>(() => {});
  }
}
