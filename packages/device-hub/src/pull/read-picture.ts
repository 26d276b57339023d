import { HTTPError } from '@waymark/contract';
import type { OutboundResponse } from '@waymark/contract/http';
import { ByteWindow } from './byte-window.ts';

const jpegEnd = Buffer.from([0xff, 0xd9]);
const pngEnd = Buffer.from('IEND');

/**
 * Reads an answer that is one picture.
 *
 * @throws {HTTPError} 413 more than that · 422 it was cut off · what the body fails with
 */
export async function readPicture(
  { headers, body }: OutboundResponse,
  maxBytes: number,
): Promise<Uint8Array> {
  // A piece may be a single byte, and cost more than a hundred to keep.
  const window = new ByteWindow();
  const declared = Number(headers['content-length'] ?? 0);
  for await (const piece of body) {
    if (Math.max(declared, window.length + piece.length) > maxBytes)
      throw new HTTPError(413, 'the picture is too large');
    window.add(piece);
  }
  const bytes = new Uint8Array(window.bytes);
  checkEnd(headers, bytes);
  return bytes;
}

/**
 * Of a picture that is over because its answer is.
 *
 * @throws {HTTPError} 422 the answer ended with its connection, and nobody said that this was all
 */
export function checkEnd(headers: OutboundResponse['headers'], bytes: Uint8Array): void {
  const saysItsEnd = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (!saysItsEnd && isCutOff(Buffer.from(bytes.buffer))) throw new HTTPError(422, 'the picture is cut off');
}

function isCutOff(bytes: Buffer): boolean {
  if (bytes[0] === 0xff) return !bytes.includes(jpegEnd);
  return bytes[0] === 0x89 && !bytes.includes(pngEnd);
}
