import type { Spend } from '@waymark/contract/models';
import type { Target } from './catalog/catalog.ts';
import type { Price } from './pricing.ts';
import type { Usage } from './wire/usage.ts';

/** What an attempt is counted as where the provider does not say. */
export interface Estimate {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** One attempt as the ledger has it. A missing count is estimated, and marks the whole entry. */
export function toSpend(
  { provider, model }: Target,
  usage: Usage,
  estimate: Estimate,
  price: Price | undefined,
): Spend {
  const inputTokens = usage.inputTokens ?? estimate.inputTokens;
  // A server that counts more cached tokens than there are tokens is not paid for the difference.
  const cacheReadTokens = Math.min(usage.cacheReadTokens, inputTokens);
  const tokens = {
    inputTokens,
    outputTokens: usage.outputTokens ?? estimate.outputTokens,
    cacheReadTokens,
    cacheWriteTokens: Math.min(usage.cacheWriteTokens, inputTokens - cacheReadTokens),
  };
  return {
    model,
    provider: provider.name,
    ...tokens,
    costMicros: price === undefined ? null : costOf(tokens, price),
    estimated: usage.inputTokens === undefined || usage.outputTokens === undefined,
  };
}

/** Whole micro-dollars, a half is rounded up: USD for a million tokens are micro-dollars for one. */
function costOf(
  tokens: Pick<Spend, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>,
  price: Price,
): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = tokens;
  const micros =
    (inputTokens - cacheReadTokens - cacheWriteTokens) * price.inputPerMtok +
    cacheReadTokens * price.cacheReadPerMtok +
    cacheWriteTokens * price.cacheWritePerMtok +
    outputTokens * price.outputPerMtok;
  // 100 tokens at 0.145 are 14.5, and 14.499999999999998 in binary.
  return Math.round(Number(micros.toFixed(6)));
}
