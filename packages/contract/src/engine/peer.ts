import type { UnreadText } from '../http/unread-text.ts';
import type { Cancel } from './json.ts';

/** Whole messages already in wire form, built once for all receivers. */
export interface EncodedMessages {
  /** WebSocket frames, unmasked, as a server sends them. */
  readonly bytes: Uint8Array;
  readonly messages: number;
  /** Payload of the ping behind them, where there is one: with it, who answers it has read all of them. */
  readonly ping?: Uint8Array;
}

/** A WebSocket seen from inside. `send` never throws: a closed peer drops. */
export interface Peer {
  /** Bytes accepted by `send` that have not left the process. */
  readonly bufferedAmount: number;
  /** Grows with whatever is read of the other side, pieces of messages and pongs too: whether anything came since. */
  readonly heard: number;
  send(message: string | Uint8Array): void;
  sendEncoded(messages: EncodedMessages): void;
  ping(payload: Uint8Array): void;
  close(code?: number, reason?: string): void;
  /**
   * Closes without waiting for the other side: for one that is not to be heard any more. What it still sends is dropped
   * unread, messages that were not told yet too, and `onClose` is told at once.
   */
  shut(code: number, reason: string): void;
  terminate(): void;
  /**
   * From now on no message is told until `resume`; nothing is lost, and the order is kept. A socket stops reading behind
   * what it has read already, so that the end of the other side is not noticed meanwhile either.
   */
  pause(): void;
  resume(): void;
  /**
   * A string is a text message. Bytes are borrowed: copy what outlives the call, unless their memory is theirs alone. A socket that sends many at once is told
   * a share of them in each turn of the event loop, and not read meanwhile.
   */
  onMessage(listener: (message: string | Uint8Array) => void): Cancel;
  /** The same, for a listener that takes long texts unread; where others listen too, it is told strings. */
  onUnread(listener: (message: string | Uint8Array | UnreadText) => void): Cancel;
  onPong(listener: (payload: Uint8Array) => void): Cancel;
  /** `bufferedAmount` went back to zero. */
  onDrain(listener: () => void): Cancel;
  /**
   * Told once, behind the messages that came before: while those wait for `resume`, so does the end, unless it came by
   * `terminate` or `shut`, which drop them. A listener that comes after the close is told in the next turn of the event loop.
   */
  onClose(listener: (code: number, reason: string) => void): Cancel;
}

/**
 * Frames messages for `Peer.sendEncoded`: a string becomes a text message, bytes a binary one (RFC 6455, 5.2).
 *
 * @param ping payload of a ping behind them, 125 bytes at most
 */
export function encodeMessages(
  messages: readonly (string | Uint8Array)[],
  ping?: Uint8Array,
): EncodedMessages {
  const parts = messages.map((message) =>
    typeof message === 'string'
      ? { opcode: 0x1, payload: Buffer.from(message) }
      : { opcode: 0x2, payload: message },
  );
  if (ping) parts.push({ opcode: 0x9, payload: ping });
  const bytes = new Uint8Array(
    parts.reduce((sum, { payload }) => sum + headerLength(payload.length) + payload.length, 0),
  );
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const { opcode, payload } of parts) {
    at = writeHeader(view, at, opcode, payload.length);
    bytes.set(payload, at);
    at += payload.length;
  }
  return { bytes, messages: messages.length, ...(ping && { ping }) };
}

function headerLength(length: number): number {
  return length < 126 ? 2 : length < 65_536 ? 4 : 10;
}

function writeHeader(view: DataView, at: number, opcode: number, length: number): number {
  view.setUint8(at, 0x80 | opcode);
  if (length < 126) view.setUint8(at + 1, length);
  else if (length < 65_536) {
    view.setUint8(at + 1, 126);
    view.setUint16(at + 2, length);
  } else {
    view.setUint8(at + 1, 127);
    view.setBigUint64(at + 2, BigInt(length));
  }
  return at + headerLength(length);
}
