import type { Json } from '@waymark/contract';
import { countOf, isObject, type JsonObject, objectsIn, parseJson, textOf } from '../json.ts';
import type { StreamEvent } from '../transport/event-stream.ts';
import { ReplyError } from '../wire/failure-signs.ts';
import type { StreamReader } from '../wire/wire-format.ts';
import { readFailure } from './read-failure.ts';

type OpenBlock = Record<string, Json | undefined>;

/** Puts the events of Messages together to the message they are. */
export function createStreamReader(onDelta: (text: string) => void): StreamReader {
  return new MessageReader(onDelta);
}

class MessageReader implements StreamReader {
  readonly #onDelta: (text: string) => void;
  readonly #blocks: OpenBlock[] = [];
  readonly #byIndex = new Map<Json | undefined, OpenBlock>();
  /** Arguments of calls as far as they came. */
  readonly #texts = new Map<OpenBlock, string>();
  #message: Record<string, Json | undefined> | undefined;
  #done = false;
  #counted = false;

  constructor(onDelta: (text: string) => void) {
    this.#onDelta = onDelta;
  }

  /** A reason to stop is told when all blocks are there; only the goodbye may be missing. */
  get done(): boolean {
    return this.#done || textOf(this.#message?.['stop_reason']) !== undefined;
  }

  get body(): JsonObject | undefined {
    if (this.#message === undefined) return undefined;
    const { usage } = this.#message;
    return {
      ...this.#message,
      content: this.#blocks.map((block) => closeBlock(block, this.#texts)),
      // The first event counts what was written until then: next to nothing.
      usage: this.#counted || !isObject(usage) ? usage : { ...usage, output_tokens: null },
    };
  }

  read({ data }: StreamEvent): void {
    const event = parseJson(data);
    if (!isObject(event)) throw new ReplyError('answered with something that is no reply');
    switch (event['type']) {
      case 'message_start':
        this.#message = { ...(isObject(event['message']) ? event['message'] : {}) };
        return;
      case 'content_block_start':
        this.#start(event);
        return;
      case 'content_block_delta':
        this.#change(event);
        return;
      case 'message_delta':
        this.#end(event);
        return;
      case 'message_stop':
        this.#done = true;
        return;
      case 'error':
        throw new ReplyError('the provider failed in its stream', readFailure(event));
      default:
    }
  }

  #start(event: JsonObject): void {
    const block = { ...(isObject(event['content_block']) ? event['content_block'] : {}) };
    this.#blocks.push(block);
    this.#byIndex.set(event['index'], block);
    if (block['type'] === 'text') this.#tell(block['text']);
  }

  #change(event: JsonObject): void {
    const block = this.#byIndex.get(event['index']);
    const { delta } = event;
    if (block === undefined || !isObject(delta)) return;
    switch (delta['type']) {
      case 'text_delta':
        append(block, 'text', delta['text']);
        this.#tell(delta['text']);
        return;
      case 'input_json_delta':
        this.#texts.set(block, (this.#texts.get(block) ?? '') + String(delta['partial_json'] ?? ''));
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
  }

  #end(event: JsonObject): void {
    const { delta, usage } = event;
    if (this.#message === undefined) return;
    if (isObject(delta)) Object.assign(this.#message, delta);
    if (!isObject(usage)) return;
    this.#message['usage'] = mergeUsage(this.#message['usage'], usage);
    this.#counted ||= countOf(usage['output_tokens']) !== undefined;
  }

  #tell(text: unknown): void {
    if (typeof text === 'string' && text !== '') this.#onDelta(text);
  }
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
