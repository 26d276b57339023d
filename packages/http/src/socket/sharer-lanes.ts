/** Somebody whose share of one turn of the event loop is used up. */
export interface Sharer {
  /** Whose it is. */
  readonly callerKey: string;
  /** Begins a new share. @returns what it took of the turn, in messages; 0 where nothing had waited */
  takeTurn(): number;
}

/** Those who wait for a turn, in lanes of their callers: one of each comes in turn, however many sockets another one has. */
export class SharerLanes {
  /** Whose turn is next comes first. */
  readonly #lanes = new Map<string, Sharer[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(sharer: Sharer): void {
    const lane = this.#lanes.get(sharer.callerKey);
    if (lane) lane.push(sharer);
    else this.#lanes.set(sharer.callerKey, [sharer]);
    this.#size++;
  }

  /** Takes out whoever is next. */
  shift(): Sharer | undefined {
    const [next] = this.#lanes;
    if (!next) return undefined;
    const [caller, lane] = next;
    this.#lanes.delete(caller);
    if (lane.length > 1) this.#lanes.set(caller, lane);
    this.#size--;
    return lane.shift();
  }
}
