import type { Awaitable, Log } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';

/** Options of an MCP server: its description, and the times of its streams. */
export interface McpOptions {
  readonly info: {
    /** `serverInfo.name`. */
    readonly name: string;
    /** `serverInfo.version`. */
    readonly version: string;
    /** Text about this server that the client may show its model; an empty one is not sent. Default: none. */
    readonly instructions?: string;
  };
  /**
   * Callers that may share a cached list of tools; default: `private`, one alone. `public` is right only where all have
   * the same scopes.
   */
  readonly cacheScope?: 'public' | 'private';
  /** Milliseconds after which a running call is answered as a stream, if the client takes one; default: 3,000. */
  readonly streamAfterMs?: number;
  /** Milliseconds between two keep-alive comments on a stream; default: 15,000. */
  readonly keepAliveMs?: number;
  /**
   * Gives the `WWW-Authenticate` of a 403 that tells callers to get a token with more scopes; default: none is sent.
   */
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

/** Context of a message: its sender, headers and limits. */
export interface McpContext {
  readonly principal: Principal;
  readonly requestId: string;
  /**
   * Request headers by lower-case name; `mcp-protocol-version`, `mcp-method`, `mcp-name`, `mcp-param-*` and `host` are
   * read.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Forms that the sender takes: `never` server-sent events (the default), `allowed` beside JSON, or `only` them. */
  readonly streaming?: 'never' | 'allowed' | 'only';
  /** Names of the tools that this message may list and call; unknown names are ignored. Default: all. */
  readonly tools?: ReadonlySet<string>;
  /** Fires when the client goes away. Cancels tool calls on 2026-07-28; on older revisions MCP forbids that. */
  readonly signal?: AbortSignal;
  readonly clientAddress?: string;
  /** Charges the caller's rate limit, 1 for each member of a batch. @throws {HTTPError} 429 over the limit */
  readonly charge?: (cost: number) => Awaitable<void>;
  /** Log of the causes of `internal error`s, and of the trace that a call belongs to; default: none. */
  readonly log?: Log;
}

/** Answer to a message: a body or a stream of events; a 202 has neither. */
export interface McpAnswer {
  readonly status: 200 | 202 | 400 | 403 | 404 | 413;
  /** JSON text: one JSON-RPC response, or an array of them. */
  readonly body?: string;
  /** Bytes of `text/event-stream`, whose last event is the response. Cancel it when the client is gone. */
  readonly events?: ReadableStream<Uint8Array>;
  /** Value of `WWW-Authenticate` of a 403. */
  readonly challenge?: string;
}

/** The rules of a family of revisions: what may be sent, and which HTTP status answers it. */
export interface Wire {
  handle(message: unknown, context: McpContext): Awaitable<McpAnswer>;
}
