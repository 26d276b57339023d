import type { Cancel } from '@waymark/contract/engine';

/** Calls are looked at so often: one that is told of has lasted for this long, and for less than twice as long. */
const tickMs = 25;

/**
 * Tells of calls that last, all of them at once: they are noted in one transaction, and short ones cost nothing. One timer
 * for all, which stands still while nothing is under way and never keeps the process alive.
 */
export class LongCalls {
  #young = new Set<() => void>();
  #old = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  /** @param onLong called once, unless cancelled first; must not throw */
  add(onLong: () => void): Cancel {
    this.#young.add(onLong);
    this.#timer ??= setInterval(() => this.#tick(), tickMs).unref();
    return () => {
      if (!this.#young.delete(onLong)) this.#old.delete(onLong);
    };
  }

  #tick(): void {
    const long = this.#old;
    this.#old = this.#young;
    this.#young = new Set();
    for (const onLong of long) onLong();
    if (this.#old.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
