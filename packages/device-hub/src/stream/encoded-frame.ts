import { type EncodedMessages, encodeMessages } from '@waymark/contract/engine';
import type { FrameRecord } from '@waymark/contract/hub';

/** One frame as subscribers are sent it, encoded at most once in each form and shared by all of them. */
export class EncodedFrame {
  readonly record: FrameRecord;
  #full: EncodedMessages | undefined;
  #meta: EncodedMessages | undefined;

  constructor(record: FrameRecord) {
    this.record = record;
  }

  /** Header and picture: two messages in one buffer, so that each subscriber costs one write. */
  get full(): EncodedMessages {
    this.#full ??= encodeMessages([toHeader(this.record), this.record.bytes]);
    return this.#full;
  }

  /** The header alone. It shares no memory with the picture. */
  get meta(): EncodedMessages {
    this.#meta ??= encodeMessages([toHeader(this.record)]);
    return this.#meta;
  }
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
