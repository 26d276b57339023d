import type { FileHandle } from 'node:fs/promises';

/** Bytes read at once: with 64 KB a GB took 3.2 s of CPU, with these 2.0 s; plain `send` takes 1.6 s (measured). */
const chunkBytes = 262_144;

/**
 * Streams a part of an open file, a chunk for each that is taken and none ahead: what a slow reader holds is one chunk,
 * however large the file is. Closes the file at its end, when it fails, and when the stream is cancelled.
 *
 * A file that became shorter fails the stream: its reader was told another length.
 */
export function fileStream(handle: FileHandle, start: number, length: number): ReadableStream<Uint8Array> {
  let position = start;
  const end = start + length;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const wanted = Math.min(chunkBytes, end - position);
          const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
          if (bytesRead === 0 && wanted > 0) throw new Error('the file became shorter while it was sent');
          position += bytesRead;
          if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead));
          if (position < end) return;
          await handle.close();
          controller.close();
        } catch (error) {
          await handle.close().catch(() => {});
          throw error;
        }
      },
      cancel: () => handle.close(),
    },
    { highWaterMark: 0 },
  );
}
