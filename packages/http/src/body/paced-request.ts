import { IncomingMessage } from 'node:http';
import { bodyPace, type Reading } from './body-pace.ts';

/** What a piece takes besides its bytes: a client may send each byte in a piece of its own. */
const pieceBytes = 2_048;

const hasBegun = Symbol('has begun');
const reading = Symbol('reading');

/**
 * A request whose body is read as fast as `bodyPace` lets it. What it keeps for that is set once it is needed, and not for
 * each request: most have no body.
 */
export class PacedRequest extends IncomingMessage {
  declare [hasBegun]?: true;
  declare [reading]?: Reading;

  /** Node stops reading from the connection where this is false. */
  override push(piece: Uint8Array | null): boolean {
    if (piece === null) return super.push(piece);
    // One piece is the whole of most bodies, and nothing is read behind it.
    if (!this[hasBegun]) {
      this[hasBegun] = true;
      return super.push(piece);
    }
    // Whoever takes it may give its memory back.
    const cost = pieceBytes + piece.length;
    const wantsMore = super.push(piece);
    readingOf(this).cost += cost;
    return bodyPace.take(cost) && wantsMore;
  }

  override _read(size: number): void {
    if (bodyPace.isOpen) super._read(size);
    else bodyPace.wait(readingOf(this));
  }
}

function readingOf(req: PacedRequest): Reading {
  req[reading] ??= {
    cost: 0,
    goOn: () => {
      // Behind its end node reads on for the next request of the connection.
      if (!req.complete && !req.destroyed) req._read(0);
    },
  };
  return req[reading];
}
