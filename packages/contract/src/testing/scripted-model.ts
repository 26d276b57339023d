import type { Json } from '../engine/json.ts';
import type { ModelClient, ModelReply, ModelRequest, Part } from '../models/model-client.ts';
import type { Spend } from '../models/spend.ts';

/**
 * One thing a scripted model says: a text, calls of tools (with a text, if any), a whole reply, or an error to fail
 * with. A function makes one from the request.
 */
export type ScriptedReply =
  | string
  | { readonly calls: readonly ScriptedCall[]; readonly text?: string }
  | ModelReply
  | Error
  | ((request: ModelRequest) => ScriptedReply);

/** One call of a tool. Its id counts up from `call_1` when none is given. */
export interface ScriptedCall {
  readonly name: string;
  readonly arguments?: Json;
  readonly id?: string;
}

/** A model that follows its script. */
export interface ScriptedModel extends ModelClient {
  /** What it was asked, oldest first. */
  readonly requests: readonly ModelRequest[];
}

/**
 * Makes a model that answers each request with the next of `replies`, and fails when there is none left.
 *
 * A text that answers a `schema` is parsed as the `value`. Every reply costs 10 input and 5 output tokens, without a price. Requests are estimated at a quarter of the length
 * of their JSON, every alias is known, and a text is told to `onDelta` in one piece.
 */
export function scriptedModel(replies: readonly ScriptedReply[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  let calls = 0;
  const toReply = (reply: ScriptedReply, request: ModelRequest): ModelReply => {
    if (reply instanceof Error) throw reply;
    if (typeof reply === 'function') return toReply(reply(request), request);
    if (typeof reply === 'string') {
      const said = modelReply(request, [{ type: 'text', text: reply }], 'end');
      return request.schema === undefined ? said : { ...said, value: JSON.parse(reply) as Json };
    }
    if ('message' in reply) return reply;
    const parts = reply.calls.map(
      ({ name, arguments: values = {}, id }): Part => ({
        type: 'tool_call',
        id: id ?? `call_${++calls}`,
        name,
        arguments: values,
      }),
    );
    const text: readonly Part[] = reply.text === undefined ? [] : [{ type: 'text', text: reply.text }];
    return modelReply(request, [...text, ...parts], 'tool_calls');
  };
  return {
    requests,
    check: () => undefined,
    estimateTokens: (request) => Math.ceil(JSON.stringify(request).length / 4),
    estimateSpend: () => undefined,
    async complete(request, { signal, onDelta }) {
      signal.throwIfAborted();
      requests.push(request);
      const next = replies[requests.length - 1];
      if (next === undefined)
        throw new Error(`the scripted model has ${replies.length} replies and was asked once more`);
      const reply = toReply(next, request);
      for (const part of reply.message.parts) if (part.type === 'text') onDelta?.(part.text);
      return reply;
    },
  };
}

function modelReply({ model }: ModelRequest, parts: readonly Part[], stop: ModelReply['stop']): ModelReply {
  const spend: Spend = {
    model,
    provider: 'scripted',
    inputTokens: 10,
    outputTokens: 5,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    costMicros: null,
    estimated: false,
  };
  return { message: { role: 'assistant', parts }, stop, spend: [spend] };
}
