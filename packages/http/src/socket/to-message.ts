import { giveBack } from '@waymark/contract/http';
import type { RawData } from 'ws';

/** Bytes of a text that are given back once it is read: a flood of texts of 1 MB brought on a collection for each twelve. */
const leastGivenBack = 65_536;

/** What `ws` tells, as a peer does: a text as a string. */
export function toMessage(data: RawData, isBinary: boolean): string | Uint8Array {
  // `binaryType` is left at `nodebuffer`, so a message is one buffer.
  const bytes = data as Buffer;
  if (isBinary) return bytes;
  const text = bytes.toString();
  if (bytes.length >= leastGivenBack) giveBack(bytes);
  return text;
}
