import { IncomingMessage } from 'node:http';
import { bodyPace, type Reading } from './body-pace.ts';

/** What a piece takes besides its bytes: a client may send each byte in a piece of its own. */
const pieceBytes = 2_048;

/** A request whose body is read as fast as `bodyPace` lets it. */
export class PacedRequest extends IncomingMessage {
  /** One piece is the whole of most bodies, and nothing is read behind it. */
  #hasBegun = false;
  #reading: Reading | undefined;

  /** Node stops reading from the connection where this is false. */
  override push(piece: Uint8Array | null): boolean {
    // Whoever takes it may give its memory back.
    const cost = pieceBytes + (piece?.length ?? 0);
    const wantsMore = super.push(piece);
    if (piece === null) return wantsMore;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      return wantsMore;
    }
    this.#begun.cost += cost;
    return bodyPace.take(cost) && wantsMore;
  }

  override _read(size: number): void {
    if (bodyPace.isOpen) super._read(size);
    else bodyPace.wait(this.#begun);
  }

  get #begun(): Reading {
    this.#reading ??= {
      cost: 0,
      goOn: () => {
        // Behind its end node reads on for the next request of the connection.
        if (!this.complete && !this.destroyed) super._read(0);
      },
    };
    return this.#reading;
  }
}
