import { isObject, type JsonObject, textOf } from '../json.ts';
import type { StopCause } from '../reply/reply.ts';
import { type Answer, piecesOf } from '../wire-format.ts';
import { signatureOf } from './signature.ts';
import { writeUsage } from './write-usage.ts';

const stopReasons: Readonly<Record<StopCause, string>> = {
  end: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  stop_sequence: 'stop_sequence',
  pause: 'pause_turn',
  refusal: 'refusal',
  content_filter: 'refusal',
  context_window: 'model_context_window_exceeded',
};

/** Writes a reply as a message. */
export function writeMessage(answer: Answer): JsonObject {
  const usage = writeUsage(answer);
  return {
    ...emptyMessage(answer),
    content: contentOf(answer),
    ...endOf(answer),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Writes a reply as the events of a stream. */
export function writeEvents(answer: Answer): string[] {
  const usage = writeUsage(answer);
  const counted = usage && answer.usageForm === 'counted';
  const start = counted
    ? { ...usage, output_tokens: Math.min(1, answer.usage.outputTokens), output_tokens_details: null }
    : usage;
  const message = { ...emptyMessage(answer), ...(usage === undefined ? {} : { usage: start }) };
  const events = [
    toEvent('message_start', { message }),
    ...contentOf(answer).flatMap((block, index) => writeBlock(block, index)),
    toEvent('message_delta', {
      delta: { container: null, ...endOf(answer) },
      ...(usage === undefined ? {} : { usage: counted ? finalUsage(usage) : usage }),
    }),
    toEvent('message_stop', {}),
  ];
  // The service sends its first ping once the first block is open.
  events.splice(contentOf(answer).length > 0 ? 2 : 1, 0, toEvent('ping', {}));
  return events;
}

function emptyMessage({ ids, conversation }: Answer): JsonObject {
  return {
    id: ids.message,
    type: 'message',
    role: 'assistant',
    model: conversation.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
  };
}

function endOf({ reply, quirks }: Answer): JsonObject {
  const wrong = reply.stop === 'calls' && quirks.has('finish_reason_stop');
  const refused = reply.stop === 'refusal' || reply.stop === 'content_filter';
  return {
    stop_reason: wrong ? 'end_turn' : stopReasons[reply.stop],
    stop_sequence: reply.stopSequence,
    stop_details: refused ? { type: 'refusal', category: null, explanation: reply.refusal } : null,
  };
}

function contentOf({ reply, ids, quirks }: Answer): JsonObject[] {
  const { thinking, blocks, text, calls } = reply;
  return [
    ...(thinking === null ? [] : [{ type: 'thinking', thinking, signature: signatureOf(thinking) }]),
    ...blocks,
    ...(text === '' ? [] : [{ type: 'text', text, citations: null }]),
    ...calls.map(({ name, arguments: input }, index) => ({
      type: 'tool_use',
      id: ids.anthropicCall(quirks.has('duplicate_ids') ? 0 : index),
      name,
      input,
      caller: { type: 'direct' },
    })),
  ];
}

function writeBlock(block: JsonObject, index: number): string[] {
  const deltas = (type: string, member: string, text: string) =>
    piecesOf(text).map((piece) =>
      toEvent('content_block_delta', { index, delta: { type, [member]: piece } }),
    );
  const parts: { open: JsonObject; deltas: string[] } = openBlock(block, index, deltas);
  return [
    toEvent('content_block_start', { index, content_block: parts.open }),
    ...parts.deltas,
    toEvent('content_block_stop', { index }),
  ];
}

function openBlock(
  block: JsonObject,
  index: number,
  deltas: (type: string, member: string, text: string) => string[],
): { open: JsonObject; deltas: string[] } {
  switch (block['type']) {
    case 'text':
      return { open: { ...block, text: '' }, deltas: deltas('text_delta', 'text', textOf(block['text'])) };
    case 'thinking': {
      const signature = { type: 'signature_delta', signature: block['signature'] };
      return {
        open: { ...block, thinking: '', signature: '' },
        deltas: [
          ...deltas('thinking_delta', 'thinking', textOf(block['thinking'])),
          toEvent('content_block_delta', { index, delta: signature }),
        ],
      };
    }
    case 'tool_use': {
      const { input } = block;
      const json = isObject(input) ? JSON.stringify(input) : textOf(input);
      const first = { type: 'input_json_delta', partial_json: '' };
      return {
        open: { ...block, input: {} },
        deltas: [
          toEvent('content_block_delta', { index, delta: first }),
          ...deltas('input_json_delta', 'partial_json', json),
        ],
      };
    }
    default:
      return { open: block, deltas: [] };
  }
}

/** The last event repeats the counts of tokens and leaves out the rest. */
function finalUsage(usage: JsonObject): JsonObject {
  const {
    cache_creation: _creation,
    service_tier: _tier,
    inference_geo: _geo,
    speed: _speed,
    ...counts
  } = usage;
  return counts;
}

function toEvent(type: string, members: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}
