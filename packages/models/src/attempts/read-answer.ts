import { isObject, parseJson } from '../json.ts';
import { createEventReader } from '../transport/event-stream.ts';
import { type PostAnswer, TransportError } from '../transport/post.ts';
import { ReplyError } from '../wire/failure-signs.ts';
import { noUsage } from '../wire/usage.ts';
import type { WireReply } from '../wire/wire-format.ts';
import type { WrittenRequest } from './written-request.ts';

/** What `onDelta` threw: it goes to the caller as it is. */
export class ListenerError extends Error {}

/** As much of a reply as has come. */
export type Begun = Pick<WireReply, 'usage' | 'parts'>;

/** A reply while it comes. */
export interface Reading {
  write(chunk: Uint8Array): void;
  end(): void;
  isWhole(): boolean;
  reply(): WireReply | undefined;
  /** What of a reply has come, when it is not whole. */
  begun(): Begun | undefined;
}

/** Reads an answer of status 200. A server that was asked to stream and does not is understood all the same. */
export function createReading({ headers }: PostAnswer, given: WrittenRequest, maxBytes: number): Reading {
  let length = 0;
  const { 'content-type': type = 'text/event-stream' } = headers;
  const inner =
    given.stream && type.toLowerCase().startsWith('text/event-stream') ? readStream(given) : readBody(given);
  return {
    ...inner,
    write(chunk) {
      length += chunk.length;
      if (length > maxBytes) throw new ReplyError(tooLong(maxBytes));
      inner.write(chunk);
    },
  };
}

function readStream({ attempt, format, onFirst }: WrittenRequest): Reading {
  const { provider } = attempt.target;
  let first = true;
  const reader = format.createStreamReader((text) => {
    if (first) onFirst();
    first = false;
    try {
      attempt.onDelta?.(text);
    } catch (error) {
      throw new ListenerError('onDelta', { cause: error });
    }
  });
  const events = createEventReader((event) => reader.read(event));
  const read = () => reader.body && format.readReply(reader.body, provider.name);
  return {
    write: events.write,
    end() {
      try {
        events.end();
      } catch (error) {
        // What stands last in a stream that was cut is half an event.
        if (!(error instanceof ReplyError) || error.signs) throw error;
      }
      if (reader.body !== undefined && !reader.done) throw new TransportError('connection', 'cut');
    },
    isWhole: () => reader.done,
    reply: () => (reader.done ? read() : undefined),
    begun: read,
  };
}

function readBody({ attempt, format }: WrittenRequest): Reading {
  const chunks: Uint8Array[] = [];
  let whole = false;
  const text = (): string => Buffer.concat(chunks).toString();
  const read = (): WireReply | undefined => {
    const body = parseJson(text());
    // Routers that stand before a provider tell of its failures with a status of their own success.
    if (isObject(body) && isObject(body['error']))
      throw new ReplyError('the provider failed', format.readFailure(body));
    return isObject(body) ? format.readReply(body, attempt.target.provider.name) : undefined;
  };
  return {
    write: (chunk) => void chunks.push(chunk),
    end() {
      whole = true;
    },
    isWhole: () => false,
    reply: read,
    begun() {
      if (whole) return undefined;
      // It was made whole before it was sent, so it is paid for, and nobody told us how much.
      return { usage: noUsage, parts: [{ type: 'text', text: text() }] };
    },
  };
}

function tooLong(maxBytes: number): string {
  return `answered with more than ${maxBytes} bytes`;
}

/** Reads an answer to its end. @throws {ReplyError} when it is too long · {TransportError} when it is cut */
export async function readWhole(
  { headers, read, discard }: PostAnswer,
  reading: Reading,
  maxBytes: number,
): Promise<void> {
  const encoding = headers['content-encoding']?.toLowerCase() || 'identity';
  // No compression is asked for.
  const isReadable = encoding === 'identity' && Number(headers['content-length'] ?? 0) <= maxBytes;
  if (!isReadable) {
    discard();
    throw new ReplyError(encoding === 'identity' ? tooLong(maxBytes) : 'compressed its answer unasked');
  }
  await read((chunk) => reading.write(chunk));
  reading.end();
}
