import type { Host } from '@waymark/contract/engine';

/**
 * The clock on the wall as it was when the sender began, and from then on by the clock that nobody sets: people and NTP may
 * set the one on the wall by hours, and what was to be sent in a minute is sent in a minute.
 */
export class SteadyClock {
  readonly #host: Pick<Host, 'now' | 'monotonic'>;
  readonly #offsetMs: number;

  constructor(host: Pick<Host, 'now' | 'monotonic'>) {
    this.#host = host;
    this.#offsetMs = host.now() - host.monotonic();
  }

  now(): number {
    return Math.round(this.#host.monotonic() + this.#offsetMs);
  }

  /** Before it, by both clocks: of what was added while they differ nothing is taken for older than it is. */
  ago(ms: number): number {
    return Math.min(this.now(), this.#host.now()) - ms;
  }
}
