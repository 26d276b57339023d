import type { Cancel } from '@waymark/contract/engine';

/** Milliseconds of one turn of the event loop after which further requests wait for the next one. */
const turnMs = 4;

/**
 * Shares the turns of the event loop among callers. Node hands over a request of each connection that has one before it does
 * anything else: whoever opens two hundred would be served two hundred times between two requests of somebody who has one.
 * Those who wait are served one request of each caller in turn.
 *
 * It holds one request of each open connection, which node holds as well; whoever leaves is taken out at once.
 */
export class RequestLanes {
  /** Whose turn is next comes first. */
  readonly #lanes = new Map<string, Set<() => void>>();
  /** Since when requests are begun in this turn of the event loop. */
  #sinceMs = 0;
  /** Somebody has begun in this turn, or waits for the next one. */
  #isWatched = false;

  /** Whether a request may be begun at once, which begins the turn where it is the first. */
  mayBegin(): boolean {
    if (this.#lanes.size > 0) return false;
    if (this.#isWatched) return performance.now() - this.#sinceMs < turnMs;
    this.#watch();
    return true;
  }

  /** Begins a request of a caller in one of the next turns. @param begin must not throw @returns ends the wait */
  wait(caller: string, begin: () => void): Cancel {
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
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#isWatched = false;
    if (this.#lanes.size === 0) return;
    this.#watch();
    do this.#beginNext();
    while (this.#lanes.size > 0 && performance.now() - this.#sinceMs < turnMs);
  };

  #beginNext(): void {
    const [next] = this.#lanes;
    if (!next) return;
    const [caller, lane] = next;
    const [begin] = lane;
    if (!begin) return;
    lane.delete(begin);
    this.#lanes.delete(caller);
    // Whoever had a turn is the last one.
    if (lane.size > 0) this.#lanes.set(caller, lane);
    begin();
  }
}
