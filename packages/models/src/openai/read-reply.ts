import type { ModelReply } from '@waymark/contract/models';
import { countOf, isObject, type JsonObject, objectsIn, textOf } from '../json.ts';
import { noUsage, type Usage } from '../wire/usage.ts';
import type { WirePart, WireReply } from '../wire/wire-format.ts';

const stops: ReadonlyMap<string, ModelReply['stop']> = new Map([
  ['stop', 'end'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'refusal'],
]);

/** Members of a message that are read, or that only a reply has. */
const knownMembers = new Set([
  'role',
  'content',
  'refusal',
  'tool_calls',
  'annotations',
  'audio',
  'function_call',
]);

/** Reads a chat completion; undefined when the body is none. */
export function readReply(body: JsonObject, provider: string): WireReply | undefined {
  const [choice] = objectsIn(body['choices']);
  const message = choice?.['message'];
  if (choice === undefined || !isObject(message)) return undefined;
  const refusal = textOf(message['refusal']);
  return {
    parts: [
      ...readOpaque(message, provider),
      ...readText(message['content']),
      ...(refusal === undefined ? [] : [{ type: 'text' as const, text: refusal }]),
      ...objectsIn(message['tool_calls']).map(readCall),
    ],
    stop: refusal === undefined ? (stops.get(String(choice['finish_reason'])) ?? 'end') : 'refusal',
    usage: readUsage(body['usage']),
    id: textOf(body['id']),
    model: textOf(body['model']),
  };
}

/** A text, or the list of parts that some servers make of it. */
function readText(content: unknown): readonly WirePart[] {
  const texts =
    typeof content === 'string' ? [content] : objectsIn(content).map(({ text }) => textOf(text) ?? '');
  const text = texts.join('');
  return text === '' ? [] : [{ type: 'text', text }];
}

/** What a server adds to a message, its thoughts say, goes back to it with the message. */
function readOpaque(message: JsonObject, provider: string): readonly WirePart[] {
  const more = Object.entries(message).filter(
    ([name, value]) =>
      !knownMembers.has(name) &&
      value !== null &&
      value !== '' &&
      !(Array.isArray(value) && value.length === 0),
  );
  return more.length === 0 ? [] : [{ type: 'opaque', provider, value: Object.fromEntries(more) }];
}

function readCall({ id, function: called }: JsonObject): WirePart {
  const { name, arguments: values } = isObject(called) ? called : {};
  return { type: 'tool_call', id: textOf(id), name: textOf(name) ?? '', arguments: values ?? {} };
}

/** Its input counts hold the cache already. */
function readUsage(usage: unknown): Usage {
  if (!isObject(usage)) return noUsage;
  const { prompt_tokens_details: details } = usage;
  const { cached_tokens: read, cache_write_tokens: written } = isObject(details) ? details : {};
  return {
    inputTokens: countOf(usage['prompt_tokens']),
    outputTokens: countOf(usage['completion_tokens']),
    cacheReadTokens: countOf(read) ?? 0,
    cacheWriteTokens: countOf(written) ?? 0,
  };
}
