import type { ModelClient, Part } from '@waymark/contract/models';

/**
 * A model in the process that answers at once: it calls a tool, and once it was told the result it says so. What a run
 * takes with it is what a run takes beyond its model calls.
 */
export function instantModel(tool: string): ModelClient {
  return {
    check: () => undefined,
    estimateTokens: () => 100,
    estimateSpend: () => undefined,
    async complete({ messages }) {
      const told = messages.at(-1)?.parts.some(({ type }) => type === 'tool_result') ?? false;
      const part: Part = told
        ? { type: 'text', text: 'It is closed.' }
        : { type: 'tool_call', id: `call_${messages.length}`, name: tool, arguments: { id: 4 } };
      return {
        message: { role: 'assistant', parts: [part] },
        stop: told ? 'end' : 'tool_calls',
        spend: [spend],
      };
    },
  };
}

const spend = {
  ...{ model: 'instant', provider: 'bench', inputTokens: 100, outputTokens: 20 },
  ...{ cacheReadTokens: 0, cacheWriteTokens: 0, costMicros: 0, estimated: false },
};
