/// <reference lib="es2024.arraybuffer" />

/** Bytes below which a piece is copied to others like it: what is around it would take more memory than it has itself. */
const smallPiece = 1_024;

/** Bytes of what small pieces are copied to: as many as have come, within these bounds. */
const block = { least: 4_096, most: 65_536 } as const;

const none = Buffer.alloc(0);

/**
 * A body as it comes, put together. Of one whose length was announced each piece is copied to its place at once and given
 * back, so that it is never there twice; of others they are kept until the last one is there.
 */
export class Assembly {
  readonly #announced: number;
  #room: Buffer | undefined;
  #filled = 0;
  /** What was not announced. */
  readonly #pieces: Buffer[] = [];
  #kept = 0;
  /** Where small pieces are put, and how much of it is used. */
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
   * @returns whether it is kept, and was not announced
   */
  add(piece: Buffer, own: boolean): boolean {
    const end = this.#filled + piece.length;
    // One piece is the whole of most bodies, and need not be copied.
    const copied = end <= this.#announced && piece.length < this.#announced && this.#pieces.length === 0;
    if (!copied) {
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
    const pieces = this.#room ? [this.#room.subarray(0, this.#filled), ...this.#pieces] : this.#pieces;
    const [first] = pieces;
    if (pieces.length === 1 && first) return first;
    const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
      if (own) giveBack(piece);
    }
    return whole;
  }

  #keep(piece: Buffer, own: boolean): void {
    const { length } = piece;
    if (this.#block.length - this.#used < length) this.#closeBlock();
    // The first piece is the whole of most bodies.
    if (length >= smallPiece || this.#kept === 0) {
      this.#closeBlock();
      this.#pieces.push(piece);
    } else {
      if (this.#block === none)
        this.#block = Buffer.allocUnsafeSlow(Math.min(Math.max(this.#kept, block.least), block.most));
      this.#block.set(piece, this.#used);
      this.#used += length;
      if (own) giveBack(piece);
    }
    this.#kept += length;
  }

  #closeBlock(): void {
    if (this.#used > 0) this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = none;
    this.#used = 0;
  }

  /** Gives back what nobody will read. @param own nobody else has seen the pieces */
  drop(own: boolean): void {
    if (this.#room) giveBack(this.#room);
    if (own) this.#pieces.forEach(giveBack);
  }
}

/**
 * Gives back the memory of bytes that nobody reads any more, unless other things lie in it, too. As garbage it would wait
 * for a collection, and bytes outside the heap bring on collections of all of it: they took half of the CPU time of a body
 * of 200 KB (measured).
 */
function giveBack({ buffer, length }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}
