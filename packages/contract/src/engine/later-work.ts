/** Turns of the event loop that work is put off for while connections come. */
const turnsOff = 16;

/** Connections that the servers of this process have accepted. */
let accepted = 0;

/** A connection was accepted. */
export function noteAccepted(): void {
  accepted++;
}

/**
 * Work for a later turn of the event loop: for the next one; while connections come, for one that is up to 16 turns later.
 * Node accepts one connection in a turn. With 4 ms of work in each, whoever opened two hundred at once kept the next one who
 * connects waiting for 400 ms and more (measured); a turn that only accepts takes 0.1 ms.
 */
export class LaterWork {
  readonly #work: () => void;
  /** Of those that were accepted. */
  #seen = accepted;
  #left = 0;

  constructor(work: () => void) {
    this.#work = work;
  }

  /** Does the work once, in a later turn. */
  await(): void {
    this.#left = turnsOff;
    setImmediate(this.#look);
  }

  readonly #look = (): void => {
    if (this.#seen !== accepted && this.#left > 0) {
      this.#seen = accepted;
      this.#left--;
      setImmediate(this.#look);
      return;
    }
    this.#work();
  };
}
