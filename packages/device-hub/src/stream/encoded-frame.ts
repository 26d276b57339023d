import { encodeMessages } from '@waymark/contract/engine';
import type { FrameRecord } from '@waymark/contract/hub';
import type { Outgoing } from './outgoing.ts';
import { toReceipt } from './receipt.ts';

/** One frame as subscribers are sent it, encoded at most once in each form and shared by all of them. */
export class EncodedFrame {
  readonly record: FrameRecord;
  readonly #receipt: number;
  #full: Outgoing | undefined;
  #meta: Outgoing | undefined;

  /** @param receipt that a subscriber is asked for which is sent it at once */
  constructor(record: FrameRecord, receipt: number) {
    this.record = record;
    this.#receipt = receipt;
  }

  /** Header and picture: two messages in one buffer, so that each subscriber costs one write. */
  get full(): Outgoing {
    this.#full ??= toOutgoing([toHeader(this.record), this.record.bytes], this.#receipt);
    return this.#full;
  }

  /** The header alone. It shares no memory with the picture. */
  get meta(): Outgoing {
    this.#meta ??= toOutgoing([toHeader(this.record)], this.#receipt);
    return this.#meta;
  }
}

/** The messages are the beginning of those that ask: one buffer for both. */
function toOutgoing(messages: readonly (string | Uint8Array)[], receipt: number): Outgoing {
  const asking = encodeMessages(messages, toReceipt(receipt));
  const pingBytes = encodeMessages([], asking.ping).bytes.length;
  return {
    bytes: asking.bytes.subarray(0, -pingBytes),
    messages: messages.length,
    asking,
    receipt,
  };
}

function toHeader({ seq, mediaType, bytes, atMs, width, height }: FrameRecord): string {
  return JSON.stringify({
    type: 'frame',
    seq,
    media_type: mediaType,
    bytes: bytes.length,
    at_ms: atMs,
    width,
    height,
  });
}
