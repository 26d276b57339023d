import type { Json } from '@waymark/contract';
import { countOf, isObject, type JsonObject, objectsIn, parseJson, textOf } from '../json.ts';
import { ReplyError } from '../wire/failure-signs.ts';
import type { StreamReader } from '../wire/wire-format.ts';
import { readFailure } from './read-failure.ts';

type OpenBlock = Record<string, Json | undefined>;

/** Puts the events of Messages together to the message they are. */
export function createStreamReader(onDelta: (text: string) => void): StreamReader {
  let message: Record<string, Json | undefined> | undefined;
  let done = false;
  let counted = false;
  const blocks: OpenBlock[] = [];
  const byIndex = new Map<Json | undefined, OpenBlock>();
  const texts = new Map<OpenBlock, string>();

  const tell = (text: unknown): void => {
    if (typeof text === 'string' && text !== '') onDelta(text);
  };
  const start = (event: JsonObject): void => {
    const block = { ...(isObject(event['content_block']) ? event['content_block'] : {}) };
    blocks.push(block);
    byIndex.set(event['index'], block);
    if (block['type'] === 'text') tell(block['text']);
  };
  const change = (event: JsonObject): void => {
    const block = byIndex.get(event['index']);
    const { delta } = event;
    if (block === undefined || !isObject(delta)) return;
    switch (delta['type']) {
      case 'text_delta':
        append(block, 'text', delta['text']);
        tell(delta['text']);
        return;
      case 'input_json_delta':
        texts.set(block, (texts.get(block) ?? '') + String(delta['partial_json'] ?? ''));
        return;
      case 'thinking_delta':
        append(block, 'thinking', delta['thinking']);
        return;
      case 'signature_delta':
        append(block, 'signature', delta['signature']);
        return;
      case 'citations_delta':
        block['citations'] = [...objectsIn(block['citations']), delta['citation'] ?? null];
        return;
      default:
        // A delta of a kind that nobody knows yet: its members are those of its block.
        Object.assign(block, { ...delta, type: block['type'] });
    }
  };
  const end = (event: JsonObject): void => {
    const { delta, usage } = event;
    if (message === undefined) return;
    if (isObject(delta)) Object.assign(message, delta);
    if (!isObject(usage)) return;
    message['usage'] = mergeUsage(message['usage'], usage);
    counted ||= countOf(usage['output_tokens']) !== undefined;
  };

  return {
    /** A reason to stop is told when all blocks are there; only the goodbye may be missing. */
    get done() {
      return done || textOf(message?.['stop_reason']) !== undefined;
    },
    get body() {
      if (message === undefined) return undefined;
      const { usage } = message;
      return {
        ...message,
        content: blocks.map((block) => closeBlock(block, texts)),
        // The first event counts what was written until then: next to nothing.
        usage: counted || !isObject(usage) ? usage : { ...usage, output_tokens: null },
      };
    },
    read({ data }) {
      const event = parseJson(data);
      if (!isObject(event)) throw new ReplyError('answered with something that is no reply');
      switch (event['type']) {
        case 'message_start':
          message = { ...(isObject(event['message']) ? event['message'] : {}) };
          return;
        case 'content_block_start':
          start(event);
          return;
        case 'content_block_delta':
          change(event);
          return;
        case 'message_delta':
          end(event);
          return;
        case 'message_stop':
          done = true;
          return;
        case 'error':
          throw new ReplyError('the provider failed in its stream', readFailure(event));
        default:
      }
    },
  };
}

function append(block: OpenBlock, member: string, text: unknown): void {
  block[member] = (textOf(block[member]) ?? '') + (textOf(text) ?? '');
}

/** The arguments of a call come as text; a text that is no JSON stays one. */
function closeBlock(block: OpenBlock, texts: ReadonlyMap<OpenBlock, string>): JsonObject {
  const written = texts.get(block);
  return written === undefined || written === '' ? block : { ...block, input: parseJson(written) ?? written };
}

/** The last event repeats counts that are final, and leaves out or nulls those it does not know. */
function mergeUsage(start: Json | undefined, final: JsonObject): JsonObject {
  const known = Object.entries(final).filter(([, value]) => value !== null && value !== undefined);
  return { ...(isObject(start) ? start : {}), ...Object.fromEntries(known) };
}
