import { HTTPError } from '../engine/http-error.ts';

/** The longest a stream may pause, milliseconds, where nobody says. */
const defaultPauseMs = 30_000;

/** The body of an answer that is a stream, as far as it is read here. */
interface Drainable {
  readonly stream: ReadableStream<Uint8Array | string>;
  readonly pauseMs?: number;
}

/**
 * Reads a stream to its end. It may take any time, but for its pauses: the deadline of its route ended with its first byte
 * (decision 2.11). Text, which doors over HTTP write as it is, too, is taken as UTF-8.
 *
 * @returns undefined when it holds more than `limit` bytes; the rest is not read
 * @throws {HTTPError} 503 when `signal` fires first, 504 when the stream pauses for too long
 * @throws {TypeError} for a chunk that is neither bytes nor text
 */
export async function drain(
  { stream, pauseMs = defaultPauseMs }: Drainable,
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const reader = stream.getReader();
  // Ends a pending read. What the source makes of being cancelled is its own affair.
  const cancel = (): void => void reader.cancel(signal?.reason).catch(() => {});
  let paused = false;
  const pause = setTimeout(() => {
    paused = true;
    cancel();
  }, pauseMs);
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  try {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (signal?.aborted) throw new HTTPError(503, 'the call was cancelled');
      if (paused) throw new HTTPError(504, `the answer paused for more than ${pauseMs / 1000} seconds`);
      pause.refresh();
      if (done) return Buffer.concat(chunks, length);
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      if (!(bytes instanceof Uint8Array)) {
        cancel();
        throw new TypeError('a chunk of the answer is neither bytes nor text');
      }
      length += bytes.length;
      if (length > limit) {
        cancel();
        return undefined;
      }
      chunks.push(bytes);
    }
  } finally {
    clearTimeout(pause);
    signal?.removeEventListener('abort', cancel);
  }
}
