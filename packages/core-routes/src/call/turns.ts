import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds of work after which somebody else has a turn. */
const turnMs = 4;

/**
 * Does work that takes long, a piece at a time: that of whoever came first, and after each turn a pause as long as the turn
 * was. So others have half of the process, and wait no longer than for one turn.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /**
   * Does all pieces of a work, once the works of those who came before are done.
   *
   * @param signal ends it between two turns, and the wait for others
   * @throws what a piece throws, and the reason of the signal
   */
  async take<T>(pieces: Iterator<void, T>, signal: AbortSignal): Promise<T> {
    const before = this.#last;
    let done = (): void => {};
    this.#last = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await before;
      return await inTurns(pieces, signal);
    } finally {
      done();
    }
  }
}

async function inTurns<T>(pieces: Iterator<void, T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const startMs = performance.now();
    try {
      do {
        const piece = pieces.next();
        if (piece.done) return piece.value;
      } while (performance.now() - startMs < turnMs);
    } finally {
      await sleep(performance.now() - startMs);
    }
  }
}
