/** What a service sends over a socket, piece by piece: the head of its answer, then each frame. */
export interface Piece {
  readonly bytes: Buffer;
  /** Of the message; undefined for what is none. */
  readonly type: string | undefined;
  readonly isHead: boolean;
}

const textFrame = 0x81;

/** Splits what a service sends. Its frames have no mask (RFC 6455, 5.1). */
export class Pieces {
  #rest: Buffer = Buffer.alloc(0);
  #headPassed = false;

  /** Takes in what came. @returns the pieces that are whole */
  *take(bytes: Buffer): Iterable<Piece> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const length = this.#headPassed ? frameLength(this.#rest) : headLength(this.#rest);
      if (length === undefined || this.#rest.length < length) return;
      const piece = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      yield { bytes: piece, type: this.#headPassed ? typeOf(piece) : undefined, isHead: !this.#headPassed };
      this.#headPassed = true;
    }
  }
}

function headLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  return end < 0 ? undefined : end + 4;
}

function frameLength(bytes: Buffer): number | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1);
  if (short < 126) return 2 + short;
  if (short === 126) return bytes.length < 4 ? undefined : 4 + bytes.readUInt16BE(2);
  return bytes.length < 10 ? undefined : 10 + Number(bytes.readBigUInt64BE(2));
}

function typeOf(frame: Buffer): string | undefined {
  return frame[0] === textFrame ? /"type":"(\w+)"/.exec(frame.toString('utf8', 2, 64))?.[1] : undefined;
}
