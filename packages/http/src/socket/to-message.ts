import { UnreadText } from '@waymark/contract/http';
import type { RawData } from 'ws';

/** What a socket tells. */
export type Message = string | Uint8Array | UnreadText;

/** Bytes of a text from which on it is left unread; such a one has come in memory of its own. */
const longBytes = 65_536;

/** What `ws` tells, as a peer does: a text as a string. */
export function toMessage(data: RawData, isBinary: boolean): Message {
  // `binaryType` is left at `nodebuffer`, so a message is one buffer.
  const bytes = data as Buffer;
  if (isBinary) return bytes;
  return bytes.length < longBytes ? bytes.toString() : new UnreadText(bytes);
}
