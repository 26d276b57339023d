import { LaterWork } from '@waymark/contract/engine';
import { UncollectedBytes } from './uncollected-bytes.ts';

/** Bytes of bodies that all together are given in a turn of the event loop: 1 to 2 ms. */
export const bytesATurn = 1_048_576;

/** V8 has so much to collect of bodies that it would not keep up: until it has, one turn in so many milliseconds reads of them. */
const manyBytes = 33_554_432;
const slowMs = 8;

/** Milliseconds of a turn behind which nothing more is read in it: what is made of a piece may take longer than to read it. */
const turnMs = 2;

/** A body that is read, or a connection. */
export interface Reading {
  /** What it took since it waited last. */
  cost: number;
  goOn(): void;
}

/**
 * How fast bodies are read. Node reads up to 2 MiB of each connection before it looks at the next one, and all of them before
 * it does anything else: four bodies of 32 MiB kept others waiting for 15 ms at each turn of the event loop, and eight whose
 * chunks hold a byte each for 600 ms.
 */
export class BodyPace {
  /** Of bodies whose request is over. */
  readonly uncollected = new UncollectedBytes();
  #left = bytesATurn;
  #sinceMs = 0;
  #isWatched = false;
  readonly #waiting = new Set<Reading>();
  readonly #later = new LaterWork(() => this.#begin());

  /** Counts what has come. @returns whether more may be read in this turn */
  take(cost: number): boolean {
    this.#left -= cost;
    this.#watch();
    return this.isOpen;
  }

  /** What may still be taken in this turn; negative where the last one took more. */
  get left(): number {
    return this.#left;
  }

  /** Whether something may be read in this turn. */
  get isOpen(): boolean {
    return this.#left > 0 && (!this.#isWatched || performance.now() - this.#sinceMs < turnMs);
  }

  /** Lets a body go on in one of the next turns: as many in each as took no more than a turn has, and at least one. */
  wait(reading: Reading): void {
    this.#waiting.add(reading);
    this.#watch();
  }

  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#sinceMs = performance.now();
    if (this.uncollected.bytes < manyBytes) this.#later.await();
    else setTimeout(() => this.#begin(), slowMs);
  }

  #begin(): void {
    this.#isWatched = false;
    this.#left = bytesATurn;
    if (this.#waiting.size === 0) return;
    this.#watch();
    let left = bytesATurn;
    for (const one of this.#waiting) {
      if (left <= 0 || !this.isOpen) break;
      left -= one.cost;
      one.cost = 0;
      this.#waiting.delete(one);
      one.goOn();
    }
  }
}

/** Of this process, which has one event loop. */
export const bodyPace = new BodyPace();
