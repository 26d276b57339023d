import type { IncomingMessage, ServerResponse } from 'node:http';
import { HTTPError } from '@waymark/contract';
import type { BodyReceiver, Budget, Hold } from '@waymark/contract/engine';
import { noRoom } from '../limits/door-limits.ts';
import { SoleRequest } from '../server/sole-request.ts';
import { awaitsContinue, contentLengthOf } from './body-headers.ts';
import { bodyPace } from './body-pace.ts';
import { collectBytes, tooLarge } from './collect-bytes.ts';
import type { BodyOwner, RequestBody } from './request-body.ts';
import { streamBytes } from './stream-bytes.ts';

/** From so many bytes on it counts what becomes of a body: many small ones take longer to read than V8 to collect. */
const largeBytes = 1_048_576;

/**
 * A body that waits on the wire. Read as a whole, it holds its bytes of those in flight until its request is over, since so
 * long lives what is made of them; handed on as it comes, only what is on its way is kept, and it holds none.
 */
export class UnreadBody implements RequestBody {
  readonly contentType: string | undefined;
  readonly contentLength: number | undefined;
  refused = false;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #inFlight: Budget;
  readonly #owner: BodyOwner;
  #hold: Hold | undefined;
  /** The whole, where it is large. */
  #large: Buffer | undefined;
  /** Ends the reading under way. */
  #end: ((reason: unknown) => void) | undefined;
  #taken = false;

  constructor(req: IncomingMessage, res: ServerResponse, inFlight: Budget, owner: BodyOwner) {
    this.#req = req;
    this.#res = res;
    this.#inFlight = inFlight;
    this.#owner = owner;
    this.contentType = req.headers['content-type'];
    this.contentLength = contentLengthOf(req);
  }

  /** Loggers and signature checks in front of the door may keep what they heard. */
  get exclusive(): boolean {
    return this.#req instanceof SoleRequest;
  }

  read(limit: number, signal?: AbortSignal): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      let over = (): void => {};
      const end = this.collect(limit, {
        arrived: (bytes) => {
          over();
          resolve(bytes);
        },
        failed: (error) => {
          over();
          reject(error);
        },
      });
      if (!signal) return;
      const onAbort = (): void => end(signal.reason);
      over = () => signal.removeEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  collect(limit: number, receiver: BodyReceiver): (reason: unknown) => void {
    const { contentLength: length = 0 } = this;
    try {
      this.#take();
      if (length > limit) throw tooLarge(limit);
      // All of a declared length at once: of bodies that begin together some are read, and not each of them half.
      const refusal = this.#more(length);
      if (refusal) throw refusal;
      this.#invite();
    } catch (error) {
      receiver.failed(error);
      return () => {};
    }
    const bounds = {
      ...{ limit, announced: this.contentLength },
      take: (bytes: number) => this.#more(bytes),
      whole: (bytes: Buffer) => {
        if (bytes.length >= largeBytes) this.#large = bytes;
      },
    };
    this.#end = collectBytes(this.#req, bounds, receiver);
    return this.#end;
  }

  stream(): ReadableStream<Uint8Array> {
    this.#take();
    this.#invite();
    const reading = streamBytes(this.#req);
    this.#end = (reason) => reading.end(reason);
    return reading.result;
  }

  abandon(): void {
    this.#taken = true;
    this.#end?.(new DOMException('the request was answered', 'AbortError'));
  }

  release(): void {
    this.#taken = true;
    this.#hold?.release();
    // Given back it is empty.
    if (this.#large?.byteLength) bodyPace.uncollected.add(this.#large.byteLength);
    this.#large = undefined;
  }

  /** @returns the refusal; there is one for a request that is over, too, since nobody would give it back */
  #more(bytes: number): HTTPError | undefined {
    if (this.#hold) return this.#refusal(this.#hold.more(bytes));
    const hold = this.#inFlight.take(this.#owner.callerKey, bytes);
    if (typeof hold === 'string') return this.#refusal(hold);
    this.#hold = hold;
    return undefined;
  }

  #refusal(usedUp: ReturnType<Hold['more']>): HTTPError | undefined {
    if (usedUp === undefined) return undefined;
    this.refused = true;
    return noRoom(usedUp, this.#inFlight.size);
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
