import { Readable } from 'node:stream';
import { HTTPError } from '@waymark/contract';
import type { OutboundRequest, OutboundResponse } from '@waymark/contract/http';
import type { Dispatcher } from 'undici';
import { AddressRefused } from './address-guard.ts';

/** What may wait for a reader before the upstream is held back. */
const highWaterMark = 65_536;

/** Where the outcome of a request goes: what `new Promise` hands out. */
interface Outcome {
  resolve(response: OutboundResponse): void;
  reject(reason: unknown): void;
}

/**
 * One request and its answer, as undici tells of them. Without undici's own streams in between, which cost as much as the
 * rest of a small request, a failure is told at once, even while the connection is still being made.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** What undici is to send. */
  readonly body: Readable | Uint8Array | null;
  readonly #request: OutboundRequest;
  readonly #origin: string;
  readonly #outcome: Outcome;
  readonly #timer: NodeJS.Timeout;
  #connection: Dispatcher.DispatchController | undefined;
  #answer: ReadableStreamDefaultController<Uint8Array> | undefined;
  #received = 0;
  #ended = false;

  constructor(request: OutboundRequest, origin: string, outcome: Outcome) {
    this.#request = request;
    this.#origin = origin;
    this.#outcome = outcome;
    this.#timer = setTimeout(() => this.#fail(tooLate(origin)), request.timeoutMs);
    this.body = request.body instanceof ReadableStream ? this.#upload(request.body) : (request.body ?? null);
    request.signal.addEventListener('abort', this.#onAbort);
  }

  onRequestStart(connection: Dispatcher.DispatchController): void {
    this.#connection = connection;
    if (this.#ended) connection.abort(givenUp);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status < 200) return;
    clearTimeout(this.#timer);
    const { method, maxBytes } = this.#request;
    if (Number(headers['content-length'] ?? 0) > maxBytes && method !== 'HEAD') {
      this.#fail(tooLarge(this.#origin, maxBytes));
      return;
    }
    if (!isPlain(headers['transfer-encoding'])) {
      this.#fail(new HTTPError(502, `${this.#origin} has packed its answer, which nobody asked for`));
      return;
    }
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#answer = controller;
        },
        pull: () => this.#connection?.resume(),
        cancel: () => this.#end(),
      },
      { highWaterMark, size: (chunk) => chunk.length },
    );
    this.#outcome.resolve({ status, headers: flat(headers), body });
  }

  onResponseData(connection: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#ended || !this.#answer) return;
    this.#received += chunk.length;
    if (this.#received > this.#request.maxBytes) {
      this.#fail(tooLarge(this.#origin, this.#request.maxBytes));
      return;
    }
    this.#answer.enqueue(chunk);
    if ((this.#answer.desiredSize ?? 0) <= 0) connection.pause();
  }

  onResponseEnd(): void {
    if (this.#ended) return;
    this.#release();
    this.#answer?.close();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#fail(toHTTPError(error, this.#origin));
  }

  readonly #onAbort = (): void => this.#fail(this.#request.signal.reason);

  /** The body as it is taken. Each piece of it shows that the upstream is alive, and the wait for its headers begins anew. */
  #upload(stream: ReadableStream<Uint8Array>): Readable {
    const reader = stream.getReader();
    const onPiece = (): void => {
      if (!this.#ended && !this.#answer) this.#timer.refresh();
    };
    const upload = new Readable({
      read() {
        reader.read().then(
          ({ done, value }) => {
            onPiece();
            this.push(done ? null : value);
          },
          (error: Error) => this.destroy(error),
        );
      },
      destroy(error, callback) {
        // Whoever made the stream has no use for how it ended.
        reader.cancel(error).catch(() => {});
        callback(error);
      },
    });
    // Undici listens while it sends; what fails later concerns nobody.
    return upload.on('error', () => {});
  }

  /** Tells whoever waits, before the headers or in the middle of the answer, and frees the connection. */
  #fail(reason: unknown): void {
    if (this.#ended) return;
    this.#end();
    if (!this.#answer) this.#outcome.reject(reason);
    else {
      this.#answer.error(reason);
      if (reason instanceof HTTPError && !this.#request.signal.aborted) this.#request.onBreak?.(reason);
    }
  }

  #end(): void {
    if (this.#ended) return;
    this.#release();
    this.#connection?.abort(givenUp);
  }

  #release(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    if (this.body instanceof Readable) this.body.destroy();
  }
}

type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Undici undoes `chunked` and no other coding, and we never say in `te` that we take one. */
function isPlain(coding: string | string[] | undefined): boolean {
  return coding === undefined || /^(?:chunked|identity)$/i.test(String(coding).trim());
}

const givenUp = new Error('the request was given up');

function flat(headers: AnswerHeaders): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name] ?? '';
    plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}

function toHTTPError(cause: Error, origin: string): HTTPError {
  if (cause instanceof HTTPError) return cause;
  const refused = [cause, cause.cause].find((error) => error instanceof AddressRefused);
  if (refused) return new HTTPError(403, refused.message, { cause });
  // The parser keeps what it could not read: words of the upstream, and of what we sent where that is sent back.
  delete (cause as { data?: string }).data;
  const { code } = cause as { readonly code?: string };
  if (code !== undefined && timeouts.has(code)) return tooLate(origin, cause);
  return new HTTPError(502, `${origin} did not answer`, { cause });
}

const timeouts = new Set(['UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);

function tooLate(origin: string, cause?: Error): HTTPError {
  return new HTTPError(504, `${origin} took too long to answer`, { cause });
}

function tooLarge(origin: string, maxBytes: number): HTTPError {
  return new HTTPError(502, `the answer of ${origin} is larger than ${maxBytes} bytes`);
}
