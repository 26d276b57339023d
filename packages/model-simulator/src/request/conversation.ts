import type { JsonObject } from '../json.ts';

/** The two wire formats: Chat Completions and Messages. */
export type FormatName = 'openai' | 'anthropic';

/** What a client asked for, the same for both formats; what the script of a test or the improvisation reads. */
export interface Conversation {
  readonly format: FormatName;
  readonly model: string;
  /** All system and developer texts, a blank line between two. */
  readonly system: string;
  /** Oldest first, without system messages. */
  readonly turns: readonly Turn[];
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: ToolChoice;
  /** False when the client wants one call at most in a turn. */
  readonly parallelCalls: boolean;
  /** The JSON the answer has to be: an instance of a schema, or any object. */
  readonly schema: JsonObject | undefined;
  readonly maxTokens: number | undefined;
  readonly stopSequences: readonly string[];
  readonly stream: boolean;
  /** The request as it came. */
  readonly body: JsonObject;
}

/** One message. Results that came together, in one message or in several, are one turn. */
export type Turn =
  | { readonly role: 'user'; readonly text: string; readonly images: readonly SeenImage[] }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly results: readonly SeenResult[] };

/** A call of a tool that the model made. */
export interface ToolCall {
  /** Empty until the reply is written: ids follow from the request. */
  readonly id: string;
  readonly name: string;
  /** A text is what the model wrote where JSON belongs. */
  readonly arguments: JsonObject | string;
}

/** What a client says its tool answered. */
export interface SeenResult {
  readonly id: string;
  /** Of the call with that id; empty when there is none. */
  readonly name: string;
  readonly text: string;
  readonly images: readonly SeenImage[];
  /** Chat Completions has no such mark: always false there. */
  readonly isError: boolean;
}

/** An image as the model got it. */
export interface SeenImage {
  /** Empty for an image behind a URL. */
  readonly mediaType: string;
  /** Base64, or the URL of an image that is not inline. */
  readonly data: string;
}

/** A tool that the model may call. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly schema: JsonObject;
}

/** Whether the model may, must or must not call; `tool` names the one it must. */
export type ToolChoice =
  | { readonly kind: 'auto' | 'none' | 'any' }
  | { readonly kind: 'tool'; readonly name: string };
