import type { Host } from '@waymark/contract/engine';

/** As long as nobody renews it; the next process takes over within this time. */
const ttlMs = 4_000;
const renewMs = 1_000;
/** So long before its end nothing is begun any more: a request may be on its way when another process begins. */
const marginMs = 1_000;

const key = 'outbox';

/** Says which process of those on one database sends. */
export class SenderLease {
  readonly #host: Pick<Host, 'stores' | 'now' | 'monotonic'>;
  readonly #holder: string;
  /** By the clock that is never set. */
  #renewedMs: number | undefined;

  constructor(host: Pick<Host, 'stores' | 'now' | 'monotonic' | 'newId'>) {
    this.#host = host;
    this.#holder = host.newId();
  }

  /** Whether this process may begin a request now. */
  get held(): boolean {
    return this.#renewedMs !== undefined && this.#host.monotonic() - this.#renewedMs < ttlMs - marginMs;
  }

  /** Takes the lease, or renews it when it is time. */
  async hold(): Promise<boolean> {
    const { stores, now, monotonic } = this.#host;
    const askedMs = monotonic();
    if (this.#renewedMs !== undefined && askedMs - this.#renewedMs < renewMs) return true;
    const lease = await stores.leases.acquire(key, this.#holder, ttlMs, now());
    this.#renewedMs = lease ? askedMs : undefined;
    return this.held;
  }

  async release(): Promise<void> {
    const held = this.#renewedMs !== undefined;
    this.#renewedMs = undefined;
    if (held) await this.#host.stores.leases.release(key, this.#holder);
  }
}
