import type { HTTPError } from '@waymark/contract';
import { type RouteResponse, toErrorResponse } from '@waymark/contract/engine';
import type { SharedLimits, Taken } from '@waymark/contract/http';
import type { Principal } from '@waymark/contract/principal';
import { type ClientKey, toCallerKey } from './address-key.ts';
import { tooManyFailures } from './failure-limit.ts';
import { type Allowance, policyOf, type RateLimitOptions, tooManyRequests } from './rate-limit.ts';

/** The rate limit of a door whose buckets are elsewhere. */
export class SharedRateLimit {
  readonly #limits: SharedLimits;
  readonly #policy: string;

  constructor(options: RateLimitOptions, limits: SharedLimits) {
    this.#limits = limits;
    this.#policy = policyOf(options);
  }

  /** Takes from the bucket of a caller. */
  take(key: string, cost: number): Promise<Taken | undefined> {
    return this.#limits.take('rate', key, cost);
  }

  of(principal: Principal, client: ClientKey): Allowance {
    return new SharedAllowance(toCallerKey(principal, client), this.#limits, this.#policy);
  }
}

class SharedAllowance implements Allowance {
  readonly #key: string;
  readonly #limits: SharedLimits;
  readonly #policy: string;
  #last: Taken | undefined;

  constructor(key: string, limits: SharedLimits, policy: string) {
    this.#key = key;
    this.#limits = limits;
    this.#policy = policy;
  }

  async take(cost: number): Promise<HTTPError | undefined> {
    const taken = await this.#limits.take('rate', this.#key, cost);
    this.#last = taken ?? this.#last;
    return taken && !taken.taken ? tooManyRequests('the rate limit is exceeded', taken.seconds) : undefined;
  }

  async charge(cost: number): Promise<void> {
    const refusal = await this.take(cost);
    if (refusal) throw refusal;
  }

  /** As of what was taken last. */
  toHeaders(): readonly string[] {
    if (!this.#last) return [];
    const { left, untilFull } = this.#last;
    return ['ratelimit', `"default";r=${left};t=${untilFull}`, 'ratelimit-policy', this.#policy];
  }
}

/** The limit of failures of a door whose buckets are elsewhere. */
export class SharedFailureLimit {
  readonly #limits: SharedLimits;

  constructor(limits: SharedLimits) {
    this.#limits = limits;
  }

  /** Charges one failure to its address. @returns the answer to it: the one given, or 429 when the count is used up */
  async charge(client: ClientKey, failure: RouteResponse): Promise<RouteResponse> {
    const taken = await this.#limits.take('failures', client.addressKey, 1);
    return taken && !taken.taken ? toErrorResponse(tooManyFailures(taken.seconds)) : failure;
  }
}
