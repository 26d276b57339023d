import type { IncomingMessage, ServerResponse } from 'node:http';
import { HTTPError } from '@waymark/contract';
import type { BodySource } from '@waymark/contract/engine';
import { bytesReadBefore } from './bytes-read-before.ts';
import { collectBytes, type Reading, tooLarge } from './collect-bytes.ts';
import { streamBytes } from './stream-bytes.ts';

/** The body of a request as the door hands it on, and takes back what nobody read. */
export interface RequestBody extends BodySource {
  /** Ends whatever reading is under way; what still comes is dropped. */
  abandon(): void;
}

const nothing = new Uint8Array(0);

/** The body of a request without one. */
export const noBody: RequestBody = Object.freeze(emptyBody(undefined));

/** Makes the unread body of a request; nothing is read, and no `100 Continue` sent, before somebody asks. */
export function toRequestBody(req: IncomingMessage, res: ServerResponse): RequestBody {
  const { 'content-type': contentType, 'transfer-encoding': encoding } = req.headers;
  const contentLength = contentLengthOf(req);
  if (encoding === undefined && contentLength === 0)
    return contentType === undefined ? noBody : emptyBody(contentType);
  // A parser of the surrounding application was here first (`express.json()`).
  if (req.readableDidRead) return earlierBody(req, contentType);
  return new UnreadBody(req, res);
}

/** The declared length: zero when there is no body, undefined when it is not told. */
export function contentLengthOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  return headers['transfer-encoding'] === undefined ? 0 : undefined;
}

/** Whether the client holds its body back until it is told to go on. */
export function awaitsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue' && httpVersionMinor > 0;
}

class UnreadBody implements RequestBody {
  readonly contentType: string | undefined;
  readonly contentLength: number | undefined;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  #reading: Reading<unknown> | undefined;
  #taken = false;

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.#req = req;
    this.#res = res;
    this.contentType = req.headers['content-type'];
    this.contentLength = contentLengthOf(req);
  }

  read(limit: number, signal?: AbortSignal): Promise<Uint8Array> {
    try {
      this.#take();
      if (this.contentLength !== undefined && this.contentLength > limit) throw tooLarge(limit);
      this.#invite();
    } catch (error) {
      return Promise.reject(error);
    }
    const reading = collectBytes(this.#req, limit, signal);
    this.#reading = reading;
    return reading.result;
  }

  stream(): ReadableStream<Uint8Array> {
    this.#take();
    this.#invite();
    const reading = streamBytes(this.#req);
    this.#reading = reading;
    return reading.result;
  }

  abandon(): void {
    this.#taken = true;
    this.#reading?.end(new DOMException('the request was answered', 'AbortError'));
  }

  #take(): void {
    if (this.#taken) throw new Error('a body is read at most once, and not after the answer');
    this.#taken = true;
    // A small compressed body could unfold to any size (decision 2.6).
    const { 'content-encoding': encoding = 'identity', 'transfer-encoding': transfer = 'chunked' } =
      this.#req.headers;
    if (encoding.trim().toLowerCase() !== 'identity')
      throw new HTTPError(415, `content-encoding ${encoding} is not supported: send the body as it is`);
    if (transfer.toLowerCase() !== 'chunked')
      throw new HTTPError(415, `transfer-encoding ${transfer} is not supported: send the body as it is`);
  }

  /** A server without a `checkContinue` listener has sent one already; clients take any number of them (RFC 9110, 15.2). */
  #invite(): void {
    if (awaitsContinue(this.#req) && !this.#res.headersSent) this.#res.writeContinue();
  }
}

function emptyBody(contentType: string | undefined): RequestBody {
  return {
    contentType,
    contentLength: 0,
    read: () => Promise.resolve(nothing),
    stream: () => new ReadableStream({ start: (controller) => controller.close() }),
    abandon: () => {},
  };
}

/** A body that a parser of the surrounding application has read. */
function earlierBody(req: IncomingMessage, contentType: string | undefined): RequestBody {
  return {
    contentType,
    // The declared length is of what came over the wire, and a parser may have unpacked it.
    contentLength: undefined,
    read: async (limit) => {
      const bytes = bytesReadBefore(req);
      if (bytes.length > limit) throw tooLarge(limit);
      return bytes;
    },
    stream: () => ReadableStream.from([bytesReadBefore(req)]),
    abandon: () => {},
  };
}
