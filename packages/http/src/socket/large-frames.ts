import { giveBack } from '@waymark/contract/http';

/** Bytes of a frame above which it is put together as it comes. */
const largeFrame = 65_536;

/** Bytes of the first room for one, and how many times what has come each further room is: who announces sends first. */
const room = { least: 4_096, times: 4 } as const;

/** Room for any head: two bytes, a length of eight, and the mask (RFC 6455, 5.2). */
const headBytes = 14;

/** Whom frames are handed on to. */
export interface FrameHearer {
  /** Whether anybody hears them: else nothing is kept, and what comes is handed on as it is. */
  isHeard(): boolean;
  /** Hands on what has not been counted. */
  emit(bytes: Buffer): void;
  /** Hands on what has, but for so many bytes. */
  emitCounted(bytes: Buffer, uncounted: number): void;
  /** Counts what is kept of a frame that is not whole. */
  count(bytes: number): void;
}

/**
 * Puts large frames together as they come, in front of `ws`, which keeps what it is given until the frame is whole, and then
 * copies and unmasks all of it at once: at 4 MiB nobody else was answered for 10 ms (measured). What is given to it is a head
 * with a mask of zeros, and then the whole, which it takes as it is.
 */
export class LargeFrames {
  readonly #hearer: FrameHearer;
  /** Bytes that are still to come of a small frame, which is handed on as it comes. */
  #rest = 0;
  /** The beginning of a head. */
  readonly #head = Buffer.alloc(headBytes);
  #headLength = 0;
  /** Of a large frame: how long it is, 0 where none is on its way, what it lies in, and how much of it is there. */
  #length = 0;
  #room: Buffer | undefined;
  #filled = 0;
  readonly #mask = new Uint8Array(4);
  #isMasked = false;
  #uncounted = 0;

  constructor(hearer: FrameHearer) {
    this.#hearer = hearer;
  }

  /** Whether the rest of a frame or head would not be understood without what is here. */
  get isWithin(): boolean {
    return this.#length > 0 || this.#headLength > 0;
  }

  /** @returns whether nobody has seen the memory that the bytes lie in: all of them were copied */
  pass(bytes: Buffer): boolean {
    const hearer = this.#hearer;
    const end = bytes.length;
    let isSeen = false;
    /** Where that begins which is handed on as it came. */
    let from = 0;
    let at = 0;
    while (at < end && hearer.isHeard()) {
      if (this.#rest > 0) {
        const taken = Math.min(this.#rest, end - at);
        this.#rest -= taken;
        at += taken;
      } else if (!this.isWithin && isSmall(bytes, at)) {
        this.#rest = payloadIn(bytes, at);
        at += headLengthIn(bytes, at);
      } else {
        if (at > from) {
          isSeen = true;
          hearer.emit(bytes.subarray(from, at));
        }
        at = this.#length > 0 ? this.#fill(bytes, at) : this.#readHead(bytes, at);
        from = at;
      }
    }
    if (!hearer.isHeard()) this.drop();
    if (from === end) return !isSeen;
    hearer.emit(from === 0 ? bytes : bytes.subarray(from));
    return false;
  }

  /** Forgets what is here. */
  drop(): void {
    if (this.#room) giveBack(this.#room);
    this.#room = undefined;
    this.#length = 0;
    this.#headLength = 0;
  }

  /** Reads some of a head that is kept until it is whole, or is that of a large frame. @returns where the next bytes are */
  #readHead(bytes: Buffer, start: number): number {
    const head = this.#head;
    for (let at = start; at < bytes.length; ) {
      head[this.#headLength++] = bytes[at++] ?? 0;
      if (this.#headLength < 2 || this.#headLength < headLengthIn(head, 0)) continue;
      this.#begin(Buffer.from(head.subarray(0, this.#headLength)));
      return at;
    }
    return bytes.length;
  }

  #begin(head: Buffer): void {
    const payload = payloadIn(head, 0);
    this.#headLength = 0;
    if (payload <= largeFrame) {
      this.#rest = payload;
      this.#hearer.emit(head);
      return;
    }
    this.#length = payload;
    this.#filled = 0;
    this.#uncounted = head.length;
    this.#isMasked = false;
    if (isMasked(head, 0)) {
      const at = head.length - 4;
      this.#mask.set(head.subarray(at));
      this.#isMasked = this.#mask.some((byte) => byte !== 0);
      head.fill(0, at);
    }
    // `ws` says what is wrong with it before anything else is read.
    this.#hearer.emitCounted(head, 0);
  }

  /** Takes what is there of a large frame. @returns where the next bytes are */
  #fill(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + this.#length - this.#filled);
    const length = end - start;
    this.#uncounted += length;
    if (this.#filled + length < this.#length) {
      this.#hearer.count(this.#uncounted);
      this.#uncounted = 0;
      if (!this.#hearer.isHeard()) return start;
    }
    const own = this.#roomFor(length);
    own.set(bytes.subarray(start, end), this.#filled);
    if (this.#isMasked) unmask(own, this.#filled, this.#filled + length, this.#mask);
    this.#filled += length;
    if (this.#filled === this.#length) {
      this.#length = 0;
      this.#room = undefined;
      this.#hearer.emitCounted(own, this.#uncounted);
    }
    return end;
  }

  #roomFor(more: number): Buffer {
    const needed = this.#filled + more;
    const before = this.#room;
    if (before && needed <= before.length) return before;
    const own = Buffer.allocUnsafeSlow(Math.min(this.#length, Math.max(room.least, room.times * needed)));
    this.#room = own;
    if (before) {
      own.set(before.subarray(0, this.#filled));
      giveBack(before);
    }
    return own;
  }
}

/** Unmasks a part of a frame that has its memory for itself: by words, 0.3 ms a MiB, where bytes take 2 (measured). */
function unmask(frame: Buffer, start: number, end: number, mask: Uint8Array): void {
  const firstWord = Math.ceil(start / 4);
  const lastWord = Math.max(firstWord, Math.floor(end / 4));
  const words = new Uint32Array(frame.buffer, 0, frame.length >> 2);
  const [word = 0] = new Uint32Array(mask.buffer);
  unmaskBytes(frame, start, Math.min(end, firstWord * 4), mask);
  for (let i = firstWord; i < lastWord; i++) words[i] = (words[i] ?? 0) ^ word;
  unmaskBytes(frame, Math.max(start, lastWord * 4), end, mask);
}

function unmaskBytes(frame: Buffer, start: number, end: number, mask: Uint8Array): void {
  for (let i = start; i < end; i++) frame[i] = (frame[i] ?? 0) ^ (mask[i & 3] ?? 0);
}

/** Whether a head is all there, and of a frame that is handed on as it comes. */
function isSmall(bytes: Buffer, at: number): boolean {
  const left = bytes.length - at;
  return left >= 2 && left >= headLengthIn(bytes, at) && payloadIn(bytes, at) <= largeFrame;
}

/** Of a head of which the first two bytes are there. */
function headLengthIn(bytes: Buffer, at: number): number {
  const short = shortLengthIn(bytes, at);
  return 2 + (short === 127 ? 8 : short === 126 ? 2 : 0) + (isMasked(bytes, at) ? 4 : 0);
}

/** Bytes behind a head that is all there. */
function payloadIn(bytes: Buffer, at: number): number {
  const short = shortLengthIn(bytes, at);
  if (short === 126) return bytes.readUInt16BE(at + 2);
  if (short === 127) return bytes.readUInt32BE(at + 2) * 2 ** 32 + bytes.readUInt32BE(at + 6);
  return short;
}

function shortLengthIn(bytes: Buffer, at: number): number {
  return (bytes[at + 1] ?? 0) & 0x7f;
}

function isMasked(bytes: Buffer, at: number): boolean {
  return ((bytes[at + 1] ?? 0) & 0x80) !== 0;
}
