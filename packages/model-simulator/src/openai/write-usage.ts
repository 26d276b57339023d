import type { JsonObject } from '../json.ts';
import type { Answer } from '../wire-format.ts';

/** The usage of a completion; undefined when none is sent. */
export function writeUsage({ usage, usageForm, quirks }: Answer): JsonObject | null | undefined {
  if (usageForm === 'none' || quirks.has('no_usage')) return undefined;
  if (usageForm === 'null') return null;
  if (usageForm === 'odd')
    return { prompt_tokens: `${usage.inputTokens}`, completion_tokens: null, total_tokens: -1 };
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, thinkingTokens } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cacheReadTokens,
      audio_tokens: 0,
      ...(cacheWriteTokens > 0 ? { cache_write_tokens: cacheWriteTokens } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: thinkingTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
