import type { Cancel } from './json.ts';
import { LaterWork } from './later-work.ts';

/** How much of a turn of the event loop `TurnLanes` share. */
export interface TurnLanesOptions {
  /** Milliseconds of one turn after which further work waits for the next one. */
  readonly turnMs: number;
  /** Makes what asks for a later turn for a work; default: `LaterWork`. */
  readonly later?: (work: () => void) => { await(): void };
}

/** Milliseconds after which the next caller has its turn: as much work is begun as fits, and at least one piece. */
const laneMs = 1;

/**
 * Shares the turns of the event loop among callers: of each, as much work is begun as its milliseconds have room for, the rest
 * waits for later ones. Those who wait are served in turn, and have the same time, not the same number: a request that begins a
 * run takes as long as ten that read something. What a piece of work brings about as soon as nothing else is run is of its time.
 */
export class TurnLanes {
  readonly #turnMs: number;
  readonly #later: { await(): void };
  /** Whose turn is next comes first. */
  readonly #lanes = new Map<unknown, Set<() => void>>();
  /** Since when work is begun in this turn of the event loop. */
  #sinceMs = 0;
  /** Since when that of the first lane is. */
  #laneSinceMs = 0;
  /** Somebody has begun in this turn, or waits for the next one. */
  #isWatched = false;

  constructor({ turnMs, later = (work) => new LaterWork(work) }: TurnLanesOptions) {
    this.#turnMs = turnMs;
    this.#later = later(() => this.#turn());
  }

  /** Whether work may be begun at once, which begins the turn where it is the first. */
  mayBegin(): boolean {
    if (this.#lanes.size > 0) return false;
    if (this.#isWatched) return performance.now() - this.#sinceMs < this.#turnMs;
    this.#watch();
    return true;
  }

  /**
   * Begins work of a caller in one of the next turns.
   *
   * @param caller whose it is; that of nobody is of one caller
   * @param begin is called in no context of its own
   * @returns ends the wait
   */
  wait(caller: unknown, begin: () => void): Cancel {
    const lane = this.#lanes.get(caller) ?? new Set();
    lane.add(begin);
    this.#lanes.set(caller, lane);
    if (!this.#isWatched) this.#watch();
    return () => {
      if (lane.delete(begin) && lane.size === 0) this.#lanes.delete(caller);
    };
  }

  #watch(): void {
    this.#isWatched = true;
    this.#sinceMs = performance.now();
    this.#later.await();
  }

  #turn(): void {
    this.#sinceMs = performance.now();
    this.#laneSinceMs = this.#sinceMs;
    this.#serve();
  }

  #serve(): void {
    const [next] = this.#lanes;
    const [begin] = next?.[1] ?? [];
    if (!next || !begin) {
      this.#isWatched = false;
      return;
    }
    const [caller, lane] = next;
    lane.delete(begin);
    if (lane.size === 0) this.#lanes.delete(caller);
    try {
      begin();
    } finally {
      // What it throws is nobody's here, and others are served all the same. Behind all that is to be run a tick is the last.
      queueMicrotask(() => process.nextTick(this.#goOn, caller, lane));
    }
  }

  readonly #goOn = (caller: unknown, lane: Set<() => void>): void => {
    const nowMs = performance.now();
    if (nowMs - this.#laneSinceMs >= laneMs || lane.size === 0) {
      this.#laneSinceMs = nowMs;
      // Whoever had a turn is the last one.
      if (lane.size > 0 && this.#lanes.delete(caller)) this.#lanes.set(caller, lane);
    }
    if (this.#lanes.size === 0) this.#isWatched = false;
    else if (nowMs - this.#sinceMs < this.#turnMs) this.#serve();
    else this.#watch();
  };
}

/** What goes on when it is no longer waited for: runs, and whoever waits for a write. Of this process, which has one event loop. */
export const goingOn = new TurnLanes({ turnMs: 2 });
