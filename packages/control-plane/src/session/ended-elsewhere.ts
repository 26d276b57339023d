import type { Host } from '@waymark/contract/engine';
import type { EndedSessionStore, Sessions } from '@waymark/contract/principal';

/** Sign-outs read at once. */
const atOnce = 1_000;
/** How often the store is asked what other processes have ended. */
const lookMs = 1_000;

/** What is needed to hear of other processes. */
export type EndedElsewhereParts = Pick<Host, 'after' | 'log'> & {
  readonly store: EndedSessionStore;
  readonly sessions: Sessions;
};

/**
 * Takes up from the store which sessions other processes have ended, before this one began and from then on: where the store
 * outlives a process, so does a sign-out, and where several write it, all of them know within a second or two.
 */
export class EndedElsewhere {
  readonly #parts: EndedElsewhereParts;
  /** The number of the last one that was read. */
  #read = 0;
  #fails = false;

  constructor(parts: EndedElsewhereParts) {
    this.#parts = parts;
  }

  /** Looks again and again, until the host's timers stand still. */
  follow(): void {
    const { after, log } = this.#parts;
    after(lookMs, async () => {
      try {
        await this.look();
        this.#fails = false;
      } catch (error) {
        if (!this.#fails) log('warn', 'who signed out at other processes cannot be read', { error });
        this.#fails = true;
      }
      this.follow();
    });
  }

  /** Takes up what was ended since the last look, and at the first all that is kept. */
  async look(): Promise<void> {
    const { store, sessions } = this.#parts;
    for (;;) {
      const { ended, newest } = await store.following(this.#read, atOnce);
      for (const { session } of ended) sessions.restore(session);
      // Of another file, or an older state of it, the numbers begin anew.
      this.#read = ended.at(-1)?.n ?? Math.min(this.#read, newest);
      if (ended.length < atOnce) return;
    }
  }
}
