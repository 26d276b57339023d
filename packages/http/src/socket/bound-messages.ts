import type { Duplex } from 'node:stream';
import type { Budget, Hold } from '@waymark/contract/engine';
import { giveBack } from '@waymark/contract/http';
import type { WebSocket } from 'ws';
import { pieceCost } from '../body/piece-cost.ts';
import { noRoom } from '../limits/door-limits.ts';

/** What the messages of one socket take of, and what happens where that is too much. */
export interface MessageBounds {
  readonly budget: Budget;
  readonly key: string;
  /** Told of each piece of a message that is not whole: to read and unmask it takes time, too. */
  readonly onPiece: (bytes: number) => void;
  /** Is to stop reading at once: what came is given back, and `ws` must not put it together. */
  readonly refuse: (reason: string) => void;
  /** Told that more came behind the close frame of the other side, which is nobody's. */
  readonly onRest: () => void;
}

/** Counts what is kept of a message before `ws` is given it. */
export interface EarlyCount {
  /** Counts bytes that came, and of which no piece is kept. */
  count(bytes: number): void;
  /** @param give hands on what has been counted, but for so many bytes, which count where no message is whole by them */
  handOn(give: () => void, uncounted: number): void;
}

/** Of a ping or pong of a client: two bytes, and four of the mask (RFC 6455, 5.2). */
const controlHeadBytes = 6;

/**
 * Makes what a socket has sent since its last whole message hold its bytes of those in flight: `ws` keeps a message until
 * its last piece has come, and who sends one may take its time. A message that comes in one piece costs nothing, so that
 * what is not counted is less than one piece for each socket.
 *
 * @returns counts what `ws` is given later
 */
export function boundMessages(
  ws: WebSocket,
  socket: Duplex,
  { budget, key, onPiece, refuse, onRest }: MessageBounds,
): EarlyCount {
  let hold: Hold | undefined;
  let whole = false;
  let refused = false;
  let controlBytes = 0;
  let early: number | undefined;
  /** What came of the message that is not whole, but for what lies in a piece with another one, or with a ping. */
  let pieces: Buffer[] = [];
  const giveBackPieces = (kept?: ArrayBufferLike): void => {
    for (const piece of pieces) if (piece.buffer !== kept) giveBack(piece);
    pieces = [];
  };
  const release = (): void => {
    hold?.release();
    hold = undefined;
  };
  const take = (bytes: number): void => {
    const taken = hold ? hold.more(bytes) : budget.take(key, bytes);
    if (typeof taken === 'string') {
      // Others of its caller may well have room for theirs then.
      release();
      refused = true;
      refuse(noRoom(taken, budget.size).message);
    } else if (taken) hold = taken;
  };
  const count = (bytes: number, length: number): void => {
    take(bytes);
    onPiece(length);
    if (refused) giveBackPieces();
  };
  const onControl = (payload: Buffer): void => {
    controlBytes += controlHeadBytes + payload.length;
  };
  // Before whoever takes the message, who may keep it and count it anew.
  ws.prependListener('message', (data) => {
    whole = true;
    release();
    // `ws` has put together what came in several: what it was made of waits for a collection otherwise.
    if (pieces.length > 0) giveBackPieces((data as Buffer).buffer);
  });
  ws.on('ping', onControl).on('pong', onControl);
  const [heardByWs] = socket.listeners('data');
  // Behind the listener of `ws`, which tells all that a piece holds before it returns.
  socket.on('data', (piece: Buffer) => {
    // It takes that away once it has a close frame: those bytes are of no message.
    if (heardByWs && !socket.listeners('data').includes(heardByWs)) {
      release();
      giveBackPieces();
      onRest();
      return;
    }
    const bytes = piece.length - controlBytes;
    if (!whole && bytes > 0) {
      if (controlBytes === 0) pieces.push(piece);
      if (early === undefined) count(bytes + pieceCost(piece.length), piece.length);
      else if (early > 0) count(early, early);
    }
    whole = false;
    controlBytes = 0;
  });
  // Not before: `ws` may put together what it has when the socket is closed.
  socket.once('close', () => {
    release();
    giveBackPieces();
  });
  return {
    count: (bytes) => count(bytes, bytes),
    handOn: (give, uncounted) => {
      early = uncounted;
      give();
      early = undefined;
    },
  };
}
