/** How one request is sent. */
export interface PostOptions {
  readonly signal: AbortSignal;
  /** To the headers of the answer, and then between two pieces of its body. */
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** An answer, its body unread. */
export interface PostAnswer {
  readonly status: number;
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * Hands over the body in the pieces in which it comes; resolves at its end. Called once. What `onChunk` throws ends
   * the request, and is what `read` rejects with.
   */
  read(onChunk: (chunk: Uint8Array) => void): Promise<void>;
  /** Gives up what was not read, and its connection. */
  discard(): void;
}

/**
 * Sends one POST. An implementation follows no redirect, frees the connection when `signal` fires or a time is over,
 * and rejects with a `TransportError`, after an abort with the signal's reason.
 */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  options: PostOptions,
) => Promise<PostAnswer>;

/** Why nothing more comes from a connection; `refused` is an address that may not be reached at all. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly kind: 'timeout' | 'connection' | 'refused';

  constructor(kind: TransportError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
