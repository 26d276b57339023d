import { Readable } from 'node:stream';
import { Reply, type Route } from '@waymark/contract';
import { type Body, jsonResponse, type ResponseHeaders, RouteResponse } from '@waymark/contract/engine';
import { mediaTypeOf } from '@waymark/contract/route';

const noContent = new RouteResponse(204, { kind: 'empty' });

/**
 * Turns what a handler returned into an answer (decision 1.7): a JSON value is 200, `undefined` 204, bytes, text and
 * streams take the media type the route declares.
 *
 * @throws {TypeError} for a value JSON cannot hold
 */
export function toResponse(route: Route, value: unknown): RouteResponse {
  if (value === undefined) return noContent;
  if (typeof value === 'object' && value !== null) {
    if (value instanceof RouteResponse) return value;
    if (value instanceof Reply) return fromReply(value);
    if (value instanceof Response) return fromWebResponse(value);
  }
  const declared = route.output[200];
  const mediaType = declared && mediaTypeOf(declared);
  const raw = toRawBody(
    value,
    mediaType ?? (typeof value === 'string' ? undefined : 'application/octet-stream'),
  );
  return raw ? new RouteResponse(200, raw) : toJson(value);
}

/** A status that ends a request: after a 1xx the caller would wait for another. */
function checkStatus(status: number): void {
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new TypeError(`a handler answered with status ${status}`);
}

/** `application/json`, and whatever ends in `+json`. */
const jsonType = /^(?:application\/json|[\w.+-]+\/[\w.+-]+\+json)\s*(?:;|$)/i;

function fromReply({ body, status, headers, contentType }: Reply): RouteResponse {
  checkStatus(status);
  if (status === 204 || status === 304 || body === undefined)
    return new RouteResponse(status, { kind: 'empty' }, headers);
  const isJson = jsonType.test(contentType);
  const raw = toRawBody(body, isJson && typeof body === 'string' ? undefined : contentType);
  if (raw) return new RouteResponse(status, raw, headers);
  if (!isJson) throw new TypeError(`a reply of type ${contentType} needs text, bytes or a stream`);
  return toJson(
    body,
    status,
    contentType === 'application/json' ? headers : { 'content-type': contentType, ...headers },
  );
}

/** @returns undefined for a value that is JSON */
function toRawBody(value: unknown, mediaType: string | undefined): Body | undefined {
  if (mediaType === undefined) return undefined;
  if (typeof value === 'string')
    return { kind: 'bytes', bytes: new TextEncoder().encode(value), mediaType: withCharset(mediaType) };
  if (value instanceof Uint8Array) return { kind: 'bytes', bytes: value, mediaType };
  if (value instanceof ArrayBuffer) return { kind: 'bytes', bytes: new Uint8Array(value), mediaType };
  if (value instanceof ReadableStream)
    return { kind: 'stream', stream: value as ReadableStream<Uint8Array>, mediaType };
  if (value instanceof Readable)
    return { kind: 'stream', stream: Readable.toWeb(value) as ReadableStream<Uint8Array>, mediaType };
  return undefined;
}

function withCharset(mediaType: string): string {
  return mediaType.startsWith('text/') && !mediaType.includes('charset')
    ? `${mediaType}; charset=utf-8`
    : mediaType;
}

/** A web Response is what an import forgotten in front of `Reply` gives; it means the same. */
function fromWebResponse(response: Response): RouteResponse {
  checkStatus(response.status);
  const headers = Object.fromEntries(response.headers);
  const { 'content-type': mediaType = 'application/octet-stream', ...rest } = headers;
  // What `fetch` gives is unpacked, and its headers still say that it is packed.
  if (response.url !== '') delete rest['content-encoding'];
  // As entries they come one by one, and the last would be all there is.
  const cookies = response.headers.getSetCookie();
  const stream = response.body;
  return new RouteResponse(
    response.status,
    stream ? { kind: 'stream', stream, mediaType } : { kind: 'empty' },
    cookies.length > 1 ? { ...rest, 'set-cookie': cookies } : rest,
  );
}

function toJson(value: unknown, status = 200, headers: ResponseHeaders = {}): RouteResponse {
  if (typeof value === 'function' || typeof value === 'symbol')
    throw new TypeError(`a handler returned a ${typeof value}`);
  return jsonResponse(value, status, headers);
}
