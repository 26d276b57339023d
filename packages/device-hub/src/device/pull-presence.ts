import type { DeviceStatus } from '@waymark/contract/hub';
import type { PresenceThresholds } from './presence.ts';

/**
 * Follows whether a camera gives pictures when it is asked. That nobody asks says nothing of it: it stays as its last pull
 * left it.
 *
 * One pull that fails soon after a good one goes unnoticed, the second makes it stale; it is offline once it has failed
 * for so long. It is back with its second picture in a row, the first one only ends being offline.
 */
export class PullPresence {
  readonly #thresholds: PresenceThresholds;
  readonly #monotonic: () => number;
  readonly #onChange: (status: DeviceStatus) => void;
  #status: DeviceStatus = 'offline';
  #goodAtMs: number | undefined;
  #failingSinceMs: number | undefined;

  constructor(
    thresholds: PresenceThresholds,
    monotonic: () => number,
    onChange: (status: DeviceStatus) => void,
  ) {
    this.#thresholds = thresholds;
    this.#monotonic = monotonic;
    this.#onChange = onChange;
  }

  get status(): DeviceStatus {
    return this.#status;
  }

  /** It gave a picture. */
  heard(): void {
    const isBack =
      this.#failingSinceMs === undefined || this.#goodAtMs === undefined || this.#status === 'online';
    this.#goodAtMs = this.#monotonic();
    this.#failingSinceMs = undefined;
    this.#become(isBack ? 'online' : 'stale');
  }

  /** It gave none. */
  missed(): void {
    const nowMs = this.#monotonic();
    const isSecond = this.#failingSinceMs !== undefined;
    this.#failingSinceMs ??= nowMs;
    if (this.#status === 'offline') return;
    const { staleAfterMs, offlineAfterMs } = this.#thresholds;
    if (nowMs - this.#failingSinceMs >= offlineAfterMs) this.#become('offline');
    else if (isSecond || nowMs - (this.#goodAtMs ?? nowMs) >= staleAfterMs) this.#become('stale');
  }

  #become(status: DeviceStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#onChange(status);
  }
}
