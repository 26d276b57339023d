import { LaterWork } from '@waymark/contract/engine';
import { type Sharer, SharerLanes } from './sharer-lanes.ts';

/** Messages that have waited and are handed over in one turn, those of all sockets together, while it has time. */
const messagesPerTurn = 256;
const turnMs = 2;

/**
 * Shares the turns of the event loop among the sockets of one door, those of each caller in turn: however many of them flood,
 * everybody else gets on between two turns. Costs next to nothing while nobody has used up a share.
 */
export class MessageTurns {
  /** Those who have used up a share. */
  readonly #waiting = new SharerLanes();
  /** Those who have not, and came when the turn was over. */
  readonly #late = new SharerLanes();
  /** How many of each are served in this turn: whoever comes meanwhile is served in the next one. */
  #waitingLeft = 0;
  #lateLeft = 0;
  #isLateNext = true;
  #left = 0;
  #sinceMs = 0;
  #isWatched = false;
  /** Somebody has begun in this turn since those who waited were served. */
  #hasBegun = false;
  readonly #later = new LaterWork(() => this.#begin());

  /** Gives a sharer its next share in a later turn. It must not ask again before that. */
  wait(sharer: Sharer): void {
    this.#waiting.push(sharer);
    this.#watch();
  }

  /**
   * Whether somebody who has not used up a share may begin in this turn: sockets that come all at once have the time of a turn
   * together, too. Where this is false it is as if it had waited.
   */
  mayBegin(sharer: Sharer): boolean {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#sinceMs = performance.now();
      this.#watch();
      return true;
    }
    if (performance.now() - this.#sinceMs < turnMs) return true;
    this.#late.push(sharer);
    return false;
  }

  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#later.await();
  }

  #begin(): void {
    this.#waitingLeft = this.#waiting.size;
    this.#lateLeft = this.#late.size;
    this.#left = messagesPerTurn;
    this.#hasBegun = true;
    this.#sinceMs = performance.now();
    this.#serve();
  }

  readonly #serve = (): void => {
    const hasTime = this.#left > 0 && performance.now() - this.#sinceMs < turnMs;
    const next = hasTime ? this.#next() : undefined;
    if (next) {
      this.#left -= next.takeTurn();
      // Behind what it reads on, which its stream does as soon as nothing else is run.
      process.nextTick(this.#serve);
      return;
    }
    this.#hasBegun = false;
    this.#isWatched = false;
    if (this.#waiting.size > 0 || this.#late.size > 0) this.#watch();
  };

  /** One of each in turn, over the turns of the event loop too: those who come anew keep nobody waiting for ever. */
  #next(): Sharer | undefined {
    if (this.#lateLeft > 0 && (this.#isLateNext || this.#waitingLeft === 0)) {
      this.#lateLeft--;
      this.#isLateNext = false;
      return this.#late.shift();
    }
    if (this.#waitingLeft === 0) return undefined;
    this.#waitingLeft--;
    this.#isLateNext = true;
    return this.#waiting.shift();
  }
}
