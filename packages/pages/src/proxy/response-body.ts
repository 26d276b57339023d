import type { Body, EngineContext } from '@waymark/contract/engine';
import type { OutboundResponse } from '@waymark/contract/http';
import { maxToolBytes } from '@waymark/contract/tools';
import { wholeBytes } from './request-body.ts';
import { charsetOf, toUtf8Body } from './utf8-body.ts';

/** Statuses whose answers have no content (RFC 9110, 15.3.5, 15.3.6 and 15.4.5). */
const withoutContent = new Set([204, 205, 304]);

/** Characters of a charset in a message. */
const maxShown = 40;

/** An answer that came, and that we cannot pass on; the message reads on from it. */
export class UnfitAnswer extends Error {
  override readonly name = 'UnfitAnswer';
}

/**
 * Makes the body of our answer. A short one whose length is told is awaited, so that it is one write, and one that breaks
 * off can still be answered 502. So is every answer to a caller by name, who gets a value. All others stream.
 *
 * @throws {HTTPError} 502 broken off · 504 paused for too long
 * @throws {UnfitAnswer} for a tool alone: too large, packed or not modified though nobody asked for that, or in an unknown charset
 */
export async function toResponseBody(
  { status, headers, body }: OutboundResponse,
  { via, request }: Pick<EngineContext, 'via' | 'request'>,
): Promise<Body> {
  const head = request.method === 'HEAD';
  const byName = via !== 'http';
  if (byName && status === 304) {
    await body.cancel();
    throw new UnfitAnswer('is 304, not modified, to a call without a condition');
  }
  if (withoutContent.has(status) && !head) {
    await body.cancel();
    return { kind: 'empty' };
  }
  const mediaType = headers['content-type'] ?? 'application/octet-stream';
  const length = lengthOf(headers['content-length']);
  if (byName && (headers['content-encoding'] ?? 'identity') !== 'identity') {
    await body.cancel();
    throw new UnfitAnswer(`has the content encoding ${headers['content-encoding']}`);
  }
  if (byName && !head) return toValueBody(await collect(body, maxToolBytes), mediaType);
  if (!head && length !== undefined && length <= wholeBytes)
    return { kind: 'bytes', bytes: await collect(body, wholeBytes), mediaType };
  return { kind: 'stream', stream: body, mediaType, ...(length !== undefined && { length }) };
}

/** Who reads a value reads UTF-8. */
function toValueBody(given: Uint8Array, mediaType: string): Body {
  const body = toUtf8Body(given, mediaType);
  if (!body)
    throw new UnfitAnswer(`has the charset ${charsetOf(mediaType)?.slice(0, maxShown)}, which is not known`);
  if (body.bytes.length > maxToolBytes) throw tooLarge(maxToolBytes);
  return { kind: 'bytes', ...body };
}

function tooLarge(limit: number): UnfitAnswer {
  return new UnfitAnswer(`is larger than ${limit} bytes`);
}

function lengthOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** With a reader: an iterator over a stream costs several times as much. */
async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  for (let length = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      await reader.cancel();
      throw tooLarge(limit);
    }
    chunks.push(value);
  }
  const [first] = chunks;
  return chunks.length === 1 && first ? first : Buffer.concat(chunks);
}
