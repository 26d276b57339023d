import type { IncomingMessage, ServerResponse } from 'node:http';
import { contentLengthOf } from '../body/body-source.ts';
import type { Answer } from './answer.ts';
import { lingerMs } from './end-gently.ts';

/** An unread rest up to here is taken off the wire so that the connection can go on. */
const smallRest = 65_536;
/** How much of a large rest is still taken while the client reads its answer. */
const lingerBytes = 32_768;

/** Is told how many bytes of a stream are sent, a chunk at a time. */
export interface Tally {
  sent(bytes: number): void;
}

/** What an answer takes that is not sent at once. */
export interface SendOptions {
  /** Of streams. */
  readonly tally: Tally;
  /** The longest that the source of a stream may pause, milliseconds. */
  readonly idleMs: number;
  /** The longest that a client may take nothing, milliseconds. */
  readonly clientIdleMs: number;
}

/** Says how much of a request's body is still to come, as far as can be known. */
export function unreadRest(req: IncomingMessage): 'none' | 'small' | 'large' {
  if (req.complete) return 'none';
  const length = contentLengthOf(req);
  if (length === 0) return 'none';
  return length !== undefined && length <= smallRest ? 'small' : 'large';
}

/**
 * Writes an answer. Returns a promise only where it takes time: it resolves when a stream has ended, and rejects when
 * the stream failed, after cutting the connection, since the client must not take the part for the whole.
 *
 * @throws {TypeError} for headers that cannot be sent, and a stream that somebody else reads; nothing is on the wire then
 */
export function send(
  req: IncomingMessage,
  res: ServerResponse,
  answer: Answer,
  rest: 'none' | 'small' | 'large',
  options: SendOptions,
): Promise<void> | undefined {
  const { status, headers, payload } = answer;
  if (payload instanceof ReadableStream && payload.locked)
    throw new TypeError('the stream is read by somebody else');
  writeHead(res, status, headers);
  if (payload instanceof ReadableStream) return pump(payload, req, res, options);
  end(req, res, rest, payload);
  if (req.socket.writableLength > 0) cutWhenStalled(req, res, options.clientIdleMs);
  return undefined;
}

/**
 * Cuts a client that has taken nothing for `clientIdleMs` of what is sent: it would keep its answer in memory for as long
 * as it likes. One that takes some is slow, and has its time: node looks at what has left before it calls a socket idle,
 * and the kernel takes more once a third of what it holds, a megabyte at most, is gone.
 */
function cutWhenStalled({ socket }: IncomingMessage, res: ServerResponse, clientIdleMs: number): void {
  res.setTimeout(clientIdleMs, () => {
    // Nobody is waited for where the source of a stream is silent.
    if (socket.writableLength > 0) res.destroy();
  });
}

function end(
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
 * Where express or middleware in front has set headers, `writeHead` would take out each of ours and put it in again:
 * 2.4 µs of CPU (measured), and most of them are there already.
 */
function writeHead(res: ServerResponse, status: number, headers: readonly string[]): void {
  if (res.getHeaderNames().length === 0) {
    res.writeHead(status, headers as string[]);
    return;
  }
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string;
    const value = headers[i + 1] as string;
    // Cookies are no choice between two: middleware may have set some, and an answer may bring several.
    if (name === 'set-cookie') res.appendHeader(name, value);
    else if (res.getHeader(name) !== value) res.setHeader(name, value);
  }
  res.writeHead(status);
}

/**
 * Ends an answer that came before its body was sent, and gives the client time to read it. Node destroys the socket
 * behind the last answer; with unread bytes in it the kernel then resets the connection, and the client loses what it
 * has not read (measured). So the socket is only ended, and cut a little later.
 */
function linger(req: IncomingMessage, res: ServerResponse, payload?: string | Uint8Array): void {
  const { socket } = req;
  const destroySoon = socket.destroySoon.bind(socket);
  let taken = 0;
  let timer: NodeJS.Timeout | undefined;
  const drop = (chunk: Buffer): void => {
    taken += chunk.length;
    if (taken > lingerBytes) req.pause();
  };
  const cut = (): void => {
    clearTimeout(timer);
    req.off('data', drop).off('end', cut);
    socket.off('close', cut);
    destroySoon();
  };
  // Node calls it when the whole answer is with the kernel: a slow reader has the time from then on.
  socket.destroySoon = () => {
    socket.end();
    timer = setTimeout(cut, lingerMs);
    if (req.readableEnded) cut();
    else req.once('end', cut);
  };
  socket.once('close', cut);
  req.on('data', drop).resume();
  res.end(payload);
}

async function pump(
  stream: ReadableStream<Uint8Array>,
  req: IncomingMessage,
  res: ServerResponse,
  { tally, idleMs, clientIdleMs }: SendOptions,
): Promise<void> {
  const reader = stream.getReader();
  // A stream shorter or longer than its declared length would shift the next answer on this connection.
  res.strictContentLength = true;
  let gone = res.destroyed;
  let wake = (): void => {};
  const onClose = (): void => {
    gone = true;
    wake();
    // The source may be slow; it must not find out with its next chunk only.
    reader.cancel(new DOMException('the client went away', 'AbortError')).catch(() => {});
  };
  if (gone) onClose();
  // A source that fails while the client is waited for would not be heard of before the client reads on.
  reader.closed.catch(() => res.destroy());
  let asked = false;
  let held = false;
  const timer = setInterval(() => {
    if (asked)
      reader.cancel(new DOMException('the stream paused for too long', 'TimeoutError')).catch(() => {});
    if (asked) res.destroy();
  }, idleMs);
  const onDrain = (): void => wake();
  res.on('close', onClose).on('drain', onDrain).flushHeaders();
  try {
    for (;;) {
      asked = true;
      timer.refresh();
      const { done, value } = await reader.read();
      asked = false;
      if (gone) return;
      if (done) break;
      const flowing = res.write(value);
      tally.sent(value.length);
      if (flowing) continue;
      if (!held) cutWhenStalled(req, res, clientIdleMs);
      held = true;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (gone) return;
    }
    end(req, res, unreadRest(req), undefined);
  } catch (cause) {
    res.off('close', onClose).destroy();
    await reader.cancel(cause).catch(() => {});
    throw cause;
  } finally {
    clearInterval(timer);
    res.off('close', onClose).off('drain', onDrain);
  }
}
