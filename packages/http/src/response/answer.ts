import { STATUS_CODES } from 'node:http';
import type { Body, ProblemMembers, RouteResponse } from '@waymark/contract/engine';
import { type HeaderBlock, override } from './header-block.ts';

/** What goes on the wire: one head, and what follows it. */
export interface Answer {
  readonly status: number;
  /** Names and values in turn, as `writeHead` takes them without building a map. */
  readonly headers: readonly string[];
  readonly payload: string | Uint8Array | ReadableStream<Uint8Array> | undefined;
  /** Of the payload; undefined for a stream. */
  readonly bytes: number | undefined;
}

/** What an answer depends on besides the response. */
export interface AnswerOptions {
  readonly requestId: string;
  /** The request was a HEAD: same headers, no payload. */
  readonly head: boolean;
  /** This answer is the last on its connection. */
  readonly close: boolean;
  /** Headers of every answer. */
  readonly fixed: HeaderBlock;
  /** Headers of this one, names and values in turn. */
  readonly extra?: readonly string[] | undefined;
  /** What a 401 asks for where the response does not say. */
  readonly challenge: string;
}

/** Belongs to the connection, not to the response; a handler that sets one is not heard. */
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Lays out an answer: our headers, then those of the response, which win where both name one.
 *
 * @throws {RangeError} for a status that is no final one
 */
export function toAnswer(response: RouteResponse, options: AnswerOptions): Answer {
  const { status, body } = response;
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new RangeError(`${status} is not the status of an answer`);
  const { payload, mediaType, length } = encode(status, body, options.requestId);
  const headers = ownHeaders(response, options);
  if (mediaType !== undefined && !names(response.headers, 'content-type'))
    headers.push('content-type', mediaType);
  if (length !== undefined) headers.push('content-length', String(length));
  for (const name in response.headers) {
    const lower = name.toLowerCase();
    if (connectionHeaders.has(lower)) continue;
    const given = response.headers[name] as string | readonly string[];
    if (lower === 'set-cookie' && typeof given === 'object')
      for (const cookie of given) headers.push(lower, cookie);
    else {
      const value = typeof given === 'object' ? given.join(', ') : given;
      if (options.fixed.names.has(lower)) override(headers, lower, value);
      else headers.push(lower, value);
    }
  }
  if (options.head) return { status, headers, payload: undefined, bytes: 0 };
  return { status, headers, payload, bytes: payload instanceof ReadableStream ? undefined : (length ?? 0) };
}

function ownHeaders(
  { status, headers }: RouteResponse,
  { requestId, close, fixed, extra, challenge }: AnswerOptions,
): string[] {
  const own = extra ? fixed.flat.concat(extra) : fixed.flat.slice();
  if (!names(headers, 'x-request-id')) own.push('x-request-id', requestId);
  if (status === 401 && !names(headers, 'www-authenticate')) own.push('www-authenticate', challenge);
  // An upgrade is offered per connection, so both headers are ours to send (RFC 9110, 7.8).
  if (status === 426) own.push('upgrade', 'websocket');
  if (close || status === 426) own.push('connection', connection(close, status));
  return own;
}

function connection(close: boolean, status: number): string {
  if (status !== 426) return 'close';
  return close ? 'close, upgrade' : 'upgrade';
}

interface Encoded {
  readonly payload: Answer['payload'];
  readonly mediaType: string | undefined;
  readonly length: number | undefined;
}

const noContent: Encoded = { payload: undefined, mediaType: undefined, length: undefined };
const empty: Encoded = { payload: undefined, mediaType: undefined, length: 0 };

function encode(status: number, body: Body, requestId: string): Encoded {
  // These two have no content, whatever the handler gave (RFC 9110, 15.3.5 and 15.4.5).
  if (status === 204 || status === 304) return noContent;
  switch (body.kind) {
    case 'empty':
      return empty;
    case 'json':
      return text(body.text, 'application/json');
    case 'problem':
      return text(problemText(status, body, requestId), 'application/problem+json');
    case 'bytes':
      return { payload: body.bytes, mediaType: body.mediaType, length: body.bytes.length };
    case 'stream':
      return { payload: body.stream, mediaType: body.mediaType, length: body.length };
  }
}

function text(payload: string, mediaType: string): Encoded {
  return { payload, mediaType, length: Buffer.byteLength(payload) };
}

/** Writes the problem document of RFC 9457 as JSON text (decision 2.2). */
export function problemText(
  status: number,
  problem: { readonly detail: string } & ProblemMembers,
  requestId: string,
): string {
  const title = STATUS_CODES[status] ?? 'Unknown';
  const { detail, code, errors, run, decision, decided_by, decided_at_ms } = problem;
  return JSON.stringify({
    type: 'about:blank',
    title,
    status,
    detail,
    request_id: requestId,
    code,
    errors,
    run,
    decision,
    decided_by,
    decided_at_ms,
  });
}

/** Contract headers have lower-cased names; other spellings are tolerated, since two of one name would both be sent. */
function names(headers: RouteResponse['headers'], wanted: string): boolean {
  for (const name in headers) if (name === wanted || name.toLowerCase() === wanted) return true;
  return false;
}
