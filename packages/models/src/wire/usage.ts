/** Tokens as a provider counted them; undefined where it did not say. */
export interface Usage {
  /** All of the prompt, cached or not. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** Nothing was said. */
export const noUsage: Usage = {
  inputTokens: undefined,
  outputTokens: undefined,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};
