import type { Cancel, Host } from '@waymark/contract/engine';
import type { DeviceStatus } from '@waymark/contract/hub';

/** Milliseconds of silence after which a device is stale, and then offline: above 0, and stale before offline. */
export interface PresenceThresholds {
  readonly staleAfterMs: number;
  readonly offlineAfterMs: number;
}

/**
 * Follows whether a device speaks.
 *
 * A pause below `staleAfterMs` goes unnoticed. A device that fell silent is back with its second word within
 * `staleAfterMs`, the first one only ends being offline: one that speaks now and then stays stale and does not flicker.
 */
export class Presence {
  readonly #thresholds: PresenceThresholds;
  readonly #host: Pick<Host, 'monotonic' | 'after'>;
  readonly #onChange: (status: DeviceStatus) => void;
  #status: DeviceStatus = 'offline';
  #lastMs: number | undefined;
  #cancel: Cancel | undefined;

  constructor(
    thresholds: PresenceThresholds,
    host: Pick<Host, 'monotonic' | 'after'>,
    onChange: (status: DeviceStatus) => void,
  ) {
    this.#thresholds = thresholds;
    this.#host = host;
    this.#onChange = onChange;
  }

  get status(): DeviceStatus {
    return this.#status;
  }

  /** The device said something. */
  heard(): void {
    const nowMs = this.#host.monotonic();
    const silentMs = this.#lastMs === undefined ? 0 : nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    if (this.#status === 'online') return;
    this.#become(silentMs < this.#thresholds.staleAfterMs ? 'online' : 'stale');
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #become(status: DeviceStatus): void {
    const before = this.#status;
    this.#status = status;
    this.#watch();
    if (status !== before) this.#onChange(status);
  }

  /** One timer, for the next time that silence could mean something; words in between only move `#lastMs`. */
  #watch(): void {
    this.stop();
    if (this.#status === 'offline' || this.#lastMs === undefined) return;
    const { staleAfterMs, offlineAfterMs } = this.#thresholds;
    const dueMs = this.#lastMs + (this.#status === 'online' ? staleAfterMs : offlineAfterMs);
    this.#cancel = this.#host.after(dueMs - this.#host.monotonic(), () => this.#look());
  }

  #look(): void {
    const silentMs = this.#host.monotonic() - (this.#lastMs ?? 0);
    const { staleAfterMs, offlineAfterMs } = this.#thresholds;
    if (silentMs >= offlineAfterMs) this.#become('offline');
    else if (silentMs >= staleAfterMs) this.#become('stale');
    else this.#watch();
  }
}
