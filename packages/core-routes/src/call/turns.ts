import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds of work after which somebody else has a turn. */
const turnMs = 2;

/** The works of one caller, in their order. */
interface Lane {
  /** Goes on with what was begun. */
  goOn: (() => void) | undefined;
  readonly waiting: Set<() => void>;
}

/**
 * Does work that may take long: as much in one turn of the event loop as fits, whoever it is from, and then a pause as long as
 * the turn was, with what came of it. So others have half of the process, and wait no longer than for one turn. Of those whose
 * work waits or is not done each has a turn: many works of one caller, or a long one, are waited for by that one.
 */
export class Turns {
  /** Whose turn is next comes first. */
  readonly #lanes = new Map<string, Lane>();
  /** Somebody is at work, or the pause is not over. */
  #isTaken = false;
  /** What was worked in this turn of the event loop. */
  #usedMs = 0;
  #isWatched = false;

  /**
   * Does all pieces of a work, at once where nobody else is at work and the turn is not used up.
   *
   * @param caller whose work it is
   * @param signal ends it between two turns, and the wait for others
   * @throws what a piece throws, and the reason of the signal
   */
  async take<T>(pieces: Iterator<void, T>, caller: string, signal: AbortSignal): Promise<T> {
    if (this.#isTaken) await this.#turnOf(caller);
    this.#isTaken = true;
    let startMs = performance.now();
    try {
      for (;;) {
        signal.throwIfAborted();
        const piece = this.#work(pieces);
        if (piece.done) return piece.value;
        await this.#pause(startMs);
        if (this.#lanes.size > 0) {
          const turn = this.#nextTurnOf(caller);
          this.#passOn();
          await turn;
        }
        startMs = performance.now();
      }
    } finally {
      if (this.#usedMs < turnMs) this.#passOn();
      else void this.#pause(startMs).then(() => this.#passOn());
    }
  }

  /** Pieces until there are no more, or the turn is used up. */
  #work<T>(pieces: Iterator<void, T>): IteratorResult<void, T> {
    const startMs = performance.now() - this.#usedMs;
    this.#watch();
    try {
      for (;;) {
        const piece = pieces.next();
        if (piece.done || performance.now() - startMs >= turnMs) return piece;
      }
    } finally {
      this.#usedMs = performance.now() - startMs;
    }
  }

  /** What is used of a turn is none of the next one's. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    setImmediate(() => {
      this.#isWatched = false;
      this.#usedMs = 0;
    });
  }

  /** @param startMs since when the turn is used */
  async #pause(startMs: number): Promise<void> {
    await endOfTurn();
    await sleep(performance.now() - startMs);
    this.#usedMs = 0;
  }

  /** When the works that came before are done, of this caller, and others had their turns. */
  #turnOf(caller: string): Promise<void> {
    return new Promise((resolve) => this.#laneOf(caller).waiting.add(resolve));
  }

  /** When others had their turns. */
  #nextTurnOf(caller: string): Promise<void> {
    return new Promise((resolve) => {
      const lane = this.#laneOf(caller);
      lane.goOn = resolve;
      // Whoever had a turn is the last one.
      this.#lanes.delete(caller);
      this.#lanes.set(caller, lane);
    });
  }

  #laneOf(caller: string): Lane {
    const known = this.#lanes.get(caller);
    if (known) return known;
    const lane: Lane = { goOn: undefined, waiting: new Set() };
    this.#lanes.set(caller, lane);
    return lane;
  }

  #passOn(): void {
    const [next] = this.#lanes;
    if (!next) {
      this.#isTaken = false;
      return;
    }
    const [caller, lane] = next;
    const [first] = lane.waiting;
    const begin = lane.goOn ?? first;
    if (!lane.goOn && first) lane.waiting.delete(first);
    lane.goOn = undefined;
    this.#lanes.delete(caller);
    if (lane.waiting.size > 0) this.#lanes.set(caller, lane);
    begin?.();
  }
}
