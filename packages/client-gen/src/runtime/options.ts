/** How to reach the service, and as whom. */
export interface ClientOptions {
  /** `https://support.example.com`; a path in it stays in front of every operation's. */
  readonly baseUrl: string | URL;
  /** Sent as `x-api-key`. */
  readonly apiKey?: string | undefined;
  /** Sent as `Authorization: Bearer`; a function is asked before each call. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Replaces the global `fetch`. The `signal` that ends the call is in its second argument. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Sent with each call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds for a whole call, retries and body included; each operation has its own when absent. */
  readonly timeoutMs?: number | undefined;
  /** Bytes of an answer, or of one event, that are read into memory; 64 MiB when absent. */
  readonly maxResponseBytes?: number | undefined;
}

/** What one call may set for itself. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call; it then rejects with a `TimeoutError`. */
  readonly timeoutMs?: number | undefined;
  /** Bytes of the answer, or of one event, that are read into memory; it then rejects with a `RangeError`. */
  readonly maxResponseBytes?: number | undefined;
  /** Win over the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Something that happened on the way to a result. */
export interface Progress {
  /** `progress`, or a word of the operation's own. */
  readonly event: string;
  readonly data: unknown;
  readonly id: string | undefined;
}

/** What one call of an operation that reports progress may set for itself. */
export interface ProgressOptions extends CallOptions {
  /** Is told what happens while the call is under way; an error it throws ends the call. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The argument of an operation that takes none. */
export type NoInput = Readonly<Record<string, never>>;

/** An object whose members nobody declared. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A body that is not JSON. */
export type BinaryBody = Uint8Array | ArrayBuffer | Blob | string;

/** One thing wrong with an input: a JSON pointer, and a message that reads on from it. */
export interface InputError {
  readonly path: string;
  readonly message: string;
}

/** An answer other than the operation's result: an error (RFC 9457), a redirect, or what no JSON parser reads. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** The phrase of the status. */
  readonly title: string;
  /** What went wrong, written for the caller; also the `message`. */
  readonly detail: string;
  /** A word for programs, where one is named. */
  readonly code: string | undefined;
  /** What is wrong with the input, one by one; empty unless the status is 422. */
  readonly errors: readonly InputError[];
  /** The id under which the service logged the request. */
  readonly requestId: string | undefined;
  /** The whole result of a run that failed. */
  readonly run: unknown;
  /** The answer: parsed when it was JSON, else text. */
  readonly body: unknown;

  constructor(response: Pick<Response, 'status' | 'statusText' | 'headers'>, body: unknown, detail?: string) {
    const problem = (typeof body === 'object' && body !== null ? body : {}) as JsonObject;
    const text = (member: unknown): string | undefined => (typeof member === 'string' ? member : undefined);
    const title = text(problem['title']) ?? (response.statusText || `status ${response.status}`);
    super(detail ?? text(problem['detail']) ?? title);
    this.status = response.status;
    this.title = title;
    this.detail = this.message;
    this.code = text(problem['code']);
    this.errors = Array.isArray(problem['errors']) ? problem['errors'] : [];
    this.requestId = text(problem['request_id']) ?? response.headers.get('x-request-id') ?? undefined;
    this.run = problem['run'];
    this.body = body;
  }
}
