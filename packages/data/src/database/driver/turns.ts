import { unavailable } from '../to-db-error.ts';
import { WriteOrder } from './write-order.ts';

/** Something that waits for its turn. */
interface Turn {
  begin(): void;
}

/** Work that is done one after another: writes and transactions, in the order of a `WriteOrder`. */
export class Turns {
  readonly #waitMs: number;
  readonly #order = new WriteOrder<Turn>();
  #underWay: Turn | undefined;

  /** @param waitMs how long work may wait for its turn; then it is 503 */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** @param signal takes back what has not begun @param caller whose it is */
  write<T>(work: () => Promise<T>, signal?: AbortSignal, caller?: unknown): Promise<T> {
    return this.#take((turn) => this.#order.addWrite(turn, caller), work, signal);
  }

  /** The same for a transaction. */
  transaction<T>(work: () => Promise<T>, signal?: AbortSignal, caller?: unknown): Promise<T> {
    return this.#take((turn) => this.#order.addTransaction(turn, caller), work, signal);
  }

  async #take<T>(add: (turn: Turn) => void, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = await this.#wait(add, signal);
    try {
      return await work();
    } finally {
      this.#order.end(turn);
      this.#order.leave(turn);
      this.#underWay = undefined;
      this.#next();
    }
  }

  #wait(add: (turn: Turn) => void, signal?: AbortSignal): Promise<Turn> {
    return new Promise((resolve, reject) => {
      const settle = (how: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        how();
      };
      const turn: Turn = { begin: () => settle(() => resolve(turn)) };
      const giveUp = (reason: unknown): void => {
        this.#order.leave(turn);
        settle(() => reject(reason));
      };
      const abort = (): void => giveUp(signal?.reason);
      const timer = setTimeout(() => giveUp(unavailable('is busy')), this.#waitMs);
      if (signal?.aborted) {
        abort();
        return;
      }
      signal?.addEventListener('abort', abort);
      add(turn);
      this.#next();
    });
  }

  #next(): void {
    if (this.#underWay) return;
    [this.#underWay] = this.#order.next(1);
    this.#underWay?.begin();
  }
}
