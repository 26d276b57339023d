import { giveBack } from '@waymark/contract/http';

/**
 * Bytes of the blocks that pieces are copied to: as many as have come, within these bounds. From 1 MiB on the C library may
 * keep memory apart and give it back; pieces of 64 KiB of several bodies leave holes instead.
 */
const block = { least: 4_096, most: 1_048_576 } as const;

const none = Buffer.alloc(0);

/** Bytes that are kept, in a block of ours or as they came. */
interface Kept {
  readonly bytes: Buffer;
  readonly isBlock: boolean;
}

/**
 * A body as it comes, put together: each piece behind the first is copied and given back at once, to its place where the
 * length was announced, else to a block. So nothing is there twice before the whole is made of the blocks.
 */
export class Assembly {
  readonly #announced: number;
  #room: Buffer | undefined;
  #filled = 0;
  /** What was not announced. */
  readonly #kept: Kept[] = [];
  #length = 0;
  #block = none;
  #used = 0;

  /** @param announced bytes; 0 where nobody knows */
  constructor(announced: number) {
    this.#announced = announced;
  }

  /**
   * Takes a piece.
   *
   * @param own nobody else has seen it, and its memory may be given back
   * @returns whether it was not announced, or is the whole
   */
  add(piece: Buffer, own: boolean): boolean {
    const { length } = piece;
    const end = this.#filled + length;
    // One piece is the whole of most bodies, and need not be copied.
    if (end > this.#announced || length === this.#announced || this.#length > 0) {
      this.#keep(piece, own);
      return true;
    }
    // Its pages take no memory before something is written to them.
    this.#room ??= Buffer.allocUnsafeSlow(this.#announced);
    this.#room.set(piece, this.#filled);
    this.#filled = end;
    if (own) giveBack(piece);
    return false;
  }

  /** All that came. @param own nobody else has seen the pieces */
  whole(own: boolean): Buffer {
    this.#closeBlock();
    const room = this.#room?.subarray(0, this.#filled) ?? none;
    const [first] = this.#kept;
    if (!first) return room;
    if (this.#kept.length === 1 && room === none) return first.bytes;
    const whole = Buffer.allocUnsafeSlow(this.#filled + this.#length);
    whole.set(room);
    let at = room.length;
    for (const one of this.#kept) {
      whole.set(one.bytes, at);
      at += one.bytes.length;
      if (one.isBlock || own) giveBack(one.bytes, one.isBlock);
    }
    return whole;
  }

  /** Gives back what nobody will read. @param own nobody else has seen the pieces */
  drop(own: boolean): void {
    this.#closeBlock();
    if (this.#room) giveBack(this.#room);
    for (const { bytes, isBlock } of this.#kept) if (isBlock || own) giveBack(bytes, isBlock);
  }

  #keep(piece: Buffer, own: boolean): void {
    const { length } = piece;
    if (this.#length === 0) this.#kept.push({ bytes: piece, isBlock: false });
    else {
      if (this.#block.length - this.#used < length) {
        this.#closeBlock();
        const size = Math.min(Math.max(this.#length, block.least), block.most);
        this.#block = Buffer.allocUnsafeSlow(Math.max(size, length));
      }
      this.#block.set(piece, this.#used);
      this.#used += length;
      if (own) giveBack(piece);
    }
    this.#length += length;
  }

  #closeBlock(): void {
    if (this.#used > 0) this.#kept.push({ bytes: this.#block.subarray(0, this.#used), isBlock: true });
    this.#block = none;
    this.#used = 0;
  }
}
