import type { JsonObject } from '../json.ts';

/** Wire format: `openai` is Chat Completions, `anthropic` is Messages. */
export type FormatName = 'openai' | 'anthropic';

/** Request of a client in one form for both wire formats, for scripts to read. */
export interface Conversation {
  readonly format: FormatName;
  readonly model: string;
  /** All system and developer texts, a blank line between two. */
  readonly system: string;
  /** Oldest first, without system messages. */
  readonly turns: readonly Turn[];
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: ToolChoice;
  /** False when the client wants at most one tool call in a turn. */
  readonly parallelCalls: boolean;
  /** JSON Schema that the answer has to be valid under; undefined for free text. */
  readonly schema: JsonObject | undefined;
  readonly maxTokens: number | undefined;
  readonly stopSequences: readonly string[];
  readonly stream: boolean;
  /** The request as it came. */
  readonly body: JsonObject;
}

/** Turn of a conversation; tool results that came together, in one message or several, are one turn. */
export type Turn =
  | { readonly role: 'user'; readonly text: string; readonly images: readonly SeenImage[] }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly results: readonly SeenResult[] };

/** Tool call that the model made. */
export interface ToolCall {
  /** Id of the call; empty until the reply is written, as ids derive from the request. */
  readonly id: string;
  readonly name: string;
  /** Arguments as an object, or the raw text that the model wrote where JSON belongs. */
  readonly arguments: JsonObject | string;
}

/** Result of a tool call, as the client sent it. */
export interface SeenResult {
  readonly id: string;
  /** Name of the tool in the call with that id; empty when there is no such call. */
  readonly name: string;
  readonly text: string;
  readonly images: readonly SeenImage[];
  /** Tells whether the result is an error; always false for Chat Completions, which has no such mark. */
  readonly isError: boolean;
}

/** Image in a message, as the model got it. */
export interface SeenImage {
  /** Media type; empty for an image behind a URL. */
  readonly mediaType: string;
  /** Bytes in base64, or the URL of an image that is not inline. */
  readonly data: string;
}

/** Tool that the model may call. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly schema: JsonObject;
}

/** Choice of tools: the model may call (`auto`), must not (`none`), must call any (`any`), or must call one `tool`. */
export type ToolChoice =
  | { readonly kind: 'auto' | 'none' | 'any' }
  | { readonly kind: 'tool'; readonly name: string };
