import type { ModelReply, ModelRequest, Part } from '@waymark/contract/models';
import type { Provider } from '../catalog/catalog.ts';
import type { JsonObject } from '../json.ts';
import type { KeyForm } from '../provider.ts';
import type { StreamEvent } from '../transport/event-stream.ts';
import type { Adaptation } from './adaptations.ts';
import type { FailureSigns } from './failure-signs.ts';
import type { Usage } from './usage.ts';

/** A request on its way to one model. */
export interface WireRequest {
  readonly request: ModelRequest;
  readonly provider: Provider;
  readonly model: string;
  readonly stream: boolean;
  /** What this model was found not to take. */
  readonly adaptations: ReadonlySet<Adaptation>;
}

/** A reply as its format's reader found it, before `normaliseReply`. */
export interface WireReply {
  readonly parts: readonly WirePart[];
  readonly stop: ModelReply['stop'];
  readonly usage: Usage;
  readonly id: string | undefined;
  readonly model: string | undefined;
}

/** A part in which a call may still have no id. */
export type WirePart =
  | Exclude<Part, { readonly type: 'tool_call' }>
  | (Omit<Extract<Part, { readonly type: 'tool_call' }>, 'id'> & { readonly id: string | undefined });

/** Puts the events of a stream together. */
export interface StreamReader {
  /** @throws {ReplyError} when the provider says that it failed */
  read(event: StreamEvent): void;
  /** Whether the reply is whole; a stream that ended earlier was cut. */
  readonly done: boolean;
  /** As much of the body of an unstreamed reply as has come; undefined before anything of it came. */
  readonly body: JsonObject | undefined;
}

/** One of the wire formats; `formats.ts` has one for each kind of provider. */
export interface WireFormat {
  /** Where a key travels, unless the provider is declared otherwise. */
  readonly auth: KeyForm;
  /** Where a request goes. */
  url(wire: WireRequest): string;
  headers(provider: Provider): Readonly<Record<string, string>>;
  write(wire: WireRequest): JsonObject;
  /** Whether the model can be held to this schema of an answer; to any other by a tool, or in words. */
  takesSchema(schema: object): boolean;
  /** Undefined when the body is no reply of this format. */
  readReply(body: JsonObject, provider: string): WireReply | undefined;
  /** @param onDelta is told the text */
  createStreamReader(onDelta: (text: string) => void): StreamReader;
  /** What an error body says, in words of no format. */
  readFailure(body: unknown): FailureSigns;
}
