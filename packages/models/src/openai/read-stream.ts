import type { Json } from '@waymark/contract';
import { isObject, type JsonObject, objectsIn, parseJson, textOf } from '../json.ts';
import { ReplyError } from '../wire/failure-signs.ts';
import type { StreamReader } from '../wire/wire-format.ts';
import { CallAssembler } from './call-assembler.ts';
import { readFailure } from './read-failure.ts';

/** Puts the chunks of a chat completion together to the completion they are. */
export function createStreamReader(onDelta: (text: string) => void): StreamReader {
  const message: Record<string, Json | undefined> = { role: 'assistant' };
  const calls = new CallAssembler();
  let envelope: JsonObject | undefined;
  let usage: Json | undefined;
  let finish: Json | undefined;
  let ended = false;

  const addDelta = (delta: JsonObject): void => {
    for (const [name, value] of Object.entries(delta)) {
      if (name === 'role' || value === null || value === undefined) continue;
      if (name === 'tool_calls') for (const call of objectsIn(value)) calls.add(call);
      else if (typeof value === 'string') message[name] = (textOf(message[name]) ?? '') + value;
      else if (Array.isArray(value))
        message[name] = [...toList(message[name]), ...(value as readonly Json[])];
      else message[name] = value;
    }
    const text = textOf(delta['content']) ?? textOf(delta['refusal']);
    if (text !== undefined) onDelta(text);
  };

  return {
    /** Some servers forget the last event; a reason to finish is as good. */
    get done() {
      return ended || (finish !== undefined && finish !== null);
    },
    get body() {
      if (envelope === undefined) return undefined;
      const tool_calls = calls.calls;
      const whole = { ...message, ...(tool_calls.length > 0 && { tool_calls }) };
      return {
        ...envelope,
        choices: [{ message: whole, finish_reason: finish ?? null }],
        usage: usage ?? null,
      };
    },
    read({ data }) {
      if (ended) return;
      if (data.trim() === '[DONE]') {
        ended = true;
        return;
      }
      const chunk = parseJson(data);
      if (!isObject(chunk)) throw new ReplyError('answered with something that is no reply');
      if (isObject(chunk['error']))
        throw new ReplyError('the provider failed in its stream', readFailure(chunk));
      if (!Array.isArray(chunk['choices'])) return;
      envelope ??= { id: chunk['id'], model: chunk['model'] };
      if (isObject(chunk['usage'])) usage = chunk['usage'];
      const [choice] = objectsIn(chunk['choices']);
      if (choice === undefined) return;
      if (isObject(choice['delta'])) addDelta(choice['delta']);
      // The last chunk of some servers is a whole message.
      else if (isObject(choice['message'])) addDelta(choice['message']);
      finish = choice['finish_reason'] ?? finish;
    },
  };
}

function toList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
