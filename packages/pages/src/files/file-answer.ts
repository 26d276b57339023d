import type { Stats } from 'node:fs';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';

const load = createRequire(import.meta.url);

/** What is answered about a file: head, and which of its bytes. */
export interface FileAnswer {
  /** 200, 206, 304, 412, 416. */
  readonly status: number;
  /** Lower-cased names, without those that a body brings along. */
  readonly headers: Readonly<Record<string, string>>;
  readonly mediaType: string;
  /** From the first byte on, and how many; undefined where no bytes of the file are sent. */
  readonly range: { readonly start: number; readonly length: number } | undefined;
}

/** What a request says about the file it wants. */
export interface FileRequest {
  readonly method: string;
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Works out the answer to a request for a file: conditions, ranges, validators and type, as `send` has them.
 *
 * `send` decides, and we do the reading: an engine answers with a status, headers and a stream, and the file is open
 * already when it is known to be inside of its root, while `send` would open a path of its own once more. So it is
 * given a response that only takes a head, and its method `stream`, which it calls with the bytes to send, gives those
 * to us. Both happen before `send.send` returns.
 *
 * @param name decides the type
 */
export function toFileAnswer(
  request: FileRequest,
  name: string,
  stats: Stats,
  cacheControl: string,
): FileAnswer {
  // With the first file: a server without any does not load it.
  const send = load('send') as typeof import('send');
  const head = new ResponseHead();
  // It reads method and headers, nothing else.
  const sender = send(withStrongRange(request) as unknown as Readable, name, { cacheControl: false });
  let start = 0;
  let failed = 0;
  Object.assign(sender, {
    res: head,
    stream: (_: string, range: { readonly start: number }) => {
      start = range.start;
    },
  });
  // 412 and 416; what it would write about them is not our form.
  sender.on('error', ({ status }: { readonly status: number }) => {
    failed = status;
  });
  sender.send(name, stats);
  const { 'content-length': length, 'content-type': mediaType = '', ...headers } = head.headers;
  if (failed > 0) return { status: failed, headers: rangeOf(headers), mediaType, range: undefined };
  const status = head.statusCode;
  return {
    status,
    headers: { ...headers, 'cache-control': cacheControl },
    mediaType,
    range: status === 304 ? undefined : { start, length: Number(length) },
  };
}

/** A part is given to whoever names the file by a strong tag: a weak one may be that of other bytes (RFC 9110, 13.1.5). */
function withStrongRange(request: FileRequest): FileRequest {
  if (!request.headers['if-range']?.includes('W/"')) return request;
  const { range: _, ...headers } = request.headers;
  return { ...request, headers };
}

/** Of a failure only this is said of the file. */
function rangeOf({
  'content-range': range,
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return range === undefined ? {} : { 'content-range': range };
}

/** As much of a response as `send` needs to say what it would answer. */
class ResponseHead {
  statusCode = 200;
  readonly headersSent = false;
  readonly headers: Record<string, string> = {};

  getHeader(name: string): string | undefined {
    return this.headers[name.toLowerCase()];
  }

  setHeader(name: string, value: string | number): void {
    this.headers[name.toLowerCase()] = String(value);
  }

  removeHeader(name: string): void {
    delete this.headers[name.toLowerCase()];
  }

  end(): void {}
}
