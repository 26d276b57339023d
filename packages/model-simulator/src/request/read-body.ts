import type { IncomingMessage } from 'node:http';

/**
 * The whole body of a request. What comes after `maxBytes` is thrown away, but waited for: a client that is still
 * writing reads no answer. One that writes four times as much is cut off.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too large' | 'gone'> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks = [];
      if (size > 4 * maxBytes) request.destroy();
    });
    request.once('end', () => {
      resolve(size > maxBytes ? 'too large' : Buffer.concat(chunks));
    });
    request.once('close', () => {
      resolve('gone');
    });
    // The close that follows tells all there is to know.
    request.once('error', () => undefined);
  });
}
