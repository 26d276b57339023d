/** One priced use of a model. */
export type Spend = {
  readonly model: string;
  readonly provider: string;
  /** All of the prompt, what the cache gave or took included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Null: no price declared, never 0. */
  readonly costMicros: number | null;
  /** The provider did not say, or its answer was not heard; counted by estimate. */
  readonly estimated: boolean;
};
