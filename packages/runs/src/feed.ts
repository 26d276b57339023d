import type { Progress } from '@waymark/contract';

/** Of one follower that is slow: beyond it, it reads from the table again. */
const keepEvents = 256;

/** What one follower has not seen yet. */
export class Following {
  #events: Progress[] = [];
  #wake: () => void = () => {};
  /** Events were lost, or the run settled: the table knows more. */
  stale = false;

  push(progress: Progress): void {
    if (this.#events.length < keepEvents) this.#events.push(progress);
    else this.stale = true;
    this.#wake();
  }

  turn(): void {
    this.stale = true;
    this.#wake();
  }

  take(): readonly Progress[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Settles when there is something to see, at the latest after `ms`, or when the signal fires. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.stale || this.#events.length > 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#wake = () => {};
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      this.#wake = done;
    });
  }
}

/** Events of the roots that this process executes, for whoever follows them. */
export class Feed {
  readonly #followings = new Map<string, Set<Following>>();

  follow(rootId: string): Following {
    const following = new Following();
    const others = this.#followings.get(rootId);
    if (others) others.add(following);
    else this.#followings.set(rootId, new Set([following]));
    return following;
  }

  leave(rootId: string, following: Following): void {
    const all = this.#followings.get(rootId);
    all?.delete(following);
    if (all?.size === 0) this.#followings.delete(rootId);
  }

  isFollowed(rootId: string): boolean {
    return this.#followings.has(rootId);
  }

  publish(rootId: string, progress: Progress): void {
    for (const following of this.#followings.get(rootId) ?? []) following.push(progress);
  }

  /** Something changed for every root. */
  turnAll(): void {
    for (const rootId of this.#followings.keys()) this.turn(rootId);
  }

  /** The root changed in a way that only the table tells. */
  turn(rootId: string): void {
    for (const following of this.#followings.get(rootId) ?? []) following.turn();
  }
}
