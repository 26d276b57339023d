/** What goes on for longer than an answer takes, by the session that it was begun with: sockets, and streams without an end. */
export class SessionUses {
  // As many entries as the door has places for them.
  readonly #ends = new Map<string, Set<() => void>>();

  /** @param end ends it; called once at most @returns takes it out again */
  add(session: string, end: () => void): () => void {
    const ends = this.#ends.get(session) ?? new Set();
    this.#ends.set(session, ends.add(end));
    return () => {
      ends.delete(end);
      if (ends.size === 0 && this.#ends.get(session) === ends) this.#ends.delete(session);
    };
  }

  /** Ends everything that was begun with a session. */
  end(session: string): void {
    const ends = this.#ends.get(session) ?? [];
    this.#ends.delete(session);
    for (const end of ends) end();
  }
}
