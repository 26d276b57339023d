/** Where a frame carries what the benchmark wants to know of it: in a comment of its JPEG. */
const stampAt = 6;
const stampBytes = 16;

/** As much of the beginning of a frame as `readStamp` needs. */
export const headBytes = stampAt + stampBytes;

/** Which frame it is, and when it was sent. */
export interface Stamp {
  /** Whose it is: a hub may begin with the last frame of the load before. */
  readonly load: number;
  /** Counts from 1. */
  readonly id: number;
  /** On the clock of `performance.now` in the process of the load. */
  readonly sentMs: number;
}

/** An image as far as a hub looks at it: the markers and the size of a JPEG, then bytes that nobody decodes. */
export function makeFrame(bytes: number): Buffer {
  const head = Buffer.from([
    ...[0xff, 0xd8],
    ...[0xff, 0xfe, 0, 2 + stampBytes, ...new Array<number>(stampBytes).fill(0)],
    // Baseline, 480 × 640, three components.
    ...[0xff, 0xc0, 0, 17, 8, 0x01, 0xe0, 0x02, 0x80, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1],
    ...[0xff, 0xda, 0, 12, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0],
  ]);
  const frame = Buffer.alloc(bytes, 0x5a);
  head.copy(frame);
  frame.set([0xff, 0xd9], bytes - 2);
  return frame;
}

/** Writes which frame it is into it. */
export function writeStamp(frame: Buffer, { load, id, sentMs }: Stamp): void {
  frame.writeDoubleBE(sentMs, stampAt);
  frame.writeUInt32BE(id, stampAt + 8);
  frame.writeUInt32BE(load, stampAt + 12);
}

/** Reads it back. @param head `headBytes` or more of the beginning of a frame */
export function readStamp(head: Buffer): Stamp {
  return {
    sentMs: head.readDoubleBE(stampAt),
    id: head.readUInt32BE(stampAt + 8),
    load: head.readUInt32BE(stampAt + 12),
  };
}
