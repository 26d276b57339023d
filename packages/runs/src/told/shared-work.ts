/** Work that several ask for at the same time is done once. */
export class SharedWork<T> {
  /** Under way; as many as there are keys that somebody waits for. */
  readonly #underWay = new Map<string, Promise<T>>();

  of(key: string, work: () => Promise<T>): Promise<T> {
    const joined = this.#underWay.get(key);
    if (joined) return joined;
    const begun = work().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, begun);
    return begun;
  }
}
