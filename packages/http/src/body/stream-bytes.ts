import type { IncomingMessage } from 'node:http';
import { cutOff } from './collect-bytes.ts';

/** Reading under way: what it gives, and how to end it early. */
interface Reading<T> {
  readonly result: T;
  /** Errors `result`, unless it is complete. The rest of the body stays unread. */
  end(reason: unknown): void;
}

/** What may wait for a reader before the client is held back. */
const highWaterMark = 65_536;

/** Below it a piece that is not the first of its turn of the event loop waits for those that come in the same one. */
const largePiece = 16_384;

/**
 * Reads a body as it comes, no faster than it is taken. Unlike `Readable.toWeb`, cancelling leaves the connection
 * alone: the answer still goes over it.
 */
export function streamBytes(req: IncomingMessage): Reading<ReadableStream<Uint8Array>> {
  let end = (_reason: unknown): void => {};
  let stop = (): void => {};
  const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const pass = (bytes: Uint8Array): void => {
      controller.enqueue(bytes);
      if ((controller.desiredSize ?? 0) <= 0) req.pause();
    };
    const small = new SmallPieces(pass);
    const onData = (chunk: Buffer): void => small.take(chunk);
    const onEnd = (): void => {
      small.passOn();
      stop();
      controller.close();
    };
    const onClose = (): void => end(cutOff());
    stop = () => {
      req.off('data', onData).off('end', onEnd).off('close', onClose).pause();
      small.drop();
      stop = end = () => {};
    };
    end = (reason) => {
      stop();
      controller.error(reason);
    };
    req.on('data', onData).on('end', onEnd).on('close', onClose);
    if (req.destroyed) onClose();
  };
  const result = new ReadableStream<Uint8Array>(
    { start, pull: () => void req.resume(), cancel: () => stop() },
    { highWaterMark, size: (chunk) => chunk.length },
  );
  return { result, end: (reason) => end(reason) };
}

/**
 * Puts together what comes in small pieces: a client may send each byte in one of its own, and each would be written to an
 * upstream by itself.
 */
class SmallPieces {
  readonly #pass: (bytes: Uint8Array) => void;
  #waiting: Buffer[] = [];
  #length = 0;
  #isWatched = false;

  constructor(pass: (bytes: Uint8Array) => void) {
    this.#pass = pass;
  }

  take(piece: Buffer): void {
    if (!this.#isWatched) {
      this.#pass(piece);
      this.#watch();
      return;
    }
    this.#waiting.push(piece);
    this.#length += piece.length;
    if (this.#length >= largePiece) this.passOn();
  }

  /** All that waits, as one. */
  passOn(): void {
    const waiting = this.#waiting;
    const [first] = waiting;
    if (!first) return;
    this.drop();
    this.#pass(waiting.length === 1 ? first : Buffer.concat(waiting));
  }

  drop(): void {
    this.#waiting = [];
    this.#length = 0;
  }

  #watch(): void {
    this.#isWatched = true;
    setImmediate(() => {
      this.#isWatched = false;
      this.passOn();
    });
  }
}
