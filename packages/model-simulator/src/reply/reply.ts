import type { JsonObject } from '../json.ts';
import type { ToolCall } from '../request/conversation.ts';

/** Why a reply ended, in words of no format. */
export type StopCause =
  | 'end'
  | 'calls'
  | 'length'
  | 'stop_sequence'
  | 'pause'
  | 'refusal'
  | 'content_filter'
  | 'context_window';

/** One turn of the model before it is put into a format. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** What the model thought first; null is nothing. */
  readonly thinking: string | null;
  /** Blocks of kinds no client knows (anthropic), members of the message no client knows (openai). */
  readonly blocks: readonly JsonObject[];
  readonly stop: StopCause;
  /** The sequence that ended the text, with `stop: 'stop_sequence'`. */
  readonly stopSequence: string | null;
  /** Why the model would not, with `stop: 'refusal'`. */
  readonly refusal: string | null;
}

/** A reply that says a text and ends. */
export function sayReply(text: string): Reply {
  return { text, calls: [], thinking: null, blocks: [], stop: 'end', stopSequence: null, refusal: null };
}

/** A reply that calls tools. */
export function callReply(calls: readonly Omit<ToolCall, 'id'>[], text = ''): Reply {
  return { ...sayReply(text), calls: calls.map((call) => ({ id: '', ...call })), stop: 'calls' };
}
