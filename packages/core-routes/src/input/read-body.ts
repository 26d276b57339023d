import { HTTPError, type Route } from '@waymark/contract';
import type { BodySource } from '@waymark/contract/engine';
import type { JsonScan } from './json-scan.ts';
import { type Look, parseJson, parseJsonPieces, parseJsonTextPieces, placeOf } from './parse-json.ts';
import { parseLargeJson, scanOfLarge } from './parse-large-json.ts';

/**
 * Refuses a body before it is read. Only a route that declares JSON asks for a content type (decision 2.6).
 *
 * @throws {HTTPError} 413 too large · 415 not JSON
 */
export function checkBody({ contentType, contentLength = 0 }: BodySource, route: Route): void {
  if (contentLength > route.maxBodyBytes)
    throw new HTTPError(413, `the body is larger than ${route.maxBodyBytes} bytes`);
  if (route.body === 'json' && contentType !== undefined && !isJson(contentType)) throw notJson(contentType);
}

/**
 * Parses a body as its route wants it.
 *
 * @param maxValues that JSON may hold
 * @returns undefined when the route takes bytes, or nothing was sent
 * @throws {HTTPError} 415 nobody said that it is JSON · 400 malformed JSON · 413 JSON with too many values · 422 a number
 * that is not kept as it is
 */
export function parseBody(
  bytes: Uint8Array,
  { contentType }: BodySource,
  route: Route,
  maxValues: number,
): unknown {
  if (route.body !== 'json' || bytes.length === 0) return undefined;
  if (contentType === undefined) throw notJson('none');
  return parseJson(bytes, maxValues, route);
}

/** Bytes from which a body is large: it is not made a text as a whole. */
export const largeBody = 1_048_576;

/**
 * What looks through a JSON body that does not say that it is small as it comes, so that one of 32 MiB is refused as soon as it
 * has too many values. Undefined where it cannot be large.
 */
export function scanOf(
  { contentType }: BodySource,
  { body, maxBodyBytes }: Route,
  maxValues: number,
): JsonScan | undefined {
  if (body !== 'json' || contentType === undefined || maxBodyBytes <= largeBody) return undefined;
  return scanOfLarge(maxValues);
}

/** Bytes up to which a body is small: to parse it takes no longer than other work does, 0.2 ms at most (measured). */
export const smallBody = 4096;

/**
 * The same for a JSON body that may take long to parse, 50 ms for 1 MiB of names: a piece at a time, in turns with others.
 * Undefined for others.
 *
 * @param look is shown a large object as far as it is read
 * @param scan has looked through it as it came
 */
export function parseInTurns(
  bytes: Uint8Array,
  source: BodySource,
  route: Route,
  maxValues: number,
  { look, scan }: { readonly look?: Look | undefined; readonly scan?: JsonScan | undefined } = {},
): Iterator<void, unknown> | undefined {
  if (route.body !== 'json' || source.contentType === undefined) return undefined;
  if (bytes.length > largeBody) return parseLargeJson(bytes, maxValues, { at: placeOf(route), look, scan });
  return parseJsonPieces(bytes, maxValues, route, look);
}

/** The same for what is text already. */
export function parseTextInTurns(text: string, maxValues: number): Iterator<void, unknown> | undefined {
  if (text.length <= smallBody) return undefined;
  if (text.length > largeBody) return parseLargeJson(Buffer.from(text), maxValues);
  return parseJsonTextPieces(text, maxValues);
}

function isJson(contentType: string): boolean {
  // As nearly all clients write it.
  if (contentType === 'application/json') return true;
  const [essence = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return false;
  return /^application\/(?:[\w.-]+\+)?json$/.test(essence.trim());
}

function notJson(contentType: string): HTTPError {
  return new HTTPError(415, `the body must be application/json in UTF-8, not ${contentType}`);
}
