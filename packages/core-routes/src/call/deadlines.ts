import type { Cancel } from '@waymark/contract/engine';

/** Width of a slot. A deadline fires up to two of them later than asked: at the first tick after the end of its slot. */
const slotMs = 250;

/** Shorter times get a timer of their own, so that they stay exact. */
const exactBelowMs = 2_000;

/**
 * Fires deadlines of many calls from one timer: a timer for each request costs 7 % of throughput, a slot in a set next
 * to nothing. The timer stands still while nothing waits, and never keeps the process alive.
 */
export class Deadlines {
  readonly #slots = new Map<number, Set<() => void>>();
  #timer: NodeJS.Timeout | undefined;

  /** @param onTime called once, unless cancelled first; must not throw */
  add(ms: number, onTime: () => void): Cancel {
    if (ms === Number.POSITIVE_INFINITY) return () => {};
    if (ms < exactBelowMs) {
      const timer = setTimeout(onTime, Math.max(0, ms));
      return () => clearTimeout(timer);
    }
    const entries = this.#entriesOf(Math.ceil((performance.now() + ms) / slotMs));
    entries.add(onTime);
    return () => void entries.delete(onTime);
  }

  #entriesOf(slot: number): Set<() => void> {
    const known = this.#slots.get(slot);
    if (known) return known;
    const entries = new Set<() => void>();
    this.#slots.set(slot, entries);
    this.#timer ??= setInterval(() => this.#fire(), slotMs).unref();
    return entries;
  }

  #fire(): void {
    const now = Math.floor(performance.now() / slotMs);
    for (const [slot, entries] of this.#slots) {
      if (slot > now && entries.size > 0) continue;
      this.#slots.delete(slot);
      for (const onTime of entries) onTime();
    }
    if (this.#slots.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
