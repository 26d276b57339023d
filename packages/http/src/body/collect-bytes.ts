/// <reference lib="es2024.arraybuffer" />
import type { IncomingMessage } from 'node:http';
import { HTTPError } from '@waymark/contract';
import { SoleRequest } from '../server/sole-request.ts';
import { pieceCost } from './piece-cost.ts';

/** Reading under way: what it gives, and how to end it early. */
export interface Reading<T> {
  readonly result: T;
  /** Rejects or errors `result`, unless it is complete. The rest of the body stays unread. */
  end(reason: unknown): void;
}

/** What a body may become. */
export interface Bounds {
  /** Bytes of the whole. */
  readonly limit: number;
  /** Whether the whole has been taken already, so that pieces cost only what they cost besides their bytes. */
  readonly paid: boolean;
  /** Asked for what the pieces cost, as they come; gives the refusal. */
  readonly take: (bytes: number) => HTTPError | undefined;
}

/**
 * Reads a body to its end; stops as soon as more than `limit` bytes came.
 *
 * The promise rejects with 413 over `limit` bytes, what `take` refuses, 400 when the body is cut off, and the signal's
 * reason.
 */
export function collectBytes(
  req: IncomingMessage,
  { limit, paid, take }: Bounds,
  signal?: AbortSignal,
): Reading<Promise<Uint8Array>> {
  let end = (_reason: unknown): void => {};
  // Loggers and signature checks in front of the door keep what they hear, and have left before the last of it is read.
  const isSole = req instanceof SoleRequest && req.listenerCount('data') === 0;
  const result = new Promise<Uint8Array>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const stop = (): void => {
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      signal?.removeEventListener('abort', onAbort);
    };
    end = (reason) => {
      stop();
      req.pause();
      reject(reason);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      // One piece is the whole of most bodies.
      const cost = (paid ? 0 : chunk.length) + (chunks.length === 0 ? 0 : pieceCost(chunk.length));
      const refusal = length > limit ? tooLarge(limit) : cost === 0 ? undefined : take(cost);
      if (refusal) end(refusal);
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      const [first] = chunks;
      // Most bodies come in one piece, which need not be copied.
      if (chunks.length === 1 && first) resolve(first);
      else {
        resolve(Buffer.concat(chunks, length));
        if (isSole && req.listenerCount('data') === 0) chunks.forEach(release);
      }
    };
    const onClose = (): void => end(cutOff());
    const onAbort = (): void => end(signal?.reason);

    signal?.addEventListener('abort', onAbort);
    req.on('data', onData).on('end', onEnd).on('close', onClose);
    if (signal?.aborted) onAbort();
    else if (req.destroyed) onClose();
  });
  return { result, end };
}

/**
 * Gives back the memory of a piece that has been copied. As garbage it would wait for a collection, and bytes outside
 * the heap bring on collections of all of it: they took half of the CPU time of a body of 200 KB (measured).
 */
function release({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

/** The refusal of a body over its limit. */
export function tooLarge(limit: number): HTTPError {
  return new HTTPError(413, `the body is larger than ${limit} bytes`);
}

/** What a reader is told when the client went away in the middle; nobody is left to read it. */
export function cutOff(): HTTPError {
  return new HTTPError(400, 'the body was cut off');
}
