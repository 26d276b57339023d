import type { Problem } from '../declaring/declaration-error.ts';
import type { InputError } from '../engine/http-error.ts';
import type { Json } from '../engine/json.ts';
import type { Tool } from '../tools/tool.ts';
import type { Spend } from './spend.ts';

/** One part of a message, the same for every provider. Blocks of a provider that we do not read travel as `opaque`. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly arguments: Json }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly parts: readonly Part[];
      readonly isError: boolean;
    }
  | { readonly type: 'opaque'; readonly provider: string; readonly value: Json };

/** One message of a conversation. */
export type Message = {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly Part[];
};

/** A tool as a model sees it; every `Tool` is one. */
export type ModelTool = Pick<Tool, 'name' | 'description' | 'inputSchema'>;

/** A question to a model. */
export interface ModelRequest {
  /** An alias, `<provider>/<model>`, or the bare name of a model whose provider is known. */
  readonly model: string;
  /** What of the conversation changes from call to call stands last: what is the same before it is cached. */
  readonly messages: readonly Message[];
  readonly tools?: readonly ModelTool[];
  /** `auto` by default. A reply that does not keep to it is asked for once more, then it is a `ModelError`. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly tool: string };
  /** The answer must be JSON of this schema; it is the reply's `value`. Replies that call tools are not held to it. */
  readonly schema?: object;
  /** Decides whether an answer is valid, instead of `schema`: where a library knows more than its JSON Schema says. */
  readonly check?: (value: Json) => readonly InputError[];
  readonly maxTokens: number;
  /** Sent only when set. */
  readonly temperature?: number;
  /** Whether the prompt is marked for the provider's cache; true. */
  readonly cache?: boolean;
}

/** The answer of a model, and what it cost. */
export type ModelReply = {
  readonly message: Message;
  /**
   * `pause`: the model wants to go on; ask again with its message appended. `context_window`: the conversation left no
   * room for the rest; shorten it and ask again.
   */
  readonly stop: 'end' | 'tool_calls' | 'max_tokens' | 'refusal' | 'pause' | 'context_window';
  /** The answer to a `schema`, checked against it; there with `stop: 'end'`. */
  readonly value?: Json;
  /** One entry for each attempt that cost something, priced. */
  readonly spend: readonly Spend[];
};

/** Signal, limits and listeners of one question to a model. */
export interface ModelCallOptions {
  readonly signal: AbortSignal;
  /** By `Host.monotonic`; nothing is retried that could not begin before it. */
  readonly deadlineMs?: number;
  /**
   * The most tokens all attempts may use together: the first is always made, another only when it fits. No limit by
   * default.
   */
  readonly tokenBudget?: number;
  /** Told the text as it comes. Without `onRestart`, nothing is retried once something was told. */
  readonly onDelta?: (text: string) => void;
  /** What was told so far does not count: another attempt begins. */
  readonly onRestart?: () => void;
}

/** Models behind aliases and providers. */
export interface ModelClient {
  /** A problem, or nothing: for checks at boot. */
  check(alias: string): Problem | undefined;
  estimateTokens(request: ModelRequest): number;
  /**
   * What a call is counted as whose answer nobody heard: its question as estimated, and the answer of a turn that calls a
   * tool, 256 tokens or `maxTokens`, by the first model that the name stands for.
   *
   * @param inputTokens of the question
   * @returns undefined for a model that there is not
   */
  estimateSpend(request: Pick<ModelRequest, 'model' | 'maxTokens'>, inputTokens: number): Spend | undefined;
  /** @throws {ModelError} whatever went wrong, aborted ones included, with what it cost */
  complete(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply>;
}
