/**
 * Lets a few ask for pictures at once; the others wait, in order. A browser holds six connections to a service, and
 * cameras that do not answer must not take them all.
 */
export class PictureLine {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** @param places how many may ask at once */
  constructor(places: number) {
    this.#free = places;
  }

  /** Waits for a place. @returns gives it back; call it once */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    return () => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }
}
