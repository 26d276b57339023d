import { HTTPError } from '@waymark/contract';
import type { OutboundResponse } from '@waymark/contract/http';

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
  const pieces: Uint8Array[] = [];
  let length = Number(headers['content-length'] ?? 0) > maxBytes ? Number.POSITIVE_INFINITY : 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > maxBytes) throw new HTTPError(413, 'the picture is too large');
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces, length);
  const saysItsEnd = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  // It is over when the connection is, and then nobody says whether that was all.
  if (!saysItsEnd && isCutOff(bytes)) throw new HTTPError(422, 'the picture is cut off');
  return bytes;
}

function isCutOff(bytes: Buffer): boolean {
  if (bytes[0] === 0xff) return !bytes.includes(jpegEnd);
  return bytes[0] === 0x89 && !bytes.includes(pngEnd);
}
