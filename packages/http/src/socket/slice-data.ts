import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { giveBack } from '@waymark/contract/http';
import type { WebSocket } from 'ws';
import type { EarlyCount } from './bound-messages.ts';
import { LargeFrames } from './large-frames.ts';

/** Bytes that `ws` is given at once: the least hold 680 pings of six bytes, which take it half a millisecond. */
const sliceBytes = { least: 4_096, most: 65_536 } as const;

/** Messages of a slice, pings and pongs among them, above which the next one is smaller, and below which it is larger. */
const many = 64;
const few = 16;

/** Who takes what `ws` is given. */
export interface SliceReader {
  /** Asked before anything is given; pauses the socket where that is not now. */
  mayRead(): boolean;
  /** Whether messages are still heard. */
  isHeard(): boolean;
}

/**
 * Gives `ws` what is read of a socket in slices, and the rest only once nobody has paused it: of the 64 KiB that node hands over
 * at once it tells all messages before it hears of a pause, and 11,000 pings or 5,000 short texts take 5 to 10 ms. Whoever sends
 * large messages has slices as large as what node reads, and large frames are put together here.
 *
 * @param early counts what comes of those
 */
export function sliceData(ws: WebSocket, socket: Duplex, reader: SliceReader, early: EarlyCount): void {
  let bytes: number = sliceBytes.least;
  let told = 0;
  const count = (): void => void told++;
  ws.on('message', count).on('ping', count).on('pong', count);
  const emit = socket.emit.bind(socket);
  const frames = new LargeFrames({
    isHeard: () => reader.isHeard(),
    emit: (piece) => emit('data', piece),
    emitCounted: (piece, uncounted) => early.handOn(() => emit('data', piece), uncounted),
    count: (length) => early.count(length),
  });
  const give = (data: Buffer): void => {
    if (!isLost(socket) && !reader.mayRead()) {
      socket.unshift(data);
      return;
    }
    let isOurs = true;
    let rest = data;
    while (rest.length > 0) {
      // To such a one nothing can be given back: what a client sent before it left would be lost.
      if (isLost(socket)) {
        frames.pass(rest);
        return;
      }
      if (socket.isPaused()) {
        socket.unshift(rest);
        return;
      }
      const slice = rest.length <= bytes ? rest : rest.subarray(0, bytes);
      rest = rest.subarray(slice.length);
      told = 0;
      isOurs = frames.pass(slice) && isOurs;
      if (told > many) bytes = sliceBytes.least;
      else if (told < few) bytes = Math.min(4 * bytes, sliceBytes.most);
    }
    // Of a tunnel of somebody's own the memory may still be its own.
    if (isOurs && socket instanceof Socket) giveBack(data);
  };
  // Not a listener in front of that of `ws`, which takes its own away where nothing more is to be heard.
  socket.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event !== 'data') return emit(event, ...args);
    give(args[0] as Buffer);
    return true;
  };
  socket.prependListener('close', () => {
    const left = socket.readableLength;
    // `ws` takes all that is left of a torn connection at once, too.
    if (bytes < sliceBytes.most && left > sliceBytes.most) socket.read(left);
    else if (left > 0 && frames.isWithin) frames.pass(socket.read(left) as Buffer);
    frames.drop();
  });
}

/** Whether a write failed, or it was cut. */
function isLost({ destroyed, errored }: Duplex): boolean {
  return destroyed || errored !== null;
}
