import type { HTTPError } from '../engine/http-error.ts';

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
  /** Told why the answer broke off, or stopped, behind its headers; not where `signal` or its reader ended it. */
  readonly onBreak?: (error: HTTPError) => void;
}

/** The answer to a request to the outside. */
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
