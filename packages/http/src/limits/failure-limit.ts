import type { HTTPError } from '@waymark/contract';
import { type RouteResponse, toErrorResponse } from '@waymark/contract/engine';
import type { Taken } from '@waymark/contract/http';
import type { ClientKey } from './address-key.ts';
import { takeOf, tooManyRequests } from './rate-limit.ts';
import { TokenBuckets } from './token-bucket.ts';

/** Limit of the failed requests (401, 404) of one client address (decision 2.9). */
export interface FailureLimitOptions {
  /** Failures per second in the long run, above 0; default: 20. */
  readonly perSecond?: number;
  /** Failures at once, 1 or more; default: 200. */
  readonly burst?: number;
}

/**
 * Slows down who looks for paths or tries keys: a count of failures for each client address (decision 2.1). What counts
 * is said by `Entrance`. When it is used up, the failures themselves become 429 and nothing else does: many callers may
 * share one address, and a right credential, which has too many bits to be guessed, is not refused for the wrong ones
 * beside it.
 */
export class FailureLimit {
  readonly #buckets: TokenBuckets;
  readonly #monotonic: () => number;
  readonly #burst: number;

  /** @param monotonic milliseconds by a clock that is never set */
  constructor({ perSecond = 20, burst = 200 }: FailureLimitOptions, monotonic: () => number) {
    this.#buckets = new TokenBuckets({ perSecond, burst });
    this.#monotonic = monotonic;
    this.#burst = burst;
  }

  /** Charges one failure to its address. @returns the answer to it: the one given, or 429 when the count is used up */
  charge(client: ClientKey, failure: RouteResponse): RouteResponse {
    const nowMs = this.#monotonic();
    const bucket = this.#buckets.of(client.addressKey, nowMs);
    if (bucket.take(1, nowMs)) return failure;
    return toErrorResponse(tooManyFailures(bucket.secondsUntil(1, nowMs)));
  }

  /** Takes from the bucket of an address of another door. */
  take(key: string, cost: number): Taken {
    const nowMs = this.#monotonic();
    return takeOf(this.#buckets.of(key, nowMs), cost, this.#burst, nowMs);
  }
}

/** Makes the 429 of an address over the limit of failures. */
export function tooManyFailures(seconds: number): HTTPError {
  return tooManyRequests('too many requests from this address failed', seconds);
}
