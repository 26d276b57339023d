import type { Call, HTTPError, Progress } from '@waymark/contract';

/** Why a leg stopped before its run ended. */
export type Stop = 'held' | 'cancelled' | 'late';

/** One stretch of work on a root: knows which operations of the whole tree work, and which wait for a human. */
export class Leg {
  /** Settles when every operation of the tree waits for a human, the run is cancelled, or its time is over. */
  readonly stopped: Promise<Stop>;
  readonly observe: Call['observe'];
  readonly deadlineMs: number;
  readonly #working = new Set<string>();
  readonly #holding = new Set<string>();
  readonly #releases: (() => void)[] = [];
  readonly #controller = new AbortController();
  #resolve: (value: Stop) => void = () => {};
  #over = false;

  constructor(deadlineMs: number, observe: ((progress: Progress) => void) | undefined) {
    this.deadlineMs = deadlineMs;
    this.observe = observe;
    this.stopped = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** False once the frame was dropped: nothing that still moves in it may write. */
  get live(): boolean {
    return !this.#over;
  }

  /** One for the whole tree: children work on the time of their root. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  works(key: string): void {
    this.#holding.delete(key);
    this.#working.add(key);
  }

  holds(key: string): void {
    this.#working.delete(key);
    this.#holding.add(key);
    this.#look();
  }

  /** The operation is done, or a child works in its place. */
  leaves(key: string): void {
    this.#working.delete(key);
    this.#look();
  }

  onDrop(release: () => void): void {
    this.#releases.push(release);
  }

  /** Nobody waits for the work any more. */
  stop(why: Exclude<Stop, 'held'>, reason: HTTPError | DOMException): void {
    this.#resolve(why);
    this.#controller.abort(reason);
  }

  drop(): void {
    this.#over = true;
    for (const release of this.#releases.splice(0)) release();
  }

  /** One turn later, since whoever was just given a result may ask for more. */
  #look(): void {
    setImmediate(() => {
      if (this.#working.size === 0 && this.#holding.size > 0) this.#resolve('held');
    });
  }
}
