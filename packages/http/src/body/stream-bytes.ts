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

/**
 * Reads a body as it comes, no faster than it is taken. Unlike `Readable.toWeb`, cancelling leaves the connection
 * alone: the answer still goes over it.
 */
export function streamBytes(req: IncomingMessage): Reading<ReadableStream<Uint8Array>> {
  let end = (_reason: unknown): void => {};
  let stop = (): void => {};
  const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const onData = (chunk: Buffer): void => {
      controller.enqueue(chunk);
      if ((controller.desiredSize ?? 0) <= 0) req.pause();
    };
    const onEnd = (): void => {
      stop();
      controller.close();
    };
    const onClose = (): void => end(cutOff());
    stop = () => {
      req.off('data', onData).off('end', onEnd).off('close', onClose).pause();
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
