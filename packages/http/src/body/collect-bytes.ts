import type { IncomingMessage } from 'node:http';
import { HTTPError } from '@waymark/contract';
import { SoleRequest } from '../server/sole-request.ts';
import { Assembly } from './assembly.ts';
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
  /** Bytes that were announced, and have been taken already; undefined where nobody knows. */
  readonly announced: number | undefined;
  /** Asked for what else is kept, as it comes; gives the refusal. */
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
  { limit, announced = 0, take }: Bounds,
  signal?: AbortSignal,
): Reading<Promise<Uint8Array>> {
  let end = (_reason: unknown): void => {};
  // Loggers and signature checks in front of the door keep what they hear, and have left before the last of it is read.
  const isSole = req instanceof SoleRequest && req.listenerCount('data') === 0;
  const result = new Promise<Uint8Array>((resolve, reject) => {
    const assembly = new Assembly(announced);
    let length = 0;
    let kept = 0;
    let over = false;
    const stop = (): void => {
      over = true;
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      signal?.removeEventListener('abort', onAbort);
    };
    /** Whether nobody else hears the pieces. @param own how many listeners are ours */
    const isOwn = (own: number): boolean => isSole && req.listenerCount('data') === own;
    end = (reason) => {
      if (over) return;
      stop();
      req.pause();
      assembly.drop(isOwn(0));
      reject(reason);
    };
    const onData = (chunk: Buffer): void => {
      // It may be given back once it is added.
      const bytes = chunk.length;
      length += bytes;
      if (length > limit) end(tooLarge(limit));
      else if (assembly.add(chunk, isOwn(1))) {
        // What was announced is paid for, and one piece is the whole of most bodies.
        const unpaid = Math.min(bytes, Math.max(0, length - announced));
        const cost = unpaid + (kept++ === 0 ? 0 : pieceCost(bytes));
        const refusal = cost === 0 ? undefined : take(cost);
        if (refusal) end(refusal);
      }
    };
    const onEnd = (): void => {
      stop();
      resolve(assembly.whole(isOwn(0)));
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

/** The refusal of a body over its limit. */
export function tooLarge(limit: number): HTTPError {
  return new HTTPError(413, `the body is larger than ${limit} bytes`);
}

/** What a reader is told when the client went away in the middle; nobody is left to read it. */
export function cutOff(): HTTPError {
  return new HTTPError(400, 'the body was cut off');
}
