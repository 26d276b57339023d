import type { JsonObject } from '../json.ts';
import type { StopCause } from '../reply/reply.ts';
import type { ToolCall } from '../request/conversation.ts';
import type { Answer } from '../wire-format.ts';
import { piecesOf } from '../wire-format.ts';
import { writeUsage } from './write-usage.ts';

/** Constant, so that the same request gets the same answer: the start of 2026, epoch seconds. */
const created = 1_767_225_600;

const finishReasons: Readonly<Record<StopCause, string>> = {
  end: 'stop',
  calls: 'tool_calls',
  length: 'length',
  stop_sequence: 'stop',
  pause: 'stop',
  refusal: 'stop',
  content_filter: 'content_filter',
  context_window: 'length',
};

/** Writes a reply as a chat completion. */
export function writeCompletion(answer: Answer): JsonObject {
  const { reply, conversation, ids } = answer;
  const calls = reply.calls.map((call, index) => writeCall(answer, call, index));
  const usage = writeUsage(answer);
  return {
    id: ids.completion,
    object: 'chat.completion',
    created,
    model: conversation.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: contentOf(answer),
          refusal: reply.refusal,
          ...(reply.thinking === null ? {} : { reasoning_content: reply.thinking }),
          ...Object.assign({}, ...reply.blocks),
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
          annotations: [],
        },
        logprobs: null,
        finish_reason: finishReason(answer),
      },
    ],
    ...(usage === undefined ? {} : { usage }),
    service_tier: 'default',
    system_fingerprint: 'fp_simulator',
  };
}

/** Writes a reply as the events of a stream. */
export function writeChunks(answer: Answer): string[] {
  const { reply, conversation, quirks } = answer;
  const options = conversation.body['stream_options'] as JsonObject | undefined;
  const usage = options?.['include_usage'] === true ? writeUsage(answer) : undefined;
  const early = quirks.has('usage_with_finish');
  const events = [
    writeChunk(answer, { role: 'assistant', content: contentOf(answer) === null ? null : '', refusal: null }),
    ...piecesOf(reply.thinking ?? '').map((piece) => writeChunk(answer, { reasoning_content: piece })),
    ...reply.blocks.map((block) => writeChunk(answer, block)),
    ...piecesOf(reply.text).map((content) => writeChunk(answer, { content })),
    ...piecesOf(reply.refusal ?? '').map((refusal) => writeChunk(answer, { refusal })),
    ...reply.calls.flatMap((call, index) =>
      callDeltas(answer, call, index).map((delta) => writeChunk(answer, { tool_calls: [delta] })),
    ),
    writeChunk(answer, {}, finishReason(answer), early ? usage : undefined),
  ];
  if (usage !== undefined && !early) events.push(toEvent({ ...envelope(answer), choices: [], usage }));
  return quirks.has('no_done') ? events : [...events, 'data: [DONE]\n\n'];
}

function writeChunk(
  answer: Answer,
  delta: JsonObject,
  finish: string | null = null,
  usage?: unknown,
): string {
  const asked =
    (answer.conversation.body['stream_options'] as JsonObject | undefined)?.['include_usage'] === true;
  const choice = { index: 0, delta, logprobs: null, finish_reason: finish };
  return toEvent({
    ...envelope(answer),
    choices: [choice],
    ...(usage !== undefined ? { usage } : asked && !answer.quirks.has('no_usage') ? { usage: null } : {}),
  });
}

function envelope({ ids, conversation }: Answer): JsonObject {
  return {
    id: ids.completion,
    object: 'chat.completion.chunk',
    created,
    model: conversation.model,
    service_tier: 'default',
    system_fingerprint: 'fp_simulator',
  };
}

function toEvent(value: JsonObject): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** A call begins with its id and name, and its arguments follow in pieces. */
function callDeltas(answer: Answer, call: ToolCall, position: number): JsonObject[] {
  const { quirks } = answer;
  const index = quirks.has('no_index') ? {} : { index: quirks.has('index_zero') ? 0 : position };
  const { function: called, ...rest } = writeCall(answer, call, position);
  const { name, arguments: values } = called as { name: string; arguments: unknown };
  if (typeof values !== 'string' || quirks.has('whole_calls'))
    return [{ ...index, ...rest, function: called }];
  return [
    { ...index, ...rest, function: { name, arguments: '' } },
    ...piecesOf(values).map((piece) => ({ ...index, function: { arguments: piece } })),
  ];
}

function writeCall({ ids, quirks }: Answer, call: ToolCall, index: number): JsonObject {
  const { name, arguments: values } = call;
  const id = ids.openaiCall(quirks.has('duplicate_ids') ? 0 : index);
  const written = typeof values === 'string' ? values : JSON.stringify(values);
  return {
    ...(quirks.has('missing_ids') ? {} : { id }),
    type: 'function',
    function: { name, arguments: quirks.has('object_arguments') ? values : written },
  };
}

function contentOf({ reply, quirks }: Answer): string | null {
  if (reply.text !== '') return reply.text;
  if (reply.calls.length === 0 && reply.refusal === null) return '';
  return quirks.has('empty_content') ? '' : null;
}

function finishReason({ reply, quirks }: Answer): string {
  if (reply.stop === 'calls' && quirks.has('finish_reason_stop')) return 'stop';
  return finishReasons[reply.stop];
}
