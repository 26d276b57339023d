import { DeclarationError } from '@waymark/contract';
import { FailureLimit } from '../limits/failure-limit.ts';
import { RateLimit } from '../limits/rate-limit.ts';
import { checkPolicies } from './check-policies.ts';
import { FixedHeaders } from './fixed-headers.ts';
import { OuterGuards } from './outer-guards.ts';
import type { PolicyOptions } from './policy-options.ts';
import { createClientSideReader, type ReadClientSide } from './trust-proxy.ts';

/** The policies at work. */
export class Policies {
  readonly guards: OuterGuards;
  readonly headers: FixedHeaders;
  readonly failures: FailureLimit;
  readonly rate: RateLimit | undefined;
  readonly readClientSide: ReadClientSide;

  /** @throws {DeclarationError} for options that contradict themselves: see `checkPolicies` */
  constructor(options: PolicyOptions) {
    const problems = checkPolicies(options);
    if (problems.length > 0) throw new DeclarationError(problems);
    const { securityHeaders, cors, rateLimit, failureLimit = {}, trustProxy = false } = options;
    // Clocks that people set are no measure of time that passed.
    const monotonic = (): number => performance.now();
    this.guards = new OuterGuards(options);
    this.headers = new FixedHeaders(securityHeaders, cors);
    this.failures = new FailureLimit(failureLimit, monotonic);
    this.rate = rateLimit && new RateLimit(rateLimit, monotonic);
    this.readClientSide = createClientSideReader(trustProxy);
  }
}
