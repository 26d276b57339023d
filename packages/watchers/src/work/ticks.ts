import type { Cancel, Host } from '@waymark/contract/engine';

type Clock = Pick<Host, 'monotonic' | 'after'>;

/**
 * Calls back at its start and every so many milliseconds after it, counted from there: late timers do not add up. What
 * could not be kept is left out. The clock on the wall has no part in it.
 */
export class Ticks {
  readonly #everyMs: number;
  readonly #clock: Clock;
  readonly #tick: () => Promise<void> | void;
  #cancel: Cancel | undefined;
  #nextMs: number | undefined;

  /** @param tick must not reject */
  constructor(everyMs: number, clock: Clock, tick: () => Promise<void> | void) {
    this.#everyMs = everyMs;
    this.#clock = clock;
    this.#tick = tick;
  }

  /** Milliseconds until the next one; undefined while it stands still. */
  get untilNextMs(): number | undefined {
    return this.#nextMs === undefined ? undefined : Math.max(0, this.#nextMs - this.#clock.monotonic());
  }

  /** The first one comes at once, but not within this call. */
  start(): void {
    this.stop();
    this.#schedule(this.#clock.monotonic(), 0);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#nextMs = undefined;
  }

  #schedule(startMs: number, count: number): void {
    const dueMs = startMs + count * this.#everyMs;
    this.#nextMs = dueMs;
    this.#cancel = this.#clock.after(Math.max(0, dueMs - this.#clock.monotonic()), async () => {
      const passed = Math.floor((this.#clock.monotonic() - startMs) / this.#everyMs);
      // A timer may fire a little early.
      this.#schedule(startMs, Math.max(passed, count) + 1);
      await this.#tick();
    });
  }
}
