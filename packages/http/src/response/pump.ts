import type { IncomingMessage, ServerResponse } from 'node:http';
import { callAt } from '../socket/call-at.ts';
import { cutWhenStalled, endAnswer, unreadRest } from './end-answer.ts';

/** Is told what becomes of a stream. */
export interface Tally {
  /** So many bytes are sent, a chunk at a time. */
  sent(bytes: number): void;
  /** Its time is over, whatever its source has still to say. */
  expired(): void;
}

/** When a stream ends for its reader, whatever its source has still to say. */
export interface StreamEnd {
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** The event that says so, of a stream of events; others are cut. */
  readonly last?: string | undefined;
}

/** What a stream is answered with. */
export interface StreamOptions {
  readonly tally: Tally;
  /** The longest that its source may pause, milliseconds. */
  readonly idleMs: number;
  /** The longest that a client may take nothing, milliseconds. */
  readonly clientIdleMs: number;
  readonly until?: StreamEnd | undefined;
}

/** Writes a stream, no faster than the client reads it. Rejects when the source failed, after cutting the connection. */
export async function pump(
  stream: ReadableStream<Uint8Array>,
  req: IncomingMessage,
  res: ServerResponse,
  { tally, idleMs, clientIdleMs, until }: StreamOptions,
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
  let asked = 0;
  let answered = 0;
  let held = false;
  const timer = setInterval(() => {
    const waited = asked;
    // In a process that was held up the source's own timer may be late, too, and have its turn only now.
    setImmediate(() => {
      if (gone || answered === waited || asked !== waited) return;
      reader.cancel(new DOMException('the stream paused for too long', 'TimeoutError')).catch(() => {});
      res.destroy();
    });
  }, idleMs);
  const onDrain = (): void => wake();
  let expired = false;
  const cancelExpiry =
    until &&
    callAt(until.atMs, () => {
      expired = true;
      tally.expired();
      wake();
      reader.cancel(new DOMException('the credential has expired', 'AbortError')).catch(() => {});
    });
  let sentLast: Uint8Array | undefined;
  res.on('close', onClose).on('drain', onDrain).flushHeaders();
  try {
    for (;;) {
      asked++;
      timer.refresh();
      const { done, value } = await reader.read();
      answered = asked;
      if (gone) return;
      if (done) break;
      const flowing = res.write(value);
      tally.sent(value.length);
      sentLast = value;
      if (flowing) continue;
      if (!held) cutWhenStalled(req, res, clientIdleMs);
      held = true;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (gone) return;
    }
    if (!expired) endAnswer(req, res, unreadRest(req), undefined);
    // In the middle of an event, or of something else, whatever is said would be taken for a part of it.
    else if (until?.last === undefined || !endsEvent(sentLast)) res.destroy();
    else endAnswer(req, res, unreadRest(req), until.last);
  } catch (cause) {
    res.off('close', onClose).destroy();
    await reader.cancel(cause).catch(() => {});
    throw cause;
  } finally {
    clearInterval(timer);
    cancelExpiry?.();
    res.off('close', onClose).off('drain', onDrain);
  }
}

/** Whether an event may follow: the stream has not begun, or the last event, or comment, is whole. */
function endsEvent(sent: Uint8Array | undefined): boolean {
  return sent === undefined || sent.length === 0 || (sent.at(-1) === lineFeed && sent.at(-2) === lineFeed);
}

const lineFeed = 10;
