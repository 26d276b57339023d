import type { Awaitable, Log } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';

/** What an MCP server says about itself, and how patient it is. */
export interface McpOptions {
  readonly info: {
    /** `serverInfo.name`. */
    readonly name: string;
    /** `serverInfo.version`. */
    readonly version: string;
    /** What the client may tell its model about this server; an empty text is not sent. */
    readonly instructions?: string;
  };
  /** Who may share a kept list: everybody, or the caller alone; `private`. `public` only where all callers have the same scopes. */
  readonly cacheScope?: 'public' | 'private';
  /** Milliseconds after which a call that still runs is answered as a stream, if the client takes one; 3,000. */
  readonly streamAfterMs?: number;
  /** Milliseconds between two signs of life on a stream; 15,000. */
  readonly keepAliveMs?: number;
  /** Leads callers to a token with more scopes; nobody is led. */
  readonly stepUp?: StepUp;
}

/**
 * What a 403 asks for where a caller lacks scopes of a tool, the value of `WWW-Authenticate`; undefined for a caller who
 * cannot ask for more, who reads the refusal as the result of the tool.
 */
export type StepUp = (
  principal: Principal,
  needed: readonly string[],
  host: string | undefined,
) => string | undefined;

/** Who sent a message, and what came with it. */
export interface McpContext {
  readonly principal: Principal;
  readonly requestId: string;
  /** Lower-cased names, as sent: `mcp-protocol-version`, `mcp-method`, `mcp-name`, `mcp-param-*`, `host`. Others are not looked at. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the sender takes server-sent events: not at all, besides JSON, or nothing else; `never`. */
  readonly streaming?: 'never' | 'allowed' | 'only';
  /** The only tools there are for this message; names of none are passed over. */
  readonly tools?: ReadonlySet<string>;
  /** Fires when the client goes away. Cancels tool calls on 2026-07-28; on older revisions MCP forbids that. */
  readonly signal?: AbortSignal;
  readonly clientAddress?: string;
  /** Takes from the caller's rate bucket: 1 for each member of a batch. @throws {HTTPError} 429 */
  readonly charge?: (cost: number) => Awaitable<void>;
  /** Told what the caller only reads as `internal error`, and which trace a call belongs to. */
  readonly log?: Log;
}

/** What to send back. A 202 has neither body nor events. */
export interface McpAnswer {
  readonly status: 200 | 202 | 400 | 403 | 404;
  /** JSON: one JSON-RPC response, or an array. */
  readonly body?: string;
  /** `text/event-stream`, the response is its last event. Cancelling it says that the client is gone. */
  readonly events?: ReadableStream<Uint8Array>;
  /** Of a 403: the value of `WWW-Authenticate`. */
  readonly challenge?: string;
}

/** The rules of a family of revisions: what may be sent, and which HTTP status answers it. */
export interface Wire {
  handle(message: unknown, context: McpContext): Awaitable<McpAnswer>;
}
