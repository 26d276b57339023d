import { HTTPError } from '@waymark/contract';
import { type Awaitable, withoutStack } from '@waymark/contract/engine';
import type { Taken } from '@waymark/contract/http';
import type { Principal } from '@waymark/contract/principal';
import { type ClientKey, toCallerKey } from './address-key.ts';
import { type BucketSize, type TokenBucket, TokenBuckets } from './token-bucket.ts';

/** Limit of the requests of one caller (specification, Limits, `rate_limit`). */
export interface RateLimitOptions {
  /** Requests per second in the long run, above 0; default: 50. */
  readonly perSecond?: number;
  /** Requests at once, 1 or more; default: 100. */
  readonly burst?: number;
}

/** The share of one caller, as far as it is used up. */
export interface Allowance {
  /** Takes `cost`, or nothing and gives the 429 that says when to come back. */
  take(cost: number): Awaitable<HTTPError | undefined>;
  /** Takes `cost`. @throws {HTTPError} 429 */
  charge(cost: number): Awaitable<void>;
  /** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10), names and values in turn. */
  toHeaders(): readonly string[];
}

/** A token bucket for each principal, and for each client address as long as it is anonymous (decision 2.9). */
export class RateLimit {
  readonly #buckets: TokenBuckets;
  readonly #size: BucketSize;
  readonly #policy: string;
  readonly #monotonic: () => number;

  /** @param monotonic milliseconds by a clock that is never set */
  constructor({ perSecond = 50, burst = 100 }: RateLimitOptions, monotonic: () => number) {
    this.#size = { perSecond, burst };
    this.#buckets = new TokenBuckets(this.#size);
    this.#policy = policyOf({ perSecond, burst });
    this.#monotonic = monotonic;
  }

  /** The allowance of a caller. */
  of(principal: Principal, client: ClientKey): CallerAllowance {
    const bucket = this.#buckets.of(toCallerKey(principal, client), this.#monotonic());
    return new CallerAllowance(bucket, this.#size, this.#policy, this.#monotonic);
  }

  /** Takes from the bucket of a caller of another door. */
  take(key: string, cost: number): Taken {
    return takeOf(this.#buckets.of(key, this.#monotonic()), cost, this.#size.burst, this.#monotonic());
  }
}

class CallerAllowance implements Allowance {
  readonly #bucket: TokenBucket;
  readonly #size: BucketSize;
  readonly #policy: string;
  readonly #monotonic: () => number;

  constructor(bucket: TokenBucket, size: BucketSize, policy: string, monotonic: () => number) {
    this.#bucket = bucket;
    this.#size = size;
    this.#policy = policy;
    this.#monotonic = monotonic;
  }

  take(cost: number): HTTPError | undefined {
    const nowMs = this.#monotonic();
    if (this.#bucket.take(cost, nowMs)) return undefined;
    return tooManyRequests('the rate limit is exceeded', this.#bucket.secondsUntil(cost, nowMs));
  }

  charge(cost: number): void {
    const refusal = this.take(cost);
    if (refusal) throw refusal;
  }

  toHeaders(): readonly string[] {
    const nowMs = this.#monotonic();
    const left = this.#bucket.left(nowMs);
    const untilFull = this.#bucket.secondsUntil(this.#size.burst, nowMs);
    return ['ratelimit', `"default";r=${left};t=${untilFull}`, 'ratelimit-policy', this.#policy];
  }
}

/** `RateLimit-Policy` of a limit. */
export function policyOf({ perSecond = 50, burst = 100 }: RateLimitOptions): string {
  return `"default";q=${Math.floor(burst)};w=${Math.ceil(burst / perSecond)}`;
}

/** Takes from a bucket, and says how it stands then. */
export function takeOf(bucket: TokenBucket, cost: number, burst: number, nowMs: number): Taken {
  const taken = bucket.take(cost, nowMs);
  return {
    taken,
    left: bucket.left(nowMs),
    untilFull: bucket.secondsUntil(burst, nowMs),
    seconds: taken ? 0 : bucket.secondsUntil(cost, nowMs),
  };
}

/** Makes the 429 of a caller over the limit, which says when to come back. */
export function tooManyRequests(detail: string, seconds: number): HTTPError {
  const headers = { 'retry-after': String(Math.max(1, seconds)) };
  return withoutStack(() => new HTTPError(429, detail, { headers }));
}
