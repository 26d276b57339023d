/** What a reply is said to cost, in words of neither format. */
export interface SimulatedUsage {
  /** All of the prompt: read from the cache, written to it, and neither. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Those of `cacheWriteTokens` that are kept for an hour. */
  readonly cacheWrite1hTokens: number;
  /** Thinking included. */
  readonly outputTokens: number;
  readonly thinkingTokens: number;
}
