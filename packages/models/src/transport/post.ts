/** Options of one POST. */
export interface PostOptions {
  readonly signal: AbortSignal;
  /** Milliseconds to the headers of the answer. */
  readonly timeoutMs: number;
  /** Milliseconds between two pieces of its body. */
  readonly idleTimeoutMs: number;
}

/** Answer to a POST, its body unread. */
export interface PostAnswer {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * Passes the body to `onChunk` piece by piece, and resolves at its end. Called once. An error that `onChunk` throws ends
   * the request and rejects `read`.
   */
  read(onChunk: (chunk: Uint8Array) => void): Promise<void>;
  /** Drops the unread body and closes its connection. */
  discard(): void;
}

/**
 * Function that sends one POST. An implementation follows no redirect, frees the connection when `signal` fires or a
 * time is over, and rejects with a `TransportError`, after an abort with the signal's reason.
 */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  options: PostOptions,
) => Promise<PostAnswer>;

/** Error of a connection: it timed out, failed, or its address may not be reached at all (`refused`). */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly kind: 'timeout' | 'connection' | 'refused';

  constructor(kind: TransportError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
