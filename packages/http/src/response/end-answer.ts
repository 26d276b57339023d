import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cancel } from '@waymark/contract/engine';
import { giveBack } from '@waymark/contract/http';
import { contentLengthOf } from '../body/body-headers.ts';
import { lingering } from './lingering.ts';

/** An unread rest up to here is taken off the wire so that the connection can go on. */
const smallRest = 65_536;
/** How much of a large rest is still taken while the client reads its answer. */
const lingerBytes = 32_768;

/** Says how much of a request's body is still to come, as far as can be known. */
export function unreadRest(req: IncomingMessage): 'none' | 'small' | 'large' {
  if (req.complete) return 'none';
  const length = contentLengthOf(req);
  if (length === 0) return 'none';
  return length !== undefined && length <= smallRest ? 'small' : 'large';
}

/**
 * Cuts a client that has taken nothing for `clientIdleMs` of what is sent: it would keep its answer in memory for as long
 * as it likes. One that takes some is slow, and has its time: node looks at what has left before it calls a socket idle,
 * and the kernel takes more once a third of what it holds, a megabyte at most, is gone.
 */
export function cutWhenStalled({ socket }: IncomingMessage, res: ServerResponse, clientIdleMs: number): void {
  res.setTimeout(clientIdleMs, () => {
    // Nobody is waited for where the source of a stream is silent.
    if (socket.writableLength > 0) res.destroy();
  });
}

/** Writes the rest of an answer, and does with what is unread of its request what has to be done. */
export function endAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  rest: 'none' | 'small' | 'large',
  payload: string | Uint8Array | undefined,
): void {
  if (rest === 'large') {
    linger(req, res, payload);
    return;
  }
  res.end(payload);
  if (rest === 'small') req.resume();
}

/**
 * Ends an answer that came before its body was sent, and gives the client time to read it. Node destroys the socket
 * behind the last answer; with unread bytes in it the kernel then resets the connection, and the client loses what it
 * has not read (measured). So the socket is only ended, and cut a little later. What still comes is dropped as it is: to parse
 * 64 KiB of chunks with a byte each takes 10 to 20 ms.
 */
function linger({ socket }: IncomingMessage, res: ServerResponse, payload?: string | Uint8Array): void {
  const destroySoon = socket.destroySoon.bind(socket);
  let taken = 0;
  let leave: Cancel = () => {};
  const hold = (): void => void socket.pause();
  const drop = (chunk: Buffer): void => {
    const before = taken;
    taken += chunk.length;
    // Nobody else hears it.
    giveBack(chunk);
    if (before > lingerBytes || taken <= lingerBytes) return;
    // A request that flows resumes it.
    socket.on('resume', hold);
    hold();
  };
  const cut = (): void => {
    leave();
    socket.off('data', drop).off('end', cut).off('close', cut).off('resume', hold);
    destroySoon();
  };
  // Node calls it when the whole answer is with the kernel: a slow reader has the time from then on.
  socket.destroySoon = () => {
    socket.end();
    leave = lingering.add(socket, cut);
    if (socket.readableEnded) cut();
    else socket.once('end', cut);
  };
  socket.once('close', cut);
  // Where somebody listens node no longer reads for its parser alone, which is one of those who listen then.
  const parsing = socket.listeners('data') as (() => void)[];
  socket.on('data', drop);
  for (const listener of parsing) socket.off('data', listener);
  socket.resume();
  res.end(payload);
}
