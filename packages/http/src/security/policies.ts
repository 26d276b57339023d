import { DeclarationError } from '@waymark/contract';
import type { SharedLimits, Taken } from '@waymark/contract/http';
import { FailureLimit } from '../limits/failure-limit.ts';
import { RateLimit } from '../limits/rate-limit.ts';
import { SharedFailureLimit, SharedRateLimit } from '../limits/shared-limits.ts';
import { checkPolicies } from './check-policies.ts';
import { FixedHeaders } from './fixed-headers.ts';
import { OuterGuards } from './outer-guards.ts';
import type { PolicyOptions } from './policy-options.ts';
import { createClientSideReader, type ReadClientSide } from './trust-proxy.ts';

/** Buckets that are kept elsewhere. */
interface SharedBuckets {
  readonly sharedLimits?: SharedLimits | undefined;
  readonly sharedRate?: SharedLimits | undefined;
}

/** The policies at work. */
export class Policies {
  readonly guards: OuterGuards;
  readonly headers: FixedHeaders;
  readonly failures: FailureLimit | SharedFailureLimit;
  readonly rate: RateLimit | SharedRateLimit | undefined;
  readonly readClientSide: ReadClientSide;
  readonly #ownRate: RateLimit | SharedRateLimit | undefined;

  /** @throws {DeclarationError} for options that contradict themselves: see `checkPolicies` */
  constructor(options: PolicyOptions, { sharedLimits: shared, sharedRate }: SharedBuckets = {}) {
    const problems = checkPolicies(options);
    if (problems.length > 0) throw new DeclarationError(problems);
    const { securityHeaders, cors, rateLimit, failureLimit = {}, trustProxy = false } = options;
    // Clocks that people set are no measure of time that passed.
    const monotonic = (): number => performance.now();
    this.guards = new OuterGuards(options);
    this.headers = new FixedHeaders(securityHeaders, cors);
    this.failures = shared ? new SharedFailureLimit(shared) : new FailureLimit(failureLimit, monotonic);
    if (rateLimit) {
      const own = shared ? new SharedRateLimit(rateLimit, shared) : new RateLimit(rateLimit, monotonic);
      this.#ownRate = own;
      this.rate = sharedRate ? new SharedRateLimit(rateLimit, orElse(sharedRate, own)) : own;
    }
    this.readClientSide = createClientSideReader(trustProxy);
  }

  /** Takes from a bucket for another door; undefined where there is no such limit. */
  take(limit: 'rate' | 'failures', key: string, cost: number): Taken | undefined {
    const kept = limit === 'rate' ? this.#ownRate : this.failures;
    return kept && !(kept instanceof SharedRateLimit) && 'take' in kept ? kept.take(key, cost) : undefined;
  }
}

/** Who cannot be asked leaves it to the door itself. */
function orElse(shared: SharedLimits, own: RateLimit | SharedRateLimit): SharedLimits {
  return {
    take: async (limit, key, cost) => (await shared.take(limit, key, cost)) ?? own.take(key, cost),
  };
}
