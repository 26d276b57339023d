import type { ModelReply } from '@waymark/contract/models';
import { countOf, isObject, type JsonObject, objectsIn, textOf } from '../json.ts';
import { noUsage, type Usage } from '../wire/usage.ts';
import type { WirePart, WireReply } from '../wire/wire-format.ts';

const stops: ReadonlyMap<string, ModelReply['stop']> = new Map([
  ['end_turn', 'end'],
  ['stop_sequence', 'end'],
  ['max_tokens', 'max_tokens'],
  ['tool_use', 'tool_calls'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'context_window'],
]);

/** Reads a message of Messages; undefined when the body is none. */
export function readReply(body: JsonObject, provider: string): WireReply | undefined {
  const { content, stop_reason: stop, usage, id, model } = body;
  if (!Array.isArray(content)) return undefined;
  return {
    parts: objectsIn(content).map((block) => readBlock(block, provider)),
    stop: stops.get(String(stop)) ?? 'end',
    usage: readUsage(usage),
    id: textOf(id),
    model: textOf(model),
  };
}

function readBlock(block: JsonObject, provider: string): WirePart {
  const { type, text, id, name, input } = block;
  // A text with more to it than text, citations say, has to come back with that.
  const { type: _type, text: _text, citations = null, ...more } = block;
  if (type === 'text' && typeof text === 'string' && citations === null && Object.keys(more).length === 0)
    return { type, text };
  if (type === 'tool_use' && typeof name === 'string')
    return { type: 'tool_call', id: textOf(id), name, arguments: input ?? {} };
  return { type: 'opaque', provider, value: block };
}

/** Its input counts leave the cache out; ours hold everything. */
function readUsage(usage: unknown): Usage {
  if (!isObject(usage)) return noUsage;
  const uncached = countOf(usage['input_tokens']);
  const cacheReadTokens = countOf(usage['cache_read_input_tokens']) ?? 0;
  const cacheWriteTokens = countOf(usage['cache_creation_input_tokens']) ?? 0;
  return {
    inputTokens: uncached === undefined ? undefined : uncached + cacheReadTokens + cacheWriteTokens,
    outputTokens: countOf(usage['output_tokens']),
    cacheReadTokens,
    cacheWriteTokens,
  };
}
