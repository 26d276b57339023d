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

/** What a store says that is out of reach for a moment. */
export class Trouble extends Error {
  override readonly name = 'Trouble';
}

/** The life of one engine: it dies at its n-th point, and from then on nothing of it happens. */
export class Life {
  points = 0;
  dead = false;
  readonly died: Promise<void>;
  readonly trace: string[] = [];
  readonly #diesAt: number;
  readonly #failsAt: number;
  uses = 0;
  #die: () => void = () => {};

  /** @param failsAt the use of a store that fails, 1 or more */
  constructor(diesAt = Number.POSITIVE_INFINITY, failsAt = 0) {
    this.#diesAt = diesAt;
    this.#failsAt = failsAt;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** Counts a use of a store. @throws {Trouble} it is the one that fails */
  use(name: string): void {
    if (this.dead || ++this.uses !== this.#failsAt) return;
    this.trace.push(`trouble ${name}`);
    throw new Trouble(name);
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
