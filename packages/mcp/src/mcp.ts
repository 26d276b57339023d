import type { Awaitable, Principal } from '@waymark/contract';

/** What an MCP server says about itself. */
export interface McpOptions {
  readonly info: {
    /** `serverInfo.name`. */
    readonly name: string;
    /** `serverInfo.version`. */
    readonly version: string;
    /** What the client may tell its model about this server; an empty text is not sent. */
    readonly instructions?: string;
  };
}

/** Who sent a message, and what came with it. */
export interface McpContext {
  readonly principal: Principal;
  readonly requestId: string;
  /** Aborts the tool calls of this message. */
  readonly signal?: AbortSignal;
  /** The `MCP-Protocol-Version` header as sent. Absent counts as 2025-03-26, as MCP asks. */
  readonly protocolVersion?: string;
  readonly clientAddress?: string;
  /** Takes from the caller's rate bucket: 1 for each member of a batch. @throws {HTTPError} 429 */
  readonly charge?: (cost: number) => Awaitable<void>;
  /** Told what the caller only reads as `internal error`. Must not throw. */
  readonly onError?: (cause: unknown) => void;
}

/** What to send back. A 202 has no body; any other body is JSON, already as text: one JSON-RPC response, or an array. */
export interface McpAnswer {
  readonly status: 200 | 202 | 400;
  readonly body?: string;
}
