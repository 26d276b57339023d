import type { Json } from '@waymark/contract';
import type { Message, ModelReply, Part } from '@waymark/contract/models';
import { parseJson } from '../json.ts';
import { callIds, uniqueId } from './call-ids.ts';
import type { WirePart, WireReply } from './wire-format.ts';

/** A reply without the quirks of its server. */
export interface CleanReply {
  readonly message: Message;
  readonly stop: ModelReply['stop'];
}

/**
 * Puts right what servers get wrong in any format: calls without an id or with one that is taken get their own,
 * names get the letters that names of tools have, arguments in a text are parsed, empty texts go, and a reply that
 * calls tools stopped for that, whatever it says.
 *
 * @param requestId makes ids that no other reply has
 * @param earlier the conversation so far: its calls keep their ids
 */
export function normaliseReply(
  reply: WireReply,
  requestId: string,
  earlier: readonly Message[] = [],
): CleanReply {
  const ids = callIds(earlier);
  const parts = reply.parts.flatMap((part) => normalisePart(part, ids, requestId));
  return { message: { role: 'assistant', parts }, stop: stopOf(reply.stop, parts) };
}

function normalisePart(part: WirePart, ids: Set<string>, requestId: string): readonly Part[] {
  if (part.type === 'text') return part.text === '' ? [] : [part];
  if (part.type !== 'tool_call') return [part];
  const { id, name } = part;
  if (name === '') return [];
  return [
    {
      ...part,
      id: uniqueId(id ?? `call_${requestId}`, ids),
      name: toName(name),
      arguments: toArguments(part.arguments),
    },
  ];
}

/** A name that a model made up stays in the conversation, and no service takes one that no tool can have. */
function toName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
}

/** A text that is no JSON stays: whoever checks the arguments tells the model what it wrote. */
function toArguments(given: Json): Json {
  if (typeof given !== 'string') return given;
  if (given.trim() === '') return {};
  return parseJson(given) ?? given;
}

/** What a reply holds is more to be trusted than what it says of its end. */
function stopOf(stop: ModelReply['stop'], parts: readonly Part[]): ModelReply['stop'] {
  const calls = parts.some(({ type }) => type === 'tool_call');
  if (calls) return stop === 'end' ? 'tool_calls' : stop;
  return stop === 'tool_calls' ? 'end' : stop;
}
