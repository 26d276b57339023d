import type { JsonObject } from '../json.ts';
import type { Answer } from '../wire-format.ts';

/** The usage of a message; undefined when none is sent. */
export function writeUsage({ usage, usageForm, quirks }: Answer): JsonObject | null | undefined {
  if (usageForm === 'none' || quirks.has('no_usage')) return undefined;
  if (usageForm === 'null') return null;
  if (usageForm === 'odd') return { input_tokens: null, output_tokens: `${usage.outputTokens}` };
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = usage;
  return {
    input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWriteTokens - cacheWrite1hTokens,
      ephemeral_1h_input_tokens: cacheWrite1hTokens,
    },
    output_tokens: outputTokens,
    output_tokens_details: usage.thinkingTokens > 0 ? { thinking_tokens: usage.thinkingTokens } : null,
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  };
}
