/** Somebody whose share of one turn of the event loop is used up. */
export interface Sharer {
  /** Begins a new share. @returns what it took of the turn, in messages; 0 where nothing had waited */
  takeTurn(): number;
}

/** Messages that have waited and are handed over in one turn, those of all sockets together. */
const messagesPerTurn = 256;

/**
 * Shares the turns of the event loop among the sockets of one door, in order: however many of them flood, everybody else
 * gets on between two turns. Costs nothing while nobody has used up a share.
 */
export class MessageTurns {
  #waiting: Sharer[] = [];
  #expected = false;

  /** Gives a sharer its next share in a later turn. It must not ask again before that. */
  wait(sharer: Sharer): void {
    this.#waiting.push(sharer);
    if (this.#expected) return;
    this.#expected = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    const sharers = this.#waiting;
    this.#waiting = [];
    let left = messagesPerTurn;
    let served = 0;
    for (const sharer of sharers) {
      if (left <= 0) break;
      left -= sharer.takeTurn();
      served++;
    }
    // Who was not served is before those who were.
    if (served < sharers.length) this.#waiting = [...sharers.slice(served), ...this.#waiting];
    this.#expected = this.#waiting.length > 0;
    if (this.#expected) setImmediate(this.#turn);
  };
}
