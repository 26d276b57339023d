/** One stretch of work on a root: knows which operations of the whole tree work, and which wait for a human. */
export class Leg {
  /** Settles when every operation of the tree waits for a human, or the run is cancelled. */
  readonly stopped: Promise<'held' | 'cancelled'>;
  readonly #working = new Set<string>();
  readonly #holding = new Set<string>();
  readonly #releases: (() => void)[] = [];
  #resolve: (value: 'held' | 'cancelled') => void = () => {};
  #over = false;

  constructor() {
    this.stopped = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** False once the frame was dropped: nothing that still moves in it may write. */
  get live(): boolean {
    return !this.#over;
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

  cancel(): void {
    this.#resolve('cancelled');
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
