/** How much may be held at a time: by one caller, and by all callers together. */
export interface BudgetSize {
  readonly perCaller: number;
  readonly total: number;
}

/** Whose share is used up: the caller's own, or what all callers have together. */
export type UsedUp = 'caller' | 'total';

/** What one piece of work holds of a budget, until it gives it back. */
export interface Hold {
  /**
   * Takes more for the same work, all of it or nothing; for work that has given back what it held, nothing.
   *
   * @returns whose share is used up; undefined where it was taken
   */
  more(amount: number): UsedUp | undefined;
  /** Gives back all that is held. Calling it twice is harmless. */
  release(): void;
}

/**
 * What callers hold at a time of something that there is not much of: bytes of bodies, open sockets. Taken before the work
 * and given back after it, whatever became of it. Whoever holds nothing is not remembered, and no clock is asked.
 */
export class Budget {
  readonly size: BudgetSize;
  readonly #held = new Map<string, number>();
  #sum = 0;

  constructor(size: BudgetSize) {
    this.size = size;
  }

  /** What all callers hold together. */
  get held(): number {
    return this.#sum;
  }

  /** How many callers hold something. */
  get callers(): number {
    return this.#held.size;
  }

  /** What one caller holds. */
  heldBy(key: string): number {
    return this.#held.get(key) ?? 0;
  }

  /**
   * Takes an amount for a caller, all of it or nothing.
   *
   * @returns whose share is used up where it is too much; of both the caller's own, which it can do something about
   * @throws {RangeError} an amount below 0, or none at all
   */
  take(key: string, amount: number): Hold | UsedUp {
    const usedUp = this.#add(key, amount);
    return usedUp ?? new OwnHold(amount, key, this.#add, this.#giveBack);
  }

  readonly #add = (key: string, amount: number): UsedUp | undefined => {
    if (!(amount >= 0)) throw new RangeError(`${amount} is no amount`);
    const held = this.heldBy(key) + amount;
    if (held > this.size.perCaller) return 'caller';
    if (this.#sum + amount > this.size.total) return 'total';
    this.#sum += amount;
    if (held > 0) this.#held.set(key, held);
    return undefined;
  };

  readonly #giveBack = (key: string, amount: number): void => {
    this.#sum -= amount;
    const left = this.heldBy(key) - amount;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
  };
}

class OwnHold implements Hold {
  readonly #key: string;
  readonly #add: (key: string, amount: number) => UsedUp | undefined;
  readonly #giveBack: (key: string, amount: number) => void;
  #amount: number;
  #released = false;

  constructor(
    amount: number,
    key: string,
    add: (key: string, amount: number) => UsedUp | undefined,
    giveBack: (key: string, amount: number) => void,
  ) {
    this.#amount = amount;
    this.#key = key;
    this.#add = add;
    this.#giveBack = giveBack;
  }

  more(amount: number): UsedUp | undefined {
    if (this.#released) return 'caller';
    const usedUp = this.#add(this.#key, amount);
    if (usedUp === undefined) this.#amount += amount;
    return usedUp;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#giveBack(this.#key, this.#amount);
  }
}
