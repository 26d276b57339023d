import type { HTTPError } from '@waymark/contract';
import type { ClientKey } from './address-key.ts';
import { tooManyRequests } from './rate-limit.ts';
import { TokenBuckets } from './token-bucket.ts';

/** How often one client address may fail (decision 2.9). */
export interface FailureLimitOptions {
  /** 20. */
  readonly perSecond?: number;
  /** 200. */
  readonly burst?: number;
}

/**
 * Slows down who looks for paths or guesses keys. Two counts for each client address:
 *
 * - its answers 401 and 404. When they are used up, further ones become 429; everything else goes on, so that those who
 *   share an address with a scanner keep their service.
 * - its wrong credentials. When they are used up, credentials from there are refused unseen: among many 429, the one
 *   right key would stand out otherwise. Requests without a credential go on.
 */
export class FailureLimit {
  readonly #answers: TokenBuckets;
  readonly #credentials: TokenBuckets;
  readonly #monotonic: () => number;

  /** @param monotonic milliseconds by a clock that is never set */
  constructor({ perSecond = 20, burst = 200 }: FailureLimitOptions, monotonic: () => number) {
    this.#answers = new TokenBuckets({ perSecond, burst });
    this.#credentials = new TokenBuckets({ perSecond, burst });
    this.#monotonic = monotonic;
  }

  /** Asked before a credential is looked at. */
  refusal(client: ClientKey): HTTPError | undefined {
    // The usual case costs nothing.
    if (this.#credentials.count === 0) return undefined;
    const bucket = this.#credentials.known(client.addressKey);
    if (!bucket) return undefined;
    const seconds = bucket.secondsUntil(1, this.#monotonic());
    return seconds === 0
      ? undefined
      : tooManyRequests('too many wrong credentials came from this address', seconds);
  }

  /** Told of each credential that was wrong. */
  wrongCredential({ addressKey }: ClientKey): void {
    const nowMs = this.#monotonic();
    this.#credentials.of(addressKey, nowMs).take(1, nowMs);
  }

  /** Told of each answer; gives what is to be answered instead, if anything. */
  replacement(status: number, client: ClientKey): HTTPError | undefined {
    if (status !== 401 && status !== 404) return undefined;
    const nowMs = this.#monotonic();
    const bucket = this.#answers.of(client.addressKey, nowMs);
    if (bucket.take(1, nowMs)) return undefined;
    return tooManyRequests('too many requests from this address failed', bucket.secondsUntil(1, nowMs));
  }
}
