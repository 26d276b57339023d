import { giveBackMessage } from '@waymark/contract/http';
import type { RawData } from 'ws';

/** What `ws` tells, as a peer does: a text as a string. */
export function toMessage(data: RawData, isBinary: boolean): string | Uint8Array {
  // `binaryType` is left at `nodebuffer`, so a message is one buffer.
  const bytes = data as Buffer;
  if (isBinary) return bytes;
  const text = bytes.toString();
  giveBackMessage(bytes);
  return text;
}
