import type { Principal } from '@waymark/contract/principal';
import type { RunStore, SessionStore } from '@waymark/contract/stores';
import type { RunNotices } from './notices.ts';

/** Stores of a runner, and its times in milliseconds. */
export interface RunnerOptions {
  readonly store: RunStore;
  readonly sessions: SessionStore;
  /** How long a root stays with a process that says nothing, 15 minutes at most; 30,000. */
  readonly leaseMs?: number;
  /** How often it says something; 10,000. */
  readonly renewMs?: number;
  /** Roots taken up again at once; 256. */
  readonly maxResumed?: number;
  /** How long what runs may go on when shutdown begins: `shutdownTimeout` less 2 s; 28,000. */
  readonly drainMs?: number;
  /**
   * How long a model is asked again whose provider is out of reach, from its first failure on, before that is the failure
   * of the run; 0 fails at once. 1 hour.
   */
  readonly giveUpAfterMs?: number;
  /** Terminal roots are kept for so long; 7 days. */
  readonly keepMs?: number;
  /** At most so many of them; 100,000. */
  readonly keepRuns?: number;
  /**
   * What started this process: others that it starts in its place have the same code, and are as old. Its own, by default:
   * whoever starts later is of a later release.
   */
  readonly boot?: string;
  /**
   * Whether a failure that nobody handled ends this process: what it executes and gives back then counts as if it had died,
   * five times at most. Never, by default.
   */
  readonly failed?: () => boolean;
  /** Between 0 and 1, for pauses; `Math.random`. */
  readonly random?: () => number;
  /**
   * What a stored principal may do today; undefined: it is gone (`caller_gone`). What comes back never gives more than
   * what was stored. As stored, by default.
   */
  readonly today?: (principal: Principal) => Principal | undefined;
  /** Deliveries of what happens to runs, stored in the same commit; none. */
  readonly notices?: RunNotices;
}
