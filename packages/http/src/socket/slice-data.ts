import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** Bytes that `ws` is given at once: the least hold 680 pings of six bytes, which take it half a millisecond. */
const sliceBytes = { least: 4_096, most: 65_536 } as const;

/** Messages of a slice, pings and pongs among them, above which the next one is smaller, and below which it is larger. */
const many = 64;
const few = 16;

/**
 * Gives `ws` what is read of a socket in slices, and the rest only once nobody has paused it: of the 64 KiB that node hands over
 * at once it tells all messages before it hears of a pause, and 11,000 pings or 5,000 short texts take 5 to 10 ms. Whoever sends
 * large messages has slices as large as what node reads.
 *
 * @param reader asked before anything is given; it pauses the socket where that is not now
 */
export function sliceData(ws: WebSocket, socket: Duplex, reader: { mayRead(): boolean }): void {
  let bytes: number = sliceBytes.least;
  let told = 0;
  const count = (): void => void told++;
  ws.on('message', count).on('ping', count).on('pong', count);
  const emit = socket.emit.bind(socket);
  const give = (data: Buffer): boolean => {
    if (!isLost(socket) && !reader.mayRead()) {
      socket.unshift(data);
      return true;
    }
    if (data.length <= bytes) return emit('data', data);
    let rest = data;
    while (rest.length > 0) {
      // To such a one nothing can be given back: what a client sent before it left would be lost.
      if (isLost(socket)) {
        emit('data', rest);
        break;
      }
      if (socket.isPaused()) {
        socket.unshift(rest);
        break;
      }
      const slice = rest.subarray(0, bytes);
      rest = rest.subarray(slice.length);
      told = 0;
      emit('data', slice);
      if (told > many) bytes = sliceBytes.least;
      else if (told < few) bytes = Math.min(4 * bytes, sliceBytes.most);
    }
    return true;
  };
  // Not a listener in front of that of `ws`, which takes its own away where nothing more is to be heard.
  socket.emit = (event: string | symbol, ...args: unknown[]): boolean =>
    event === 'data' ? give(args[0] as Buffer) : emit(event, ...args);
  // `ws` takes all that is left of a torn connection at once, too.
  socket.prependListener('close', () => {
    const left = socket.readableLength;
    if (bytes < sliceBytes.most && left > sliceBytes.most) socket.read(left);
  });
}

/** Whether a write failed, or it was cut. */
function isLost({ destroyed, errored }: Duplex): boolean {
  return destroyed || errored !== null;
}
