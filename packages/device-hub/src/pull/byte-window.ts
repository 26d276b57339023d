const smallest = 65_536;

/** Bytes that came in pieces, in one buffer: what is added is copied once, what is passed over is let go. */
export class ByteWindow {
  #buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  /** What is in it, until something is added. */
  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  add(piece: Uint8Array): void {
    if (this.#end + piece.length > this.#buffer.length) this.#makeRoom(piece.length);
    this.#buffer.set(piece, this.#end);
    this.#end += piece.length;
  }

  /** Passes over the first bytes. */
  skip(bytes: number): void {
    this.#start += bytes;
    if (this.#start < this.#end) return;
    this.#start = 0;
    this.#end = 0;
  }

  /** Twice what is needed, so that adding costs the same however small the pieces are. */
  #makeRoom(more: number): void {
    const needed = this.length + more;
    const rest = this.bytes;
    this.#buffer =
      needed * 2 <= this.#buffer.length ? this.#buffer : Buffer.alloc(Math.max(smallest, 2 * needed));
    rest.copy(this.#buffer);
    this.#end = rest.length;
    this.#start = 0;
  }
}
