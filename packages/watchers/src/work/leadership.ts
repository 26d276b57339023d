import type { Cancel, Host } from '@waymark/contract/engine';

/** How long the lease is held without being renewed, and how often it is renewed, milliseconds. */
const leaseMs = 3_000;
const renewMs = 1_000;

const leaseKey = 'watchers';

/** What whoever leads is told. Neither may throw. */
export interface LeadershipListener {
  /** Awaited before the next renewal. */
  gained(): Promise<void> | void;
  lost(): void;
}

/**
 * One process of all on a database runs the watchers: the one with the lease in `stores.leases`. After a kill the next one
 * has it within seconds; after a stop at once.
 *
 * Whether it still holds is counted by a clock that nobody sets: a process that stood still knows that it may have lost it.
 */
export class Leadership {
  readonly #host: Host;
  readonly #holder: string;
  readonly #listener: LeadershipListener;
  #untilMs = Number.NEGATIVE_INFINITY;
  #leads = false;
  #stopped = false;
  #cancel: Cancel | undefined;
  #asking: Promise<void> | undefined;

  constructor(host: Host, listener: LeadershipListener) {
    this.#host = host;
    this.#holder = host.newId();
    this.#listener = listener;
  }

  /** As far as is known without asking. */
  get held(): boolean {
    return this.#leads && this.#host.monotonic() < this.#untilMs;
  }

  /** Asks for the lease, now and each second. */
  async start(): Promise<void> {
    await this.#turn();
  }

  /** Whether it is held for sure: renews it, right before what only one process may do. */
  async confirm(): Promise<boolean> {
    if (!this.#leads || this.#stopped) return false;
    await this.#ask();
    return this.held;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#asking?.catch(() => {});
    if (!this.#leads) return;
    this.#leads = false;
    await this.#host.stores.leases.release(leaseKey, this.#holder);
  }

  async #turn(): Promise<void> {
    if (this.#stopped) return;
    this.#cancel = this.#host.after(renewMs, () => this.#turn());
    try {
      this.#asking = this.#ask();
      await this.#asking;
    } catch (error) {
      // Without an answer nothing is known: what was held runs out.
      this.#host.log('warn', 'the lease of the watchers could not be asked for', { error });
    }
    if (this.#leads && !this.held) this.#lose();
  }

  async #ask(): Promise<void> {
    const { stores, now, monotonic } = this.#host;
    // Counted from before the question: the answer may take a while.
    const askedMs = monotonic();
    const lease = await stores.leases.acquire(leaseKey, this.#holder, leaseMs, now());
    if (!lease) return this.#leads ? this.#lose() : undefined;
    this.#untilMs = askedMs + leaseMs;
    if (this.#leads || this.#stopped) return;
    this.#leads = true;
    try {
      await this.#listener.gained();
    } catch (error) {
      // It is asked again in a second.
      this.#leads = false;
      throw error;
    }
  }

  #lose(): void {
    this.#leads = false;
    this.#untilMs = Number.NEGATIVE_INFINITY;
    this.#listener.lost();
  }
}
