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
  /** Some header is more than ASCII: the head must not be written as UTF-8, of which its values are the octets already. */
  readonly octets: boolean;
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
 * Lays out an answer: our headers, then those of the response, which win where both name one. The values of headers are
 * octets, a character each (RFC 9110, 5.5); what has characters that are none, such as a file name in Japanese, is sent as
 * UTF-8. The length comes last: behind it, node makes other bytes of a `content-disposition`.
 *
 * @throws {RangeError} for a status that is no final one
 */
export function toAnswer(response: RouteResponse, options: AnswerOptions): Answer {
  const { status, body } = response;
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new RangeError(`${status} is not the status of an answer`);
  const { payload, mediaType, length } = encode(status, body, options.requestId);
  const headers = ownHeaders(response, options);
  let octets = false;
  const add = (name: string, given: string): void => {
    const more = beyondAscii.test(given);
    octets ||= more;
    const value = more ? toOctets(given) : given;
    if (options.fixed.names.has(name)) override(headers, name, value);
    else headers.push(name, value);
  };
  if (mediaType !== undefined && !names(response.headers, 'content-type')) add('content-type', mediaType);
  for (const name in response.headers) {
    const lower = name.toLowerCase();
    if (connectionHeaders.has(lower)) continue;
    const given = response.headers[name] as string | readonly string[];
    if (lower === 'set-cookie' && typeof given === 'object') for (const cookie of given) add(lower, cookie);
    else add(lower, typeof given === 'object' ? given.join(', ') : given);
  }
  if (length !== undefined) headers.push('content-length', String(length));
  if (options.head) return { status, headers, payload: undefined, bytes: 0, octets };
  if (payload instanceof ReadableStream) return { status, headers, payload, bytes: undefined, octets };
  // Node writes a head in the encoding of the text behind it.
  const sent = octets && typeof payload === 'string' ? Buffer.from(payload) : payload;
  return { status, headers, payload: sent, bytes: length ?? 0, octets };
}

const beyondAscii = /[\u0080-\uffff]/;
const beyondOctets = /[\u0100-\uffff]/;

/** No octet of a character beyond ASCII is a line break or any other control character, so no header ends in one. */
function toOctets(value: string): string {
  return beyondOctets.test(value) ? Buffer.from(value).toString('latin1') : value;
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
