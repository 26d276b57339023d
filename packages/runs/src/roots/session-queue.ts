/** Turns of one session follow each other: whoever comes first is served first. */
export class SessionQueue {
  /** The end of the last turn that was asked for. */
  readonly #tails = new Map<string, Promise<void>>();

  /** @returns ends the turn; called once */
  async enter(key: string): Promise<() => void> {
    const before = this.#tails.get(key);
    let leave: () => void = () => {};
    const tail = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#tails.set(key, tail);
    await before;
    return () => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
      leave();
    };
  }
}
