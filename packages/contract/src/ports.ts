import type { Problem } from './errors.ts';
import type { Cancel, Json, Values } from './json.ts';
import type { Insight, Spend } from './stores.ts';
import type { Tool } from './tool.ts';

/** Rows for contexts and pages. Parameters bind by position or name. */
export interface Database {
  many(sql: string, params: Values | readonly unknown[], signal?: AbortSignal): Promise<readonly Values[]>;
}

/** One request to the outside. */
export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | ReadableStream<Uint8Array>;
  /** To the response headers. */
  readonly timeoutMs: number;
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

/** What a model is asked. */
export interface ModelRequest {
  /** An alias, or `<provider>/<model>`. */
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  /** The answer must be JSON of this schema. */
  readonly schema?: object;
  readonly maxTokens: number;
  readonly temperature?: number;
}

/** What a model said, and what it cost. */
export type ModelReply = {
  readonly message: Message;
  readonly stop: 'end' | 'tool_calls' | 'max_tokens' | 'refusal';
  /** One entry for each attempt that cost something, priced. */
  readonly spend: readonly Spend[];
};

/** Models behind aliases and providers. */
export interface ModelClient {
  /** A problem, or nothing: for checks at boot. */
  check(alias: string): Problem | undefined;
  estimateTokens(request: ModelRequest): number;
  complete(
    request: ModelRequest,
    options: { readonly signal: AbortSignal; readonly onDelta?: (text: string) => void },
  ): Promise<ModelReply>;
}

/** The newest picture of a camera. */
export interface FrameRecord {
  readonly kind: 'frame';
  readonly seq: number;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly atMs: number;
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
  /** Ring put and notify. @returns the sequence number, from 1 without gaps */
  publishFrame(device: string, frame: Omit<FrameRecord, 'kind' | 'seq'>): Promise<number>;
  publishTelemetry(device: string, telemetry: Omit<TelemetryRecord, 'kind'>): Promise<void>;
  publishInsight(insight: Insight): Promise<void>;
  newest(device: string): Promise<FrameRecord | undefined>;
  telemetry(device: string): Promise<TelemetryRecord | undefined>;
  /** Asked when the first local viewer comes, cancelled after the last. */
  subscribe(device: string, listener: (record: HubRecord) => void): Cancel;
  /** Leadership of a watcher, with fencing. */
  lead(name: string, ttlMs: number, listener: (held: boolean, fence: number) => void): Cancel;
  close(): Promise<void>;
}
