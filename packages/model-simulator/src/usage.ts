/** Token usage of a reply, with names of neither wire format. */
export interface SimulatedUsage {
  /** Tokens of the whole prompt, those read from the cache and written to it included. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Part of `cacheWriteTokens` that is cached for an hour. */
  readonly cacheWrite1hTokens: number;
  /** Tokens of the answer, thinking included. */
  readonly outputTokens: number;
  readonly thinkingTokens: number;
}
