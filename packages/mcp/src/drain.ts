import { HTTPError } from '@waymark/contract';

/**
 * Reads a stream to its end.
 *
 * @returns undefined when it holds more than `limit` bytes; the rest is not read
 * @throws {HTTPError} 503 when `signal` fires first
 */
export async function drain(
  stream: ReadableStream<Uint8Array>,
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const reader = stream.getReader();
  // Ends a pending read. What the source makes of being cancelled is its own affair.
  const cancel = (): void => void reader.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  try {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (signal?.aborted) throw new HTTPError(503, 'the call was cancelled');
      if (done) return Buffer.concat(chunks, length);
      length += value.length;
      if (length > limit) {
        cancel();
        return undefined;
      }
      chunks.push(value);
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}
