import type { InputError, Problem } from '../engine/http-error.ts';
import type { Cancel, Json, Values } from '../engine/json.ts';
import type { Insight, Spend } from '../stores/stores.ts';
import type { Tool } from '../tools/tool.ts';

/** Rows for contexts and pages. */
export interface Database {
  /**
   * The rows of a statement that reads. Parameters bind by position, or by name without the sign; all of them and no
   * others. Waits for no writer.
   *
   * @throws {HTTPError} 422 values that do not fit · 503 out of reach; anything else is a mistake of the program
   */
  many(sql: string, params: Values | readonly unknown[], signal?: AbortSignal): Promise<readonly Values[]>;
  /**
   * Looks at a statement without running it, for checks at boot: tables and columns must exist.
   *
   * @returns what is wrong with it; or whether it only reads, the names of its parameters in their order (undefined for
   * `?`), and the names of its columns, which a remote database does not say
   */
  check(sql: string): Promise<
    | { readonly ok: false; readonly problem: string }
    | {
        readonly ok: true;
        readonly reads: boolean;
        readonly parameters: readonly (string | undefined)[];
        readonly columns: readonly string[];
      }
  >;
}

/** One request to the outside. */
export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | ReadableStream<Uint8Array>;
  /** To the response headers, from the last piece of a streamed body on. */
  readonly timeoutMs: number;
  /** Between two pieces of the answer; the client's own limit. Time in which nobody reads does not count. */
  readonly idleTimeoutMs?: number;
  /** The response body is cut off with an error beyond it. */
  readonly maxBytes: number;
  /** `declared`: the URL stands in a declaration, private addresses are fine. `public`: they are refused. */
  readonly allow: 'public' | 'declared';
  readonly signal: AbortSignal;
}

/** What came back. */
export interface OutboundResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReadableStream<Uint8Array>;
}

/** All outbound HTTP: size caps, deadlines, address guard, no redirects followed, credentials never echoed. */
export interface Outbound {
  /** @throws {HTTPError} 502 refused, reset or cut · 504 too slow · 403 an address that is not allowed */
  request(request: OutboundRequest): Promise<OutboundResponse>;
}

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

/** What a model is asked. */
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

/** What a model said, and what it cost. */
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

/** What goes with one question to a model. */
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

/** The newest picture of a camera. */
export interface FrameRecord {
  readonly kind: 'frame';
  readonly seq: number;
  readonly mediaType: string;
  /** Shared by everybody: nobody writes into them. */
  readonly bytes: Uint8Array;
  readonly atMs: number;
  /** In pixels, where the header of the picture says. */
  readonly width?: number;
  readonly height?: number;
}

/** The newest reading of a device. */
export interface TelemetryRecord {
  readonly kind: 'telemetry';
  readonly data: Json;
  readonly atMs: number;
}

/** What a device's stream carries. */
export type HubRecord =
  | FrameRecord
  | TelemetryRecord
  | { readonly kind: 'insight'; readonly insight: Insight };

/** Where device state lives. In this process by default; every method is for one device unless it says otherwise. */
export interface HubBackend {
  /**
   * Ring put and notify.
   *
   * @returns the sequence number, from 1 without gaps
   * @throws {HTTPError} 503 after `close`, as the other `publish…` do
   */
  publishFrame(device: string, frame: Omit<FrameRecord, 'kind' | 'seq'>): Promise<number>;
  publishTelemetry(device: string, telemetry: Omit<TelemetryRecord, 'kind'>): Promise<void>;
  publishInsight(insight: Insight): Promise<void>;
  newest(device: string): Promise<FrameRecord | undefined>;
  telemetry(device: string): Promise<TelemetryRecord | undefined>;
  /**
   * Asked when the first local viewer comes, cancelled after the last. The listener is told what is published from now
   * on, frames in the order of their numbers; it must not throw.
   */
  subscribe(device: string, listener: (record: HubRecord) => void): Cancel;
  /**
   * Leadership of a watcher among all who ask for the name: one has it at a time, and each new holder a greater fence.
   * The listener is told later, never within this call; false only when leadership is lost without `Cancel`.
   */
  lead(name: string, ttlMs: number, listener: (held: boolean, fence: number) => void): Cancel;
  /** Ends every subscription and takes every leadership away. Calling it twice is harmless. */
  close(): Promise<void>;
}
