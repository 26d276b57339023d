import { callSite, type Declaration, isOptions } from '@waymark/contract/declaring';

/** Options of a watcher (specification, Watcher options). */
export interface WatchOptions {
  /** Name of the camera or sensor that is watched. */
  readonly device: string;
  /** Name of the agent that is run when something changed. */
  readonly agent: string;
  /** What the agent is asked; the newest reading is added to it as JSON. Default: a sentence that names the device. */
  readonly input?: string;
  /** Seconds between two looks, 0.1 to 86,400; default: 10. */
  readonly every?: number;
  /** Scopes of its runs, of which each has those that its agent has too; default: none. */
  readonly scopes?: readonly string[];
  /** Runs that it may begin within any hour, 1 to 36,000; default: 60. */
  readonly maxRunsPerHour?: number;
  /** USD that its runs may cost within 24 hours; none begins once they have been spent. Default: no limit. */
  readonly maxCostPerDay?: number;
  /** Runs the agent only when picture or reading are others than those of the last run; default: true. */
  readonly onlyOnChange?: boolean;
  /** An http or https URL that each insight is posted to as JSON; default: none. */
  readonly webhook?: string;
  /** Variable with the bearer token for `webhook`; default: none is sent. */
  readonly webhookBearerEnv?: string;
  /** Variable with the secrets that messages to `webhook` are signed with; default: they are not signed. */
  readonly webhookSecretEnv?: string;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/** Declaration of a watcher, as `watch` returns it. */
export type WatchDeclaration = Declaration<'watch', Omit<WatchOptions, 'declaredAt'>>;

/**
 * Declares a watcher: an agent that looks at a device on a timer, and publishes what it concludes as insights.
 *
 *     watch('door_guard', { device: 'door', agent: 'guard', input: 'Is anybody at the door?', every: 5 })
 *
 * @param name a letter and up to 53 letters, digits, `_` or `-`; its runs have the caller `watcher:<name>`
 */
export function watch(name: string, options: WatchOptions): WatchDeclaration {
  if (!isOptions(options)) return { kind: 'watch', name, options, declaredAt: callSite(watch) };
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(watch), ...rest } = options;
  return { kind: 'watch', name, options: rest, declaredAt };
}
