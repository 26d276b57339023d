import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Quirk } from '../quirks.ts';

/** An answer in the bytes of its format. */
export interface Delivery {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A whole body, or the events of a stream. */
  readonly content: string | readonly string[];
  readonly paceMs: number;
  readonly quirks: ReadonlySet<Quirk>;
  /** Called right before the last bytes, so that whoever has read them finds it done. */
  readonly beforeEnd: () => void;
}

/** How a delivery ends before its end. */
export interface Break {
  readonly how: 'hang' | 'cut';
  /** Events of a stream that are still sent; a body is sent to its middle. */
  readonly after: number;
}

/** Sends an answer; resolves when it is sent, or the client is gone. */
export async function deliver(response: ServerResponse, delivery: Delivery, broken?: Break): Promise<void> {
  if (typeof delivery.content === 'string') return sendBody(response, delivery, delivery.content, broken);
  const events = inQuirks(delivery.content, delivery.quirks);
  response.writeHead(delivery.status, {
    ...delivery.headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  const sent = broken ? events.slice(0, broken.after) : events;
  if (delivery.paceMs > 0) {
    for (const event of sent) {
      response.write(event);
      if (!(await wait(delivery.paceMs, response))) return;
    }
    delivery.beforeEnd();
    return finish(response, '', broken);
  }
  const whole = sent.join('');
  if (delivery.quirks.has('split_bytes')) await writeInPieces(response, Buffer.from(whole));
  delivery.beforeEnd();
  return finish(response, delivery.quirks.has('split_bytes') ? '' : whole, broken);
}

/** Waits; false when the client went away meanwhile. */
export function wait(ms: number, response: ServerResponse): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const gone = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      response.off('close', gone);
      resolve(true);
    }, ms);
    response.once('close', gone);
  });
}

function sendBody(
  response: ServerResponse,
  { status, headers, beforeEnd }: Delivery,
  body: string,
  broken: Break | undefined,
): Promise<void> {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...headers,
    'content-length': Buffer.byteLength(body),
  });
  beforeEnd();
  return finish(response, broken ? body.slice(0, Math.floor(body.length / 2)) : body, broken);
}

/** Sends the last of an answer. What is cut off is cut once it has left, what hangs waits for its client to go. */
function finish(response: ServerResponse, last: string, broken: Break | undefined): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    if (!broken) response.end(last);
    else {
      response.flushHeaders();
      response.write(last, () => {
        if (broken.how === 'cut') response.destroy();
      });
    }
  });
}

function inQuirks(events: readonly string[], quirks: ReadonlySet<Quirk>): readonly string[] {
  const commented = quirks.has('comments') ? events.flatMap((event) => [': still here\n\n', event]) : events;
  return quirks.has('crlf') ? commented.map((event) => event.replaceAll('\n', '\r\n')) : commented;
}

/**
 * Writes in pieces of 1 to 7 bytes that tear lines and characters apart, and in larger ones when there would be more
 * than 2,000. A turn of the event loop between two keeps clients from reading them as one.
 */
async function writeInPieces(response: ServerResponse, bytes: Buffer): Promise<void> {
  const factor = Math.max(1, Math.ceil(bytes.length / 8000));
  for (let at = 0, length = 1; at < bytes.length; length = (length % 7) + 1) {
    response.write(bytes.subarray(at, at + length * factor));
    at += length * factor;
    await setImmediate();
  }
}
